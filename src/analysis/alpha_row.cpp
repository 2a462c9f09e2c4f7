// SPDX-License-Identifier: MIT
#include "analysis/alpha_row.hpp"

#include <algorithm>

namespace cisolve {

void AlphaRow::read(std::int32_t alpha) {
  std::ranges::fill(rows_, nullptr);
  classes_.clear();
  const StringProduct& space = vectors_.space;
  for (int level = 0; level < space.num_levels(); ++level) {
    const std::int32_t list = space.run_list(level, alpha);
    if (list == StringProduct::no_list) continue;
    const std::int64_t first = space.run_offset(level, alpha);
    for (std::int64_t k = blocks_.parts_of[list]; k < blocks_.parts_of[list + 1]; ++k)
      add(blocks_.parts[k], first);
  }
}

void AlphaRow::add(const BlockStructure::ListPart& part, std::int64_t first_row) {
  const std::size_t d = part.beta_class;
  const std::int64_t strings = blocks_.beta.num_strings();
  const bool whole = part.gather < 0 && part.size == blocks_.beta.size(part.beta_class);
  if (num_vectors() == 0) return;
  if ((*this)(0, d) == nullptr) classes_.push_back(part.beta_class);
  if (!whole && buffer_.empty())
    buffer_.resize(static_cast<std::size_t>(num_vectors()) * static_cast<std::size_t>(strings));
  for (int k = 0; k < num_vectors(); ++k) {
    const double* x = vectors_.vectors.data() + k * vectors_.space.size() + first_row;
    const double*& row = rows_[static_cast<std::size_t>(k) * num_classes() + d];
    if (whole) {
      row = x;
      continue;
    }
    double* copy = buffer_.data() + std::int64_t{k} * strings + blocks_.beta.offsets[d];
    row = copy;
    copy += part.position;
    if (part.gather < 0) {
      std::copy_n(x, part.size, copy);
    } else {
      const std::int32_t* places = blocks_.places.data() + part.gather;
      for (std::int32_t j = 0; j < part.size; ++j) copy[j] = x[places[j]];
    }
  }
}

}  // namespace cisolve

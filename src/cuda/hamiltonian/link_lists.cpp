// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/link_lists.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve::cuda::direct {
namespace {

std::size_t ordinal(const Side& side, int c, std::int32_t string) {
  return static_cast<std::size_t>(side.major.offsets[static_cast<std::size_t>(c)] + string);
}

}  // namespace

std::int32_t index_of(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw ResourceError(
        "DirectProduct: tables of excitations with more than 2147483647 entries are too large for a device");
  }
  return static_cast<std::int32_t>(size);
}

std::int32_t even_part(std::int64_t num_pairs, std::int64_t most) {
  const std::int64_t parts = (num_pairs + most - 1) / most;
  const std::int64_t even = (num_pairs + parts - 1) / parts;
  const std::int64_t eights = (even + 7) / 8 * 8;
  return static_cast<std::int32_t>(eights <= most ? eights : even);
}

const std::vector<Range>& LinkLists::all(const Side& side, int source_class, int irrep, bool split) {
  const auto [at, is_new] = lists_.try_emplace({side.number, source_class, irrep, split});
  if (!is_new) return at->second;
  for (int c = 0; c < side.major.count(); ++c) {
    for (std::int32_t string = 0; string < side.major.size(c); ++string) {
      const std::int32_t first = index_of(to_.links.size());
      sources_.add_links(side, c, string, source_class, irrep, split, to_.links);
      at->second.push_back({first, index_of(to_.links.size()) - first});
    }
  }
  return at->second;
}

std::int32_t LinkLists::most_links(const Side& side, int c, const std::vector<Range>& all) {
  std::int32_t most = 0;
  for (std::int32_t k = 0; k < side.major.size(c); ++k) most = std::max(most, all[ordinal(side, c, k)].size);
  return static_cast<std::int32_t>(whole_steps(most));
}

Part LinkLists::make_part(const Side& side, int c, const Pattern& pattern, const std::vector<Range>& all,
                          std::int32_t first, std::int32_t count, bool half) {
  Part part{&pattern, first, count, 0, index_of(to_.ranges.size())};
  const Pair& least = pattern.pairs[static_cast<std::size_t>(first)];
  const bool skips =
      half && pattern.pairs[static_cast<std::size_t>(first + count) - 1].coulomb_row != same_orbital;
  std::int32_t most = 0;
  for (std::int32_t k = 0; k < side.major.size(c); ++k) {
    Range range = all[ordinal(side, c, k)];
    const auto link = [&](std::int32_t at) { return to_.links[static_cast<std::size_t>(at)]; };
    if (half && range.size > 0 && link(range.first + range.size - 1).code == self_code) --range.size;
    while (skips && range.size > 0 && static_cast<std::int32_t>(link(range.first).code / 2) < least.pair) {
      ++range.first;
      --range.size;
    }
    most = std::max(most, range.size);
    to_.ranges.push_back(range);
  }
  part.num_links = static_cast<std::int32_t>(whole_steps(most));
  if (most == 0) to_.ranges.resize(static_cast<std::size_t>(part.first_range));
  return part;
}

std::int32_t LinkLists::add_pairs(const Part& part) {
  const std::int32_t first = index_of(to_.pairs.size());
  const auto begin = part.pattern->pairs.begin() + part.first;
  to_.pairs.insert(to_.pairs.end(), begin, begin + part.count);
  return first;
}

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"

namespace cisolve {

inline void add_to(Matrix& sum, const Matrix& term) {
  const std::size_t size = static_cast<std::size_t>(sum.rows()) * static_cast<std::size_t>(sum.columns());
  for (std::size_t i = 0; i < size; ++i) sum.data()[i] += term.data()[i];
}

inline void add_to(SpinDensity& sum, const SpinDensity& term) {
  add_to(sum.alpha, term.alpha);
  add_to(sum.beta, term.beta);
}

template <class T>
void add_to(BraKetPairs<T>& sum, const BraKetPairs<T>& term) {
  for (int l = 0; l < sum.num_kets(); ++l) {
    for (int k = 0; k < sum.num_bras(); ++k) add_to(sum(k, l), term(k, l));
  }
}

/// D(l, k) = D(k, l)^T, where what lowers, and k > l on the diagonal, was left out.
inline void complete_from_lower(Matrix& upper, Matrix& lower) {
  for (int q = 0; q < upper.rows(); ++q) {
    lower(q, q) = upper(q, q);
    for (int p = q + 1; p < upper.rows(); ++p) {
      upper(q, p) = lower(p, q);
      lower(q, p) = upper(p, q);
    }
  }
}

/// That for each pair of the same vectors as bras and kets.
inline void complete_from_lower(SpinDensities& sums) {
  for (int l = 0; l < sums.num_kets(); ++l) {
    for (int k = 0; k <= l; ++k) {
      complete_from_lower(sums(k, l).alpha, sums(l, k).alpha);
      complete_from_lower(sums(k, l).beta, sums(l, k).beta);
    }
  }
}

/// Into how many parts a sum is cut, whatever the number of threads.
/// @param bytes  of one part: they are fewer where all of them would take much
inline std::int64_t num_parts_of(std::int64_t bytes) {
  constexpr std::int64_t most_bytes = std::int64_t{256} << 20, least = 8, most = 64;
  return std::clamp(most_bytes / std::max<std::int64_t>(bytes, 1), least, most);
}

/// Sum of part(k, parts), 0 <= k < parts, in parallel, summed in their order.
/// @param bytes  of one part, see num_parts_of
template <class Sum, class Part>
Sum sum_of_parts(std::int64_t bytes, const Part& part) {
  const std::int64_t num_parts = num_parts_of(bytes);
  std::vector<std::optional<Sum>> parts(num_parts);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < num_parts; ++k) parts[k].emplace(part(k, num_parts));
  for (std::int64_t k = 1; k < num_parts; ++k) add_to(*parts[0], *parts[k]);
  return std::move(*parts[0]);
}

}  // namespace cisolve

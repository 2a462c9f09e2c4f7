// SPDX-License-Identifier: MIT
#include "analysis/pair_sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// Adds the other shares to the first, each element in their order, and mirrors the lower triangle.
void join(std::vector<PairSums>& shares, std::vector<double> TwoParticleDensity::*matrix, std::size_t order) {
  std::vector<double>& total = shares.front().*matrix;
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t row = 0; row < order; ++row) {
    for (std::size_t share = 1; share < shares.size(); ++share) {
      const std::vector<double>& more = shares[share].*matrix;
      for (std::size_t at = row * order; at <= row * order + row; ++at) total[at] += more[at];
    }
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t row = 0; row < order; ++row) {
    for (std::size_t column = row + 1; column < order; ++column)
      total[row * order + column] = total[column * order + row];
  }
}

/// From [p, r, q, s] to [p, q, r, s].
void order_as_chemists(std::vector<double>& ab, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < n; ++p) {
    double* of_p = ab.data() + p * n * n * n;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t q = 0; q < r; ++q)
        std::swap_ranges(of_p + (r * n + q) * n, of_p + (r * n + q + 1) * n, of_p + (q * n + r) * n);
    }
  }
}

}  // namespace

std::int64_t PairSums::num_shares(int num_orbitals, std::int64_t max_bytes, double work) {
  constexpr double most = 32.0, work_per_element = 128.0;
  const auto size = static_cast<double>(std::max<std::int64_t>(bytes(num_orbitals), 8));
  const double that_fit = static_cast<double>(max_bytes) / size;
  const double worth_it = work / (work_per_element * size / 8.0);
  return static_cast<std::int64_t>(std::clamp(std::min(that_fit, worth_it), 1.0, most));
}

TwoParticleDensity PairSums::sum(int num_orbitals, std::int64_t num_shares,
                                 const std::function<void(std::int64_t, PairSums&)>& add) {
  std::vector<PairSums> sums(static_cast<std::size_t>(num_shares));
  parallel_for(num_shares, 1, [&](std::int64_t share) {
    sums[share] = PairSums(num_orbitals);
    add(share, sums[share]);
  });
  PairSums& total = sums.front();
  const auto n = static_cast<std::size_t>(num_orbitals);
  join(sums, &TwoParticleDensity::aa, total.num_pairs());
  join(sums, &TwoParticleDensity::bb, total.num_pairs());
  join(sums, &TwoParticleDensity::ab, n * n);
  order_as_chemists(total.ab, n);
  return std::move(total);
}

}  // namespace cisolve

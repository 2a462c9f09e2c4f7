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

PairSums::Shares PairSums::share(int num_orbitals, std::int64_t max_bytes) {
  constexpr std::int64_t most = 32;
  return {std::clamp(max_bytes / std::max<std::int64_t>(bytes(num_orbitals), 1), std::int64_t{1}, most)};
}

TwoParticleDensity PairSums::sum(int num_orbitals, Shares shares,
                                 const std::function<void(std::int64_t, PairSums&)>& add) {
  std::vector<PairSums> sums(static_cast<std::size_t>(shares.count));
  parallel_for(shares.count, 1, [&](std::int64_t share) {
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

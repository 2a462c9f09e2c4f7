// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_bytes.hpp"

#include <limits>

#include "analysis/density_parts.hpp"
#include "analysis/pair_sums.hpp"

namespace cisolve {

std::int64_t spin_density_bytes(int num_orbitals, int num_bras, int num_kets) {
  const std::int64_t n = num_orbitals, pairs = std::int64_t{num_bras} * num_kets;
  const std::int64_t bytes = 2 * static_cast<std::int64_t>(sizeof(double)) * n * n * pairs;
  return bytes * num_parts_of(bytes);
}

std::int64_t pair_density_bytes(int num_orbitals, std::int64_t max_bytes) {
  constexpr double any_work = std::numeric_limits<double>::infinity();
  return TwoParticleDensity::bytes(num_orbitals) * PairSums::num_shares(num_orbitals, max_bytes, any_work);
}

}  // namespace cisolve

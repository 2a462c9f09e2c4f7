// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/determinant_runs.hpp"

// What units of externals are expected to bring, in proportion: of each string that leads there, the squares of its coefficients
// times the squares of the elements of the excitation.
namespace cisolve {

/// Squares of (pq|rs), summed over all pairs rs of the other spin, of each pair of orbitals pq of an alpha excitation.
inline std::vector<double> pair_strengths(const IntegralTables& tables) {
  constexpr int irreps = 8;
  std::vector<double> strengths(tables.num_pairs(), 0.0);
  for (int irrep = 0; irrep < irreps; ++irrep) {
    for (const std::uint32_t pair : tables.pairs_of(irrep)) {
      for (const std::uint32_t other : tables.pairs_of(irrep))
        strengths[pair] += tables.row(pair)[other] * tables.row(pair)[other];
    }
  }
  return strengths;
}

/// Of a move, where it is not told from others: of beta electrons within a unit, of alpha ones that lead outside of all.
inline double typical_strength(std::span<const double> strengths) {
  return std::accumulate(strengths.begin(), strengths.end(), 0.0) / static_cast<double>(strengths.size());
}

/// Squares of the coefficients of some determinants, of all wavefunctions.
/// @param coefficients  [determinants * roots]
inline double weight_of(std::span<const RunMember> members, std::span<const double> coefficients,
                        std::size_t roots) {
  double sum = 0.0;
  for (const RunMember& member : members) {
    for (const double c : coefficients.subspan(static_cast<std::size_t>(member.row) * roots, roots))
      sum += c * c;
  }
  return sum;
}

}  // namespace cisolve

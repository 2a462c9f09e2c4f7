// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

/// The code of the excitation p = q of a string to itself: its factor is the sum over its orbitals p of (pp|rs).
inline constexpr std::uint32_t self_code = 0xffffffffU;

/// A single excitation of a major string.
struct Excitation {
  std::int32_t row;    ///< of the source string in the source panel
  std::uint32_t code;  ///< 2 * pair + (1 if the phase is negative), or self_code
};

/// Consecutive excitations.
struct Range {
  std::int32_t first, size;
};

/// The row of a pair r = s.
inline constexpr std::int32_t same_orbital = -2;

/// Pair rs of the minor spin.
struct Pair {
  std::int32_t pair;
  std::int32_t coulomb_row;  ///< in the CoulombTable, -1: not totally symmetric; or same_orbital
};

/// Excitations that opposite-spin sums of short and of long rows read.
template <template <class> class Array>
struct ExcitationArrays {
  Array<Pair> pairs;
  Array<Range> ranges;            ///< of the excitations of an item, by string
  Array<Excitation> excitations;  ///< of a string ascending by pair

  static auto members(auto& of) { return std::tie(of.pairs, of.ranges, of.excitations); }
};

/// Integrals by pairs of the spin named and of the other one, and CoulombTables of either spin; the second is empty where
/// it is as the first.
template <template <class> class Array>
struct IntegralArrays {
  Array<double> alpha_integrals, beta_integrals;  ///< [pairs][pairs of the other spin]
  Array<double> alpha_coulomb, beta_coulomb;

  static auto members(auto& of) {
    return std::tie(of.alpha_integrals, of.beta_integrals, of.alpha_coulomb, of.beta_coulomb);
  }
};

/// What kernels make factors from.
struct ExcitationTables {
  ExcitationArrays<Pointer> lists;
  std::int32_t num_all_pairs;
  const double* integrals[2];  ///< [pairs of the major spin][pairs of the minor spin], by layout
  const double* coulomb[2];    ///< CoulombTable of the major spin, by layout
  std::int64_t coulomb_width[2];
};

}  // namespace cisolve::cuda::direct

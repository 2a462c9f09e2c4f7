// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

inline constexpr int mixed_irrep = -1;

/// Quantum numbers of a root.
struct StateLabel {
  double s_squared = 0.0;   ///< <S^2>, hbar^2; NaN: unknown
  int irrep = mixed_irrep;  ///< zero-based
};

/// What is known of S^2 over determinants.
struct OrbitalSpins {
  bool unrestricted = false;             ///< the spins have orbitals of their own
  const SpinOverlap* overlap = nullptr;  ///< of these; null: unknown, <S^2> is then NaN

  bool has_s_squared() const { return !unrestricted || overlap != nullptr; }
};

/// Of the orbitals of integrals, which must outlive the result.
OrbitalSpins orbital_spins(const Integrals& integrals);

/// Widths by which label_states tells roots, spins and irreps apart.
struct ClusterConfig {
  double width = 1e-7;              ///< hartree; roots closer than this form a cluster
  double spin_width = 1e-6;         ///< hbar^2; <S^2> closer than this counts as equal
  double pure_weight = 1.0 - 1e-6;  ///< weight of one irrep above which a vector belongs to it
};

/// Labels the roots. Within a cluster of (nearly) equal energies, where the solver's vectors are
/// arbitrary mixtures, S^2 and then the irrep projectors are diagonalised, the vectors replaced by
/// the result, and listed by S^2, then irrep.
///
/// @param energies  ascending, hartree, shape [roots]
/// @param irreps    zero-based labels of the orbitals
/// @param vectors   column-major, shape [space.size(), roots]; orthonormal; rotated in place and given
///                  the sign that makes the first component within 1e-6 of the largest positive
/// @param[out] rotated  true for each root whose vector was rotated; may be nullptr
/// @param spins     what is known of S^2 where the spins have orbitals of their own
template <int Words>
std::vector<StateLabel> label_states(const Space<Words>& space, std::span<const int> irreps,
                                     std::span<const double> energies, std::span<double> vectors,
                                     const ClusterConfig& config, std::vector<bool>* rotated = nullptr,
                                     const OrbitalSpins& spins = {});

/// A determinant and its coefficient in a vector.
struct LeadingDeterminant {
  std::int64_t row = 0;
  double coefficient = 0.0;
};

/// The determinants of largest weight, descending (ties: ascending row).
/// @param minimum_weight  smaller ones are left out, but never the first
std::vector<LeadingDeterminant> leading_determinants(std::span<const double> vector, int most,
                                                     double minimum_weight);

/// A determinant as text, one character per orbital: 2, 0, u (alpha), d (beta).
template <int Words>
std::string occupation_text(const Determinant<Words>& determinant, int num_orbitals);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cisolve/analysis/states.hpp"
#include "cisolve/space/configuration_space.hpp"

namespace cisolve {

/// Labels roots over CSFs: their spin is the space's; see label_states for the irreps and the sign.
///
/// @param energies  ascending, hartree, shape [roots]
/// @param irreps    zero-based labels of the orbitals
/// @param vectors   column-major, shape [space.size(), roots]; orthonormal; rotated in place
/// @param[out] rotated  true for each root whose vector was rotated; may be nullptr
template <int Words>
std::vector<StateLabel> label_csf_states(const ConfigurationSpace<Words>& space, std::span<const int> irreps,
                                         std::span<const double> energies, std::span<double> vectors,
                                         const ClusterConfig& config, std::vector<bool>* rotated = nullptr);

/// A CSF as text, one character per orbital: 2, 0, u where the step is S + 1/2, d where it is S - 1/2.
template <int Words>
std::string csf_text(const ConfigurationSpace<Words>& space, std::int64_t row);

/// A vector over CSFs as one over determinants of Ms = S.
template <int Words>
struct DeterminantVector {
  std::vector<Determinant<Words>> determinants;  ///< all of every configuration, in its order
  std::vector<double> coefficients;
};

/// Expands a vector over CSFs in determinants.
/// @param vector  shape [space.size()]
/// @see include/cisolve/space/spin_couplings.hpp for the phases
template <int Words>
DeterminantVector<Words> expand_in_determinants(const ConfigurationSpace<Words>& space,
                                                std::span<const double> vector);

/// The heaviest CSFs of a vector in determinants of Ms = S: those of leading_determinants, the others left out.
/// @param vector  shape [space.size()]
template <int Words>
DeterminantVector<Words> expand_heaviest(const ConfigurationSpace<Words>& space,
                                         std::span<const double> vector, int most, double minimum_weight);

/// CSFs of one spin in any order, as files list them.
template <int Words>
struct CsfList {
  int two_s = 0;
  std::vector<Configuration<Words>> configurations;  ///< of each CSF
  std::vector<std::int64_t> couplings;               ///< number of each in SpinCouplings
};

/// The part of vectors over listed CSFs that lies in a space of determinants, whatever their Ms.
/// @param vectors  each of the shape [csfs]
/// @return shape [space.size(), vectors.size()], column-major, not normalised
/// @throws DimensionError if shapes disagree or the CSFs have no component of the determinants' Ms
template <int Words>
std::vector<double> project_on_determinants(const Space<Words>& space, const CsfList<Words>& csfs,
                                            std::span<const std::span<const double>> vectors);

/// The part of a vector over determinants of one Ms, |Ms| <= S, that lies in the CSFs: at Ms = S the inverse
/// of expand_in_determinants.
/// @return shape [space.size()], not normalised
/// @throws DimensionError if a determinant has another Ms than the first, or one that S does not have
template <int Words>
std::vector<double> project_on_csfs(const ConfigurationSpace<Words>& space,
                                    std::span<const Determinant<Words>> determinants,
                                    std::span<const double> coefficients);

}  // namespace cisolve

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

/// One character per orbital: 2, 0, u where the step is S + 1/2, d where it is S - 1/2.
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

/// The inverse where there is one: the part of a vector over determinants of Ms = S that lies in the CSFs.
/// @return shape [space.size()], not normalised
/// @throws DimensionError if a determinant has another Ms or number of orbitals
template <int Words>
std::vector<double> project_on_csfs(const ConfigurationSpace<Words>& space,
                                    std::span<const Determinant<Words>> determinants,
                                    std::span<const double> coefficients);

}  // namespace cisolve

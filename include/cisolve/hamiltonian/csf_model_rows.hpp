// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/model_rows.hpp"
#include "cisolve/space/configuration_space.hpp"

namespace cisolve {

/// Rows of the CSFs in which start vectors are found: the lowest one, those of the reference configurations
/// from the lowest on, at most `maximum`, then those of lowest diagonal energy up to `minimum`. Each has the
/// right spin by itself, so configurations need not be whole.
/// Distinct, ascending.
///
/// @param diagonal  of H, hartree, shape [space.size()]
template <int Words>
std::vector<std::int64_t> choose_model_csfs(const ConfigurationSpace<Words>& space,
                                            std::span<const double> diagonal, const ModelRowsConfig& config);

}  // namespace cisolve

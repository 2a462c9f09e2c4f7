// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve::bench {

/// A row of H by definition: the Slater-Condon rules between determinants; a CSF is first written in its determinants.
/// Slow: what rows are checked against.
/// @return hartree, shape [rows]
template <int Words>
std::vector<double> row_by_definition(const Integrals& v, const Space<Words>& space, std::int64_t row);
template <int Words>
std::vector<double> row_by_definition(const Integrals& v, const ConfigurationSpace<Words>& space,
                                      std::int64_t row);

}  // namespace cisolve::bench

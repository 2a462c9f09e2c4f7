// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cisolve/tasks/lattice/lattice_description.hpp"

namespace cisolve::report {

/// The displacement that leads from site 1 to a site (from 0), as short as it can be: "(1, -1)", of a chain "3".
std::string displacement_text(const LatticeDescription& lattice, std::size_t site);

/// All sites by the length of that displacement.
std::vector<std::size_t> by_distance(const LatticeDescription& lattice);

/// A momentum in units of pi: "(0.5, 1)", of a chain "0.5".
std::string momentum_text(const LatticeDescription& lattice, const std::vector<double>& momenta,
                          std::size_t k);

}  // namespace cisolve::report

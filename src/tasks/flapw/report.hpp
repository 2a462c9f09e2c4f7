// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>

#include "cisolve/tasks/flapw/flapw_result.hpp"

namespace cisolve {

/// "0.1000 0.2300 0.3700", in units of the reciprocal lattice vectors.
std::string point_text(const lapw::Vector3& k);

/// Prints header, crystal and what is calculated.
void print_flapw_setting(std::ostream& out, const FlapwResult& result);

/// Prints a k-point (from 0): the steps with their rates, and the eigenvalues; of many points a line each, unless `verbose`.
void print_flapw_point(std::ostream& out, const FlapwResult& result, int k, bool verbose);

/// Prints what stands behind the k-points: ranges of bands, warnings, times.
void print_flapw_end(std::ostream& out, const FlapwResult& result);

}  // namespace cisolve

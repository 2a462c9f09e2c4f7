// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve::units {

// CODATA 2018, doi:10.1103/RevModPhys.93.025010
inline constexpr double bohr_in_angstrom = 0.529177210903;
inline constexpr double hartree_in_ev = 27.211386245988;

}  // namespace cisolve::units

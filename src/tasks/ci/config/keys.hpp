// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::detail {

// Sections of a CI calculation: what is calculated ...
InputSection molecule_section();
InputSection integrals_section();
InputSection orbitals_section();
InputSection space_section();
InputSection states_section();
InputSection selection_section();
// ... and how.
InputSection hamiltonian_section();
InputSection solver_section();
InputSection run_section();
InputSection output_section();

}  // namespace cisolve::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

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

/// All of them.
std::vector<InputSection> ci_sections();

/// Whether a key is part of a CI calculation: the sections above hold one that is not.
bool is_ci_key(const InputKey& key);

}  // namespace cisolve::detail

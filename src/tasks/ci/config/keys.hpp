// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::detail {

/// Parts of the table of keys: what is calculated ...
std::vector<InputKey> molecule_keys();
std::vector<InputKey> integrals_keys();
std::vector<InputKey> scan_keys();
std::vector<InputKey> space_keys();
std::vector<InputKey> states_keys();
/// ... and how.
std::vector<InputKey> hamiltonian_keys();
std::vector<InputKey> solver_keys();
std::vector<InputKey> run_keys();
std::vector<InputKey> output_keys();

}  // namespace cisolve::detail

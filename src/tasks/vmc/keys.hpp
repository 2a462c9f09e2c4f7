// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/input/keys.hpp"

namespace cisolve {

/// [vmc] and [optimisation].
std::vector<InputSection> vmc_sections();

/// Whether a key is part of variational Monte Carlo.
bool is_vmc_key(const InputKey& key);

/// @throws InputError  there is no [lattice], or [optimisation] without parameters
void require_vmc_sections(const Input& input);

}  // namespace cisolve

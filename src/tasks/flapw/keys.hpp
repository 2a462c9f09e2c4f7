// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve {

/// The sections of a FLAPW calculation, but for those that it shares with others.
std::vector<InputSection> flapw_sections();

/// Whether a key is part of a FLAPW calculation.
bool is_flapw_key(const InputKey& key);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/input/input.hpp"

namespace cisolve::detail {

/// Refuses an input without integrals, or with two sources of them.
/// @throws InputError
void require_source(const Input& input);

}  // namespace cisolve::detail

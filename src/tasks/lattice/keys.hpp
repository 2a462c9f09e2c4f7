// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::detail {

/// [lattice]: sites, bonds, and the model of the electrons on them.
InputSection lattice_section();

}  // namespace cisolve::detail

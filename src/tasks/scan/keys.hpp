// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/input/keys.hpp"

namespace cisolve::detail {

InputSection scan_section();

}  // namespace cisolve::detail

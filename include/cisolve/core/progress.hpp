// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace cisolve {

/// Told now and then how far a long piece of work has come: fraction in [0, 1], never decreasing.
/// Called from one thread at a time. May be empty.
using Progress = std::function<void(double fraction)>;

}  // namespace cisolve

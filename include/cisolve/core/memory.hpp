// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace cisolve {

/// Host memory that a new allocation could have now, bytes: what the kernel calls available, or less
/// if a control group (container, batch job) or a limit on the address space (ulimit -v) allows this process less.
std::int64_t available_memory();

/// Largest resident size of this process so far, bytes.
std::int64_t peak_memory();

}  // namespace cisolve

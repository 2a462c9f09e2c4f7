// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/tasks/files/checkpoint.hpp"

namespace cisolve {

/// The checksum over all that a restart takes from a checkpoint of format version 2, which has no seal.
std::uint64_t checksum_of(const Checkpoint& checkpoint);

}  // namespace cisolve

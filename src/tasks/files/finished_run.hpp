// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/tasks/files/checkpoint.hpp"

namespace cisolve {

/// What a finished run left in its result file, as a checkpoint after its last sector. A run that ends well removes its
/// checkpoint: this takes its place. Without vectors in the file the roots have to be found again.
/// @throws InputError  absent, damaged, not the result of a single calculation, or of another format version
Checkpoint read_finished_run(const std::filesystem::path& file);

}  // namespace cisolve

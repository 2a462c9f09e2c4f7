// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/tasks/files/checkpoint.hpp"

namespace cisolve {

/// What a finished run left in its result file, as a checkpoint after its last sector. A run that ends well removes its
/// checkpoint: this takes its place. Without vectors in the file the roots have to be found again.
/// @throws InputError  absent, damaged, not the result of a single calculation, or of another format version
Checkpoint read_finished_run(const std::filesystem::path& file);

/// Removes the checkpoint of a run that has finished. A file that is no checkpoint stays, and so does one that cannot be
/// removed: the results do not depend on it.
void remove_checkpoint(const std::filesystem::path& file);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"

// How a list of determinants grew, in result files and checkpoints.
namespace cisolve {

/// Group "selection".
void write_selection(Hdf5Group& parent, const CiResult::Selection& selection);

/// Of a group that has it.
CiResult::Selection read_selection(const Hdf5Group& parent);

/// Group "list" of a checkpoint.
void write_checkpoint_selection(Hdf5Group& root, const CheckpointSelection& selection);
std::shared_ptr<const CheckpointSelection> read_checkpoint_selection(const Hdf5Group& root);
std::uint64_t bytes_of(const CheckpointSelection& selection);

}  // namespace cisolve

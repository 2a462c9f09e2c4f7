// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"

// The group /orbitals of a result file, and of a checkpoint, where it holds vectors too.
namespace cisolve {

void write_orbitals(Hdf5Group& root, const CiResult::Orbitals& orbitals);

/// @throws InputError if it is absent or its arrays do not fit each other
CiResult::Orbitals read_orbitals(const Hdf5Group& root);

void write_checkpoint_orbitals(Hdf5Group& root, const CheckpointOrbitals& orbitals);

/// @throws InputError as read_orbitals, and where vectors have no or another dimension
std::shared_ptr<const CheckpointOrbitals> read_checkpoint_orbitals(const Hdf5Group& root);

/// At least what they will take in a file.
std::uint64_t bytes_of(const CheckpointOrbitals& orbitals);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

// The groups /density and /orbitals/natural of a result file.
namespace cisolve {

/// Bytes that density matrices and natural orbitals take in a file, before compression.
std::uint64_t bytes_of_densities(const CiResult& result);

/// Writes both groups, where there is something.
void write_densities(Hdf5Group& group, const CiResult& result);

/// Reads both groups, where they are there.
/// @param file    for messages
/// @param result  whose system and roots have been read
/// @throws InputError if shapes do not fit the orbitals and the roots
void read_densities(const Hdf5Group& group, const std::filesystem::path& file, CiResult& result);

}  // namespace cisolve

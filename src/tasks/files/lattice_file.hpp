// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// Writes /lattice.
void write_lattice(Hdf5Group& group, const LatticeDescription& description);

/// @throws InputError if it is damaged
LatticeDescription read_lattice_description(const Hdf5Group& group, const std::filesystem::path& file);

/// Writes /lattice, and of /states the momenta and lattice values; nothing without a lattice.
/// @param group  that has the group states already
void write_lattice(Hdf5Group& group, const CiResult& result);

/// @throws InputError if they do not go with the roots
void read_lattice(const Hdf5Group& group, const std::filesystem::path& file, CiResult& result);

/// About what they take.
std::uint64_t bytes_of_lattice(const CiResult& result);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"

// A file that grows while a calculation goes on is replaced by a copy with the addition, so that it is whole at any moment.
namespace cisolve {

/// Copies a file to where its successor is written.
/// @throws SystemError
void copy_to_add(const AtomicFile& successor, const std::filesystem::path& file);

/// Puts the successor in its place, after it has been read back and compared: what was there before is in it alone.
/// @throws SystemError
void put_in_place(Hdf5File& hdf5, AtomicFile& successor);

}  // namespace cisolve

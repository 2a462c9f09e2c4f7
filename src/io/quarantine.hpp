// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "io/file_bytes.hpp"

namespace cisolve {

/// Copies an HDF5 file without a seal, which may be damaged or hostile, into one of ours that has no name: in
/// memory, or where it is large on disk. A process of its own does it, since the HDF5 library has memory errors
/// on such files; it may use no more processor time and memory than a file of that size can need.
/// @param file  open for reading
/// @param name  for messages
/// @return the copy, sealed
/// @throws InputError if it is no HDF5 file, is damaged, or holds what files of cisolve never hold; says what
/// @throws SystemError if there is no process or no room for the copy
FileDescriptor copy_in_quarantine(const FileDescriptor& file, const std::string& name);

}  // namespace cisolve

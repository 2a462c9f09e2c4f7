// SPDX-License-Identifier: MIT
#pragma once

#include <H5Cpp.h>

#include <cstdint>
#include <string>

namespace cisolve::hdf5 {

/// Copies the groups, datasets and attributes of a file that nobody vouches for: numbers and strings, in plain
/// storage, reached by hard links. Sizes are checked before anything of that size is taken.
/// @param from        root group
/// @param to          root group of an empty file
/// @param file_bytes  size of the file of `from`
/// @param name        of that file, for messages
/// @throws InputError that names the first object that is something else, or claims to be larger than the file
///         can hold
/// @throws H5::Exception if the library cannot read it
void copy_foreign(const H5::Group& from, const H5::Group& to, std::uint64_t file_bytes,
                  const std::string& name);

}  // namespace cisolve::hdf5

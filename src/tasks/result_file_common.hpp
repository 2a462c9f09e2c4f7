// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci_result.hpp"

namespace cisolve {

/// The attributes of the root of every file that cisolve writes.
struct FileStamp {
  std::string format;
  int format_version = 0;
  std::string program_version;
  std::string created;
};

void write_stamp(Hdf5Group& root, const FileStamp& stamp);

/// @throws InputError if the file is of another format or version than `expected`; names what was found
FileStamp read_stamp(const Hdf5Group& root, const FileStamp& expected, const std::filesystem::path& file);

/// Datasets over iterations; those over roots too are padded with NaN where there were fewer.
void write_history(Hdf5Group group, const std::vector<IterationRecord>& history);
std::vector<IterationRecord> read_history(const Hdf5Group& group);

/// A sector's attributes and its groups space, hamiltonian, solver; its states, if there are any, or
/// else its vectors alone.
void write_sector(Hdf5Group group, const CiResult::Sector& sector);

/// @param with_vectors  also eigenvectors, and the strings of the space, if they are there
/// @param file          for messages
CiResult::Sector read_sector(const Hdf5Group& group, bool with_vectors, const std::filesystem::path& file);

}  // namespace cisolve

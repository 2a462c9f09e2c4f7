// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// The attributes of the root of every file that cisolve writes.
struct FileStamp {
  std::string format;
  int format_version = 0;
  std::string program_version;
  std::string created;
};

void write_stamp(Hdf5Group& root, const FileStamp& stamp);

/// @param others  versions that are read too
/// @throws InputError if the file is of another format or version; names what was found
FileStamp read_stamp(const Hdf5Group& root, const FileStamp& expected, const std::filesystem::path& file,
                     std::initializer_list<int> others = {});

/// The format that a file says it is of; empty: it says none, is absent, or is not an HDF5 file.
std::string format_of(const std::filesystem::path& file);

/// Determinants one by one, [dimension x words] of each spin.
void write_determinants(Hdf5Group group, const BasisSummary& space, const FunctionList& list);

/// Datasets over iterations; those over roots too are padded with NaN where there were fewer.
void write_history(Hdf5Group group, const std::vector<IterationRecord>& history);
std::vector<IterationRecord> read_history(const Hdf5Group& group);

/// Extent of the first axis of a dataset. @throws InputError if it has no axis
std::size_t rows_of(const Hdf5Shape& shape, const std::string& name);

class PartWriter;
struct PartLimits;
struct VectorPart;

/// What a result file consists of: program, title and input ...
void write_head(Hdf5Group& root, const CiResult& result);
void write_input(Hdf5Group& root, const CiResult& result);  ///< which is a part of it
/// @throws InputError if the file is of another format or version
CiResult read_head(const Hdf5Group& root, const std::filesystem::path& file);

/// ... and what was found, which a scan has once per point.
/// @param parts  that vectors are written to, or stand in; none: they are in the file
void write_findings(Hdf5Group& group, const CiResult& result, bool with_vectors, PartWriter* parts = nullptr);
void read_findings(const Hdf5Group& group, bool with_vectors, const std::filesystem::path& file,
                   CiResult& result, std::span<const VectorPart> parts = {});

/// At least what the file will take besides its vectors: arrays, strings, and room for the structure of the file.
std::uint64_t expected_bytes(const CiResult& result);

inline std::uint64_t bytes_of_vectors(const CiResult::Sector& sector) {
  if (!sector.vectors) return 0;
  return 8 * static_cast<std::uint64_t>(sector.vectors->rows()) *
         static_cast<std::uint64_t>(sector.vectors->columns());
}
std::uint64_t bytes_of_vectors(const CiResult& result);

/// As write_result.
/// @param limits  where vectors are parted
void write_result_within(const PartLimits& limits, const std::filesystem::path& file, const CiResult& result,
                         bool with_vectors, bool read_back);

/// A sector with its roots and vectors.
/// @param stamp  of the file
/// @param parts  that the vectors are written to; null: into the file
void write_finished_sector(Hdf5Group group, const CiResult::Sector& sector, const FileStamp& stamp,
                           PartWriter* parts);

/// @param file   for messages
/// @param parts  of the file
CiResult::Sector read_finished_sector(const Hdf5Group& group, const std::filesystem::path& file,
                                      std::span<const VectorPart> parts);

}  // namespace cisolve

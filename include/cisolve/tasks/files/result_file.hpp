// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

inline constexpr const char* result_format = "cisolve-result";
inline constexpr int result_format_version = 1;

/// The present time in UTC, as ISO 8601: "2024-05-17T09:30:00Z".
std::string utc_timestamp();

/// Writes the result file, the HDF5 tree of docs/output.md, in one step (see AtomicFile).
/// Strings of the space are written if there are any.
/// @param with_vectors  also the eigenvectors that `result` has
/// @param read_back     and compared with its seal before it takes its place
/// @throws SystemError    I/O failed, or what is read back is not what was written; an older file of that name is untouched
/// @throws DimensionError arrays of `result` disagree in shape
void write_result(const std::filesystem::path& file, const CiResult& result, bool with_vectors = true,
                  bool read_back = false);

/// Whether a file says that it is the result of a calculation or a scan. It may be damaged, or of another version.
bool is_result(const std::filesystem::path& file);

/// Reads a result file.
/// @param with_vectors  also the eigenvectors, if the file has them, and the strings of the space
/// @throws InputError  absent, damaged, not a result file, or of another format version; says which
CiResult read_result(const std::filesystem::path& file, bool with_vectors);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve::detail {

/// All entries with their defaults, also those that depend on the name of the input file; paths of what is read
/// become relative to the working directory, and scan.files a list.
/// @throws InputError  there is no file of integrals, or an empty path
EntryMap complete_entries(const Input& input);

/// @param path  of the key
/// @param what  "an FCIDUMP file"
/// @throws InputError  there is no such file, or it is a folder
void check_readable(const EntryReader& reader, std::string_view path, const std::filesystem::path& file,
                    std::string_view what);

/// Results must not replace what they were made from, nor each other.
/// @throws InputError
void check_output_files(const EntryMap& entries, const CiConfig& config, const std::string& source_name);

}  // namespace cisolve::detail

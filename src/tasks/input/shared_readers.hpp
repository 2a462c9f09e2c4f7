// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "cisolve/problem/resources.hpp"
#include "tasks/input/entry_reader.hpp"

// Readers of what the inputs of all kinds of calculation have.

namespace cisolve::detail {

/// run.device.
DeviceChoice read_device(const EntryReader& reader);

/// run.gpus: 0 for "auto".
int read_gpus(const EntryReader& reader);

/// run.memory: bytes; 0 for "auto".
std::int64_t read_memory(const EntryReader& reader);

/// A path that is given relative to the input file, relative to the working directory.
std::string from_input_file(const std::string& source_name, const std::string& given);

/// Refuses a file that is absent, or a folder.
/// @param path  of the key
/// @param what  "an FCIDUMP file"
void check_readable(const EntryReader& reader, std::string_view path, const std::filesystem::path& file,
                    std::string_view what);

/// Whether two paths lead to one file.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// A file that a calculation is made from.
struct SourceFile {
  std::filesystem::path file;
  std::string what;  ///< "the input file"
};

/// Refuses a result that would replace what it is made from, or whose name is too long.
/// @param path  of the key
void check_output(const EntryReader& reader, std::string_view path, const std::filesystem::path& file,
                  std::span<const SourceFile> sources);

}  // namespace cisolve::detail

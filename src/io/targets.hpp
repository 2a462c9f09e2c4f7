// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace cisolve::io {

/// Bytes of a file's name that its temporary and its lock take over: names have at most 255.
inline constexpr std::size_t longest_name = 160;

/// Follows a symbolic link, which rename would replace, and refuses what rename would destroy.
/// @throws SystemError
std::filesystem::path resolve_target(const std::filesystem::path& target);

/// "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Of this machine, as a part of a file's name.
std::string host_name();

/// @throws SystemError  "cannot write TARGET: what the error number means"
[[noreturn]] void fail_to_write(const std::filesystem::path& target, int error);

}  // namespace cisolve::io

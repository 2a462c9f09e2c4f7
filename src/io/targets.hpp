// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace cisolve::io {

/// The name of a file as a part of the names of its temporary, its lock and its predecessor. Names have at most 255 bytes: of a
/// longer one its beginning and a hash of all of it.
std::string short_name(const std::filesystem::path& file);

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

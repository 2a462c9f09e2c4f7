// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace cisolve::detail {

/// All of a text file that the user named.
/// @param what        that it should be: "an .xyz file"
/// @param most_bytes  bytes; more are refused, so that /dev/zero and the like end, too
/// @throws InputError if it is absent, a folder or larger than that, SystemError if it cannot be read
std::string read_text_file(const std::filesystem::path& file, std::string_view what, std::size_t most_bytes);

}  // namespace cisolve::detail

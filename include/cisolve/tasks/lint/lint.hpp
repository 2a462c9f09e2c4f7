// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>

namespace cisolve {

/// Says what an FCIDUMP file is, what is odd about it, and what a job with nothing but this file would calculate.
/// @return  whether a job takes it; if not, why is said
/// @throws SystemError  it cannot be read
bool lint_fcidump(const std::filesystem::path& file, std::ostream& report);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace cisolve {

/// The folder of the basis sets: of the environment variable CISOLVE_DATA if it is set, else the one installed
/// beside the program, else the one of the source tree that it was built from.
std::filesystem::path basis_set_folder();

}  // namespace cisolve

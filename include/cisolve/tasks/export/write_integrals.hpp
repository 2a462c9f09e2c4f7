// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <iosfwd>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/run/run_control.hpp"

namespace cisolve {

/// Writes the active integrals of a calculation as an FCIDUMP file in Molpro's convention, frozen orbitals folded
/// in, and stops. ISYM is the irrep of the first reference.
/// @throws InputError, ResourceError, SystemError, Interrupted  as run_ci
void write_integrals(const CiConfig& config, const std::filesystem::path& file, const RunControl& control,
                     std::ostream& report);

}  // namespace cisolve

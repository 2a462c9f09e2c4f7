// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// The integrals over the active orbitals of a result: those that its file holds, or read once more from the FCIDUMP
/// file that its input named, if that is what it was.
/// @param file  of the result, for messages
/// @throws InputError  they cannot be had from there
std::shared_ptr<const Integrals> integrals_of(const CiResult& result, const std::filesystem::path& file);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/molecule_config.hpp"
#include "tasks/ci_config_values.hpp"

namespace cisolve::detail {

/// [molecule] of an input whose kinds and ranges have been checked; paths are relative to the working directory.
/// Reads geometry and basis and finds the symmetry.
/// @throws InputError  begins with file and line
MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name);

/// Files of [molecule]: results must not overwrite them.
std::vector<std::filesystem::path> molecule_files(const EntryMap& entries);

}  // namespace cisolve::detail

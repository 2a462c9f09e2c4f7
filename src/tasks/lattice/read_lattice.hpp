// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/tasks/lattice/lattice_config.hpp"
#include "tasks/input/entry_reader.hpp"

namespace cisolve::detail {

/// Reads [lattice].
/// @param exact  whether states are found by diagonalisation, which holds up to 64 sites
/// @throws InputError  beginning with file and line
LatticeConfig read_lattice(const EntryMap& entries, const std::string& source_name, bool exact);

}  // namespace cisolve::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/tasks/ci/config/molecule_config.hpp"
#include "tasks/ci/config/values.hpp"

namespace cisolve::detail {

/// [molecule] of an input whose kinds and ranges have been checked; paths are relative to the working directory.
/// Reads geometry and basis and finds the symmetry.
/// @throws InputError  begins with file and line
MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name);

/// The geometry of [molecule], as given.
/// @throws InputError  begins with file and line
Geometry read_geometry(const EntryMap& entries, const std::string& source_name);

/// Of [molecule].
LengthUnit length_unit(const EntryMap& entries);

/// The same molecule at several geometries, with one point group and axes named alike (find_common_symmetry).
/// @param names  of the geometries, for messages
/// @throws InputError  begins with file and line
std::vector<MoleculeConfig> read_molecules(const EntryMap& entries, const std::string& source_name,
                                           std::span<const Geometry> geometries,
                                           std::span<const std::string> names);

}  // namespace cisolve::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/input/entry_reader.hpp"

// What reads a calculation from its input, of which kinds and ranges have been checked. All throw InputErrors, which
// begin with file and line.

namespace cisolve::detail {

/// Refuses an input without integrals, or with two sources of them.
void require_source(const Input& input);

/// All entries with their defaults, also those that depend on the name of the input file; paths of what is read
/// become relative to the working directory, and scan.files a list. Refuses an input without integrals.
EntryMap complete_entries(const Input& input);

/// Fills in all but where the integrals come from, which must be there already.
void read_job(const EntryMap& entries, const Input& input, CiConfig& config);

/// Reads [orbitals].
void read_orbitals(const EntryMap& entries, CiConfig& config);

/// Reads output.also; needs the rest of [output].
void read_also(const EntryMap& entries, CiConfig& config);

/// Reads [space].
void read_space(const EntryReader& reader, CiConfig& config);

/// Reads [states]; needs the basis and the point group.
void read_states(const EntryReader& reader, CiConfig& config);

/// Reads what [orbitals] says of an optimisation; needs all that says what is solved.
void read_optimisation(const EntryMap& entries, CiConfig& config);

/// Reads [selection]; needs all that says what is solved.
void read_selection(const EntryMap& entries, CiConfig& config);

/// With [selection] the space begins with the references, completion for spin is for spins that are asked for, and the list
/// ends somewhere: the defaults of these keys.
void settle_selection(EntryMap& entries);

/// With [lattice] the space is that of full CI out of the lowest determinant: the defaults of these keys.
/// @throws InputError  a key of [space] is given with t-J, which has a space of its own
void settle_lattice(EntryMap& entries);

/// Refuses what the input asks for and a lattice does not have; needs all the rest.
void require_lattice_keys(const EntryMap& entries, const CiConfig& config);

/// Of a lattice: the irreps, where none are given, and the space of t-J; needs all the rest.
void settle_lattice_space(CiConfig& config);

/// Entries that a calculation as TOML has: without [space] where that is not for the input to say.
EntryMap shown_entries(const EntryMap& entries);

/// Of UHF: refuses what the input asks for and orbitals that differ from spin to spin do not allow, and leaves the space
/// without completion for spin; needs all the rest.
void settle_unrestricted(const EntryMap& entries, CiConfig& config);

/// Reads [molecule]: geometry and basis, and finds the symmetry.
MoleculeConfig read_molecule(const EntryMap& entries, const std::string& source_name);

/// The geometry of [molecule], as given.
Geometry read_geometry(const EntryMap& entries, const std::string& source_name);

/// Unit of the coordinates of [molecule].
LengthUnit length_unit(const EntryReader& reader);

/// The same molecule at several geometries, with one point group and axes named alike (find_common_symmetry).
/// @param names  of the geometries, for messages
std::vector<MoleculeConfig> read_molecules(const EntryMap& entries, const std::string& source_name,
                                           std::span<const Geometry> geometries,
                                           std::span<const std::string> names);

/// Results must not replace what they were made from, nor each other.
void check_output_files(const EntryMap& entries, const CiConfig& config, const std::string& source_name);

}  // namespace cisolve::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "cisolve/core/number_text.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"

namespace cisolve {

/// A molecule as the input has it, for result and report; the SCF is not in it yet.
CiResult::Molecule describe_molecule(const MoleculeConfig& config);

/// Adds to a molecule what its SCF found.
void add_scf(const ScfResult& scf, const MoleculeConfig& config, CiResult::Molecule& molecule);

// The printed report. A run prints the parts one by one as it gets there, `cisolve show` all of them
// from the file: same functions, same text. At most 80 columns; energies in hartree unless a unit
// is given.

/// Prints program, version, time of the run (UTC, may be empty), device, title.
void print_header(std::ostream& out, std::string_view version, std::string_view created,
                  std::string_view device, std::string_view title);

/// Prints geometry, basis and symmetry.
void print_molecule(std::ostream& out, const CiResult::Molecule& molecule);
void print_scf_heading(std::ostream& out);
void print_scf_iteration(std::ostream& out, const ScfIteration& iteration);

/// Prints energy, occupation and orbitals of an SCF.
/// @param all_orbitals  not only the occupied and the lowest empty ones
void print_scf(std::ostream& out, const CiResult::Molecule& molecule, double energy,
               bool all_orbitals = false);

/// Prints natural occupations that are neither 0 nor 2, and of a molecule's roots dipoles, charges, and transitions from
/// the lowest root of each multiplicity, of roots that have them.
void print_properties(std::ostream& out, const CiResult& result);

/// Prints cluster, model and electrons of a lattice.
void print_lattice(std::ostream& out, const LatticeDescription& lattice);

/// Prints energies of the terms of a lattice's Hamiltonian, correlations and structure factors of all roots.
void print_lattice_states(std::ostream& out, const CiResult& result);

/// Prints electrons and orbitals.
/// @param optimised  the orbitals are optimised for the CI: energies that depend on them come with what was found
void print_system(std::ostream& out, const CiResult& result, bool optimised = false);

/// "irrep A1, multiplicity 3", "all irreps": as checkpoints name their sectors.
std::string sector_name(const CiResult::Sector& sector, const CiResult::System& system);

/// Prints the heading of one of several sectors: "Sector 2 of 3: irrep A1, multiplicity 3".
void print_sector_heading(std::ostream& out, int number, int count, std::string_view name);

/// Prints that there is nothing to be solved, in place of what follows the space, or of all of it.
void print_no_states(std::ostream& out, const CiResult::Space& space);

/// Prints dimensions and what a space is made of.
/// @param out     the report
/// @param space   of the states
/// @param system  for the names of irreps
void print_space(std::ostream& out, const CiResult::Space& space, const CiResult::System& system);
void print_hamiltonian(std::ostream& out, const CiResult::Hamiltonian& hamiltonian);

/// @param unit  of the energies
void print_iteration_heading(std::ostream& out, std::string_view start, std::string_view unit = "hartree");

/// Prints the last iteration of a history, and before it what it is for, where that is another thing than what the one
/// before was for.
void print_iteration(std::ostream& out, std::span<const IterationRecord> history);

/// Prints what the search for missed roots has found, if there was one.
void print_iterations_end(std::ostream& out, std::span<const IterationRecord> history);

/// Whether anyone looked for roots that were missed, and how far that came, in a clause.
std::string missed_roots_clause(const CiResult& result);

/// Prints how the solver ended, and the table of roots with their leading configurations.
void print_roots(std::ostream& out, const CiResult& result);
void print_warnings(std::ostream& out, std::span<const std::string> warnings);

/// Prints what must be read before any number; nothing where nothing failed.
void print_failed_certificates(std::ostream& out, std::span<const std::string> failures);
void print_timing(std::ostream& out, const CiResult::Timing& timing);

/// Prints what stands below the iterations: roots, properties, warnings, times.
void print_findings(std::ostream& out, const CiResult& result);

/// Prints what stands between the header and the roots: molecule, system, space, Hamiltonian.
/// @param verbose  as -v: all orbitals
void print_setting(std::ostream& out, const CiResult& result, bool verbose = false);

/// Where a result was calculated; empty where nothing was.
std::string device_of(const CiResult& result);

/// Prints a whole report: header, setting, findings.
/// @param verbose  as -v: all orbitals
void print_report(std::ostream& out, const CiResult& result, bool verbose = false);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>

#include "cisolve/molecule/scf.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/ci/config/molecule_config.hpp"

namespace cisolve {

/// A molecule as the input has it, for result and report; the SCF is not in it yet.
CiResult::Molecule describe_molecule(const MoleculeConfig& config);

/// Adds to a molecule what its SCF found.
void add_scf(const ScfResult& scf, const std::vector<ScfIteration>& history, const MoleculeConfig& config,
             CiResult::Molecule& molecule);

// Parts of the report, as in report.hpp.

/// Prints geometry, basis and symmetry.
void print_molecule(std::ostream& out, const CiResult::Molecule& molecule);
void print_scf_heading(std::ostream& out);
void print_scf_iteration(std::ostream& out, const ScfIteration& iteration);

/// Prints energy, occupation and orbitals of an SCF.
void print_scf(std::ostream& out, const CiResult::Molecule& molecule, double energy);

/// Prints dipoles, transitions from the first root, natural occupations that are neither 0 nor 2, and charges, of a
/// molecule's roots that have them.
void print_properties(std::ostream& out, const CiResult& result);

}  // namespace cisolve

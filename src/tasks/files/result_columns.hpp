// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "tasks/files/column_io.hpp"

// Attributes and arrays of the groups of a result file; the values of roots are declared in root.hpp.
namespace cisolve {

std::span<const Column<CiResult::Molecule>> molecule_columns();
std::span<const ArrayColumn<CiResult::Molecule>> molecule_arrays();
std::span<const Column<CiResult::Orbitals>> orbitals_columns();
std::span<const ArrayColumn<CiResult::Orbitals>> orbitals_arrays();
std::span<const ArrayColumn<CiResult::Orbitals>> orbitals_history();
std::span<const Column<CiResult::System>> system_columns();
std::span<const ArrayColumn<CiResult::System>> system_arrays();
std::span<const Column<LatticeDescription>> lattice_columns();
std::span<const ArrayColumn<LatticeDescription>> lattice_arrays();
std::span<const Column<CiResult::Sector>> sector_columns();
std::span<const Column<CiResult::Space>> space_columns();
std::span<const Column<CiResult::Selection>> selection_columns();
std::span<const ArrayColumn<CiResult::Selection>> selection_arrays();
std::span<const Column<CiResult::Hamiltonian>> hamiltonian_columns();
std::span<const Column<CiResult::Solver>> solver_columns();
std::span<const Column<CiResult::Timing>> timing_columns();

}  // namespace cisolve

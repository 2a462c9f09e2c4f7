// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// Whether a file holds determinants of another program: its name ends in .trexio, or in .txt.
bool holds_determinants(const std::filesystem::path& file);

/// A wavefunction of another program, as if it were a result: one root over the active orbitals, normalised, with its
/// <S^2>. Of a file over all orbitals, determinants count whose other orbitals are doubly occupied or empty as in the first
/// that has the electrons of the job in its active ones; their signs are those of creators over all orbitals in ascending
/// order, alpha before beta.
/// @param file           .trexio, or determinants as text as `cisolve export` writes them
/// @param active         of the job
/// @param num_electrons  active
/// @param name           begins messages
/// @throws InputError   absent or refused, other numbers of orbitals or electrons, or no determinant is left
/// @throws SystemError  cannot be read
CiResult read_determinants(const std::filesystem::path& file, const ActiveIntegrals& active,
                           int num_electrons, const std::string& name);

}  // namespace cisolve

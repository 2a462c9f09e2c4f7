// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/molden.hpp"

namespace cisolve {

/// Reads orbitals from a TREXIO file of any program, whatever the order and the factors of its Gaussian functions. Where it
/// has no energies or occupations, they are 0; symmetries are left out.
/// @throws InputError   absent or refused: other functions than Gaussians, complex, unrestricted
/// @throws SystemError  cannot be read
MoldenOrbitals read_trexio_orbitals(const std::filesystem::path& file);

/// Reads integrals over molecular orbitals from a TREXIO file: mo_1e_int.core_hamiltonian and mo_2e_int.eri, of which one
/// of the permutations or all may be there. What FcidumpFile says of a header is in `electron`, the core energy in
/// nucleus.repulsion. Orbitals have the irreps that mo.symmetry names, in the group of the options or of nucleus.point_group;
/// labels that the integrals contradict are dropped with a warning.
/// @throws InputError     absent or refused; permutations that contradict each other
/// @throws ResourceError  if the integrals exceed `options.max_bytes`
/// @throws SystemError    cannot be read
FcidumpFile read_trexio_integrals(const std::filesystem::path& file, const FcidumpOptions& options = {});

/// Reads integrals from a TREXIO file if the name says so, else from an FCIDUMP file.
/// @throws as read_trexio_integrals and read_fcidump
FcidumpFile read_integral_file(const std::filesystem::path& file, const FcidumpOptions& options = {});

/// Determinants of a TREXIO file and their coefficients.
struct TrexioDeterminants {
  int num_orbitals = 0;
  int words = 0;                           ///< 64 orbitals each, of a string
  std::vector<std::uint64_t> alpha, beta;  ///< [determinants * words], lowest orbital in the lowest bit
  std::vector<double> coefficients;  ///< for creators of alpha electrons before those of beta ones, ascending
};

/// @throws InputError   absent or refused, or it has no determinants
/// @throws SystemError  cannot be read
TrexioDeterminants read_trexio_determinants(const std::filesystem::path& file);

}  // namespace cisolve

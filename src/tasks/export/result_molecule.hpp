// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"
#include "cisolve/molecule/molden.hpp"
#include "cisolve/tasks/ci/ci_result.hpp"

namespace cisolve {

/// The molecule of a result, made again from what the file says.
struct ResultMolecule {
  Geometry geometry;  ///< in the frame of the calculation, bohr
  GaussianBasis basis;
  std::vector<int> core;      ///< zero-based SCF orbitals that are frozen
  std::vector<int> active;    ///< those that states are expanded over, ascending
  std::vector<int> virtuals;  ///< the others
};

/// @param file     of the result, for messages
/// @param purpose  what needs it: "Molden files"
/// @throws InputError  the result is of an FCIDUMP file, lacks its basis set, or is damaged
ResultMolecule molecule_of(const CiResult& result, const std::filesystem::path& file,
                           std::string_view purpose);

/// The SCF orbitals of a result.
/// @throws InputError  as molecule_of
MoldenOrbitals orbitals_of(const CiResult& result, const std::filesystem::path& file);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/scf.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {

/// What [molecule] asks for: geometry and basis read, symmetry found, electrons checked.
struct MoleculeConfig {
  SymmetryFrame frame;
  GaussianBasis basis;
  std::string basis_name;
  FunctionType functions = FunctionType::spherical;
  int charge = 0;
  int multiplicity = 1;
  int num_electrons = 0;
  std::optional<std::vector<int>> doubly_occupied, singly_occupied;  ///< per irrep
  double scf_tolerance = 1e-10;                                      ///< hartree
  int scf_max_iterations = 100;
  double level_shift = 0.0;  ///< hartree
  bool stability = true;
  std::shared_ptr<const ScfOrbitals> guess = {};  ///< of another geometry; null: superposed atomic densities
};

}  // namespace cisolve

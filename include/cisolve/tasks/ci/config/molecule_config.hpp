// SPDX-License-Identifier: MIT
#pragma once

#include <string>

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
  ScfConfig scf;
};

}  // namespace cisolve

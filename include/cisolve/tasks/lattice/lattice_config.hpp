// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/lattice/lattice_model.hpp"

namespace cisolve {

/// Functions that electrons of an exact calculation are in.
enum class LatticeOrbitalChoice { band, site };

/// What [lattice] asks for: the model made, electrons counted.
struct LatticeConfig {
  std::string kind;  ///< as in the input: "chain", "square", "tilted", "vectors", "bonds"
  LatticeModel model;
  int electrons = 0;
  LatticeOrbitalChoice orbitals = LatticeOrbitalChoice::site;  ///< t-J: sites
  bool correlations = true;
  std::vector<std::string> warnings = {};  ///< of what the model is
};

}  // namespace cisolve

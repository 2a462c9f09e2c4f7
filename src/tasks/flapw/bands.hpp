// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "cisolve/tasks/flapw/flapw_result.hpp"

namespace cisolve {

/// Eigenvalues along the k-points of a result.
struct Bands {
  std::vector<double>
      x;           ///< length of the path to each k-point, 1/bohr; or its number where there is no lattice
  int states = 0;  ///< most that a k-point has
  std::vector<double> energies;     ///< rows of `states`, hartree, padded with NaN
  std::vector<std::string> labels;  ///< one per k-point; empty between corners
};

/// Empty where no point has eigenvalues.
Bands bands_of(const FlapwResult& result);

}  // namespace cisolve

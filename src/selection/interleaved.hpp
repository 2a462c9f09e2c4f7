// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/selection/externals.hpp"

namespace cisolve {

/// The coefficients of a determinant side by side, [determinants * roots].
/// @throws DimensionError  there is not one coefficient per determinant and wavefunction
inline std::vector<double> interleaved(const Wavefunctions& wavefunctions, std::int64_t determinants) {
  const std::size_t roots = wavefunctions.energies.size(), n = determinants;
  if (roots == 0 || wavefunctions.vectors.size() != n * roots)
    throw DimensionError("externals: one coefficient per determinant and wavefunction is needed");
  std::vector<double> all(n * roots);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < roots; ++k) all[i * roots + k] = wavefunctions.vectors[k * n + i];
  }
  return all;
}

}  // namespace cisolve

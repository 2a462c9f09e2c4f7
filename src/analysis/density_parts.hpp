// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/analysis/density_matrix.hpp"

namespace cisolve {

/// Sum of part(k, parts), 0 <= k < parts, in parallel: as many parts whatever the number of threads, summed in their
/// order.
template <class Part>
DensityMatrices sum_of_parts(int num_vectors, int num_orbitals, const Part& part) {
  constexpr std::int64_t num_parts = 64;
  std::vector<DensityMatrices> parts(num_parts, DensityMatrices(0, 0));
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < num_parts; ++k) parts[k] = part(k, num_parts);
  DensityMatrices total(num_vectors, num_orbitals);
  for (const DensityMatrices& one : parts) {
    for (int l = 0; l < num_vectors; ++l) {
      for (int k = 0; k <= l; ++k) {
        for (int q = 0; q < num_orbitals; ++q) {
          for (int p = 0; p < num_orbitals; ++p) total(k, l)(p, q) += one(k, l)(p, q);
        }
      }
    }
  }
  return total;
}

}  // namespace cisolve

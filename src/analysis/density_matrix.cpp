// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_matrix.hpp"

#include "analysis/density_parts.hpp"

namespace cisolve {

DensityMatrices::DensityMatrices(int num_vectors, int num_orbitals)
    : num_vectors_(num_vectors), matrices_(at(0, num_vectors), Matrix(num_orbitals, num_orbitals)) {}

DensityMatrices::DensityMatrices(const SpinDensities& of_spins)
    : num_vectors_(of_spins.num_kets()), matrices_(at(0, num_vectors_)) {
  for (int l = 0; l < num_vectors_; ++l) {
    for (int k = 0; k <= l; ++k) {
      (*this)(k, l) = of_spins(k, l).alpha;
      add_to((*this)(k, l), of_spins(k, l).beta);
    }
  }
}

template <int Words>
DensityMatrices density_matrices(const Space<Words>& space, std::span<const int> irreps,
                                 std::span<const double> vectors, int num_vectors) {
  const VectorsOver<Words> all{space, vectors, num_vectors};
  return DensityMatrices(spin_densities(all, all, irreps));
}

#define INSTANTIATE(W)                                                                                      \
  template DensityMatrices density_matrices(const Space<W>&, std::span<const int>, std::span<const double>, \
                                            int);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

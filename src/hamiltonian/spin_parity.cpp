// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"

namespace cisolve {

template <int Words>
Matrix dense_block(const Integrals& integrals, const Space<Words>& space, std::span<const std::int64_t> rows,
                   SpinParity parity, double shift) {
  if (parity == SpinParity::none) return dense_block(integrals, space, rows);
  const auto sign = static_cast<double>(parity);
  const auto n = static_cast<int>(rows.size());
  std::vector<Determinant<Words>> determinants;
  for (const std::int64_t row : rows) determinants.push_back(space.determinant(row));
  Matrix block(n, n);
#pragma omp parallel for schedule(dynamic)
  for (int j = 0; j < n; ++j) {
    const Determinant<Words>& ket = determinants[j];
    const Determinant<Words> mirrored{ket.beta, ket.alpha};
    for (int i = 0; i <= j; ++i) {
      const Determinant<Words>& bra = determinants[i];
      // H and the exchange commute, so P H P = (H + sign H T) / 2.
      const double coupling =
          matrix_element(integrals, bra, ket) + sign * matrix_element(integrals, bra, mirrored);
      const double outside = (bra == ket ? 1.0 : 0.0) - (bra == mirrored ? sign : 0.0);
      block(i, j) = block(j, i) = 0.5 * (coupling + shift * outside);
    }
  }
  return block;
}

std::int64_t parity_dimension(const StringProduct& space, SpinParity parity) {
  const BlockStructure blocks(space);
  if (!blocks.symmetric) return 0;
  std::int64_t own_mirrors = 0;
  for (int c = 0; c < blocks.alpha.count(); ++c) {
    if (blocks.is_allowed(c, c)) own_mirrors += blocks.alpha.size(c);
  }
  return (space.size() + static_cast<int>(parity) * own_mirrors) / 2;
}

#define INSTANTIATE(W)                                                                                      \
  template Matrix dense_block(const Integrals&, const Space<W>&, std::span<const std::int64_t>, SpinParity, \
                              double);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

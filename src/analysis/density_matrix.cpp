// SPDX-License-Identifier: MIT
#include "cisolve/analysis/density_matrix.hpp"

#include <algorithm>
#include <vector>

#include "analysis/density_parts.hpp"
#include "analysis/string_density.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t chunk = 4096;  // determinants listed at a time

/// Adds what a range of kets contributes.
template <int Words>
class Accumulator {
public:
  Accumulator(const Space<Words>& space, std::span<const int> irreps, std::span<const double> vectors,
              int num_vectors)
      : space_(space), irreps_(irreps), vectors_(vectors), sums_(num_vectors, space.num_orbitals()) {}

  void add(std::int64_t first, std::int64_t last) {
    std::vector<Determinant<Words>> kets;
    for (; first < last; first += chunk) {
      kets.resize(std::min(chunk, last - first));
      space_.enumerate(first, kets);
      for (std::size_t i = 0; i < kets.size(); ++i) add_ket(kets[i], first + static_cast<std::int64_t>(i));
    }
  }

  const DensityMatrices& sums() const { return sums_; }

private:
  double coefficient(int k, std::int64_t row) const {
    return vectors_[static_cast<std::size_t>(k) * static_cast<std::size_t>(space_.size()) +
                    static_cast<std::size_t>(row)];
  }

  void add_element(int p, int q, std::int64_t bra, std::int64_t ket, double sign) {
    for (int l = 0; l < sums_.num_vectors(); ++l) {
      const double factor = sign * coefficient(l, ket);
      for (int k = 0; k <= l; ++k) sums_(k, l)(p, q) += factor * coefficient(k, bra);
    }
  }

  void add_ket(const Determinant<Words>& ket, std::int64_t row) {
    ket.alpha.for_each([&](int q) { add_excitations(ket, row, &Determinant<Words>::alpha, q); });
    ket.beta.for_each([&](int q) { add_excitations(ket, row, &Determinant<Words>::beta, q); });
  }

  /// Every a+_p a_q of one spin, q occupied.
  void add_excitations(const Determinant<Words>& ket, std::int64_t row,
                       BitString<Words> Determinant<Words>::*spin, int q) {
    const BitString<Words>& string = ket.*spin;
    const bool one_irrep = space_.irrep() != any_irrep;
    add_element(q, q, row, row, 1.0);
    for (int p = 0; p < space_.num_orbitals(); ++p) {
      if (string.test(p)) continue;
      if (one_irrep && irreps_[p] != irreps_[q]) continue;
      Determinant<Words> bra = ket;
      bra.*spin = string.moved(q, p);
      const std::int64_t found = space_.find(bra);
      if (found < 0) continue;
      add_element(p, q, found, row, string.count_between(p, q) % 2 == 0 ? 1.0 : -1.0);
    }
  }

  const Space<Words>& space_;
  std::span<const int> irreps_;
  std::span<const double> vectors_;
  DensityMatrices sums_;
};

}  // namespace

DensityMatrices::DensityMatrices(int num_vectors, int num_orbitals)
    : num_vectors_(num_vectors), matrices_(at(0, num_vectors), Matrix(num_orbitals, num_orbitals)) {}

template <int Words>
DensityMatrices density_matrices(const Space<Words>& space, std::span<const int> irreps,
                                 std::span<const double> vectors, int num_vectors) {
  if (std::ssize(vectors) != space.size() * num_vectors || std::ssize(irreps) != space.num_orbitals()) {
    throw DimensionError("density_matrices: vectors or irreps do not fit the space");
  }
  if (const auto* product = space.as_product())
    return string_density_matrices(*product, vectors, num_vectors);
  return sum_of_parts(num_vectors, space.num_orbitals(), [&](std::int64_t part, std::int64_t num_parts) {
    Accumulator<Words> sum(space, irreps, vectors, num_vectors);
    sum.add(space.size() * part / num_parts, space.size() * (part + 1) / num_parts);
    return sum.sums();
  });
}

#define INSTANTIATE(W)                                                                                      \
  template DensityMatrices density_matrices(const Space<W>&, std::span<const int>, std::span<const double>, \
                                            int);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

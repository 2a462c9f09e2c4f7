// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/slater_condon.hpp"

#include <algorithm>

#include "cisolve/core/parallel.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

template <int Words>
double diagonal_element(const Integrals& v, const Determinant<Words>& d) {
  double energy = v.core_energy;
  const auto one_spin = [&](Spin spin, const BitString<Words>& s) {
    s.for_each([&](int p) {
      energy += v.h(spin, p, p);
      s.for_each([&](int q) {
        if (q < p) energy += v.eri(spin, p, p, q, q) - v.eri(spin, p, q, q, p);
      });
    });
  };
  one_spin(Spin::alpha, d.alpha);
  one_spin(Spin::beta, d.beta);
  d.alpha.for_each(
      [&](int p) { d.beta.for_each([&](int q) { energy += v.mixed(Spin::alpha, p, p, q, q); }); });
  return energy;
}

/// `spin` is that in which the orbital changes.
template <int Words>
double single_element(const Integrals& v, Spin spin, const BitString<Words>& same_bra,
                      const BitString<Words>& same_ket, const BitString<Words>& other) {
  const int hole = OrbitalList::occupied(same_ket & ~same_bra)[0];
  const int particle = OrbitalList::occupied(same_bra & ~same_ket)[0];
  double value = v.h(spin, hole, particle);
  same_ket.for_each(
      [&](int r) { value += v.eri(spin, hole, particle, r, r) - v.eri(spin, hole, r, r, particle); });
  other.for_each([&](int r) { value += v.mixed(spin, hole, particle, r, r); });
  return is_negative(same_ket, hole, particle) ? -value : value;
}

template <int Words>
double same_spin_double(const Integrals& v, Spin spin, const BitString<Words>& bra,
                        const BitString<Words>& ket) {
  const OrbitalList holes = OrbitalList::occupied(ket & ~bra);
  const OrbitalList particles = OrbitalList::occupied(bra & ~ket);
  const int h1 = holes[0], h2 = holes[1], p1 = particles[0], p2 = particles[1];
  const bool negative = is_negative(ket, h1, p1) != is_negative(ket.moved(h1, p1), h2, p2);
  const double value = v.eri(spin, p1, h1, p2, h2) - v.eri(spin, p1, h2, p2, h1);
  return negative ? -value : value;
}

template <int Words>
double opposite_spin_double(const Integrals& v, const Determinant<Words>& bra,
                            const Determinant<Words>& ket) {
  const int ha = OrbitalList::occupied(ket.alpha & ~bra.alpha)[0];
  const int pa = OrbitalList::occupied(bra.alpha & ~ket.alpha)[0];
  const int hb = OrbitalList::occupied(ket.beta & ~bra.beta)[0];
  const int pb = OrbitalList::occupied(bra.beta & ~ket.beta)[0];
  const double value = v.mixed(Spin::alpha, pa, ha, pb, hb);
  return is_negative(ket.alpha, ha, pa) != is_negative(ket.beta, hb, pb) ? -value : value;
}

}  // namespace

template <int Words>
double matrix_element(const Integrals& integrals, const Determinant<Words>& bra,
                      const Determinant<Words>& ket) {
  const int alpha = (bra.alpha & ~ket.alpha).count();
  const int beta = (bra.beta & ~ket.beta).count();
  if (alpha + beta == 0) return diagonal_element(integrals, bra);
  if (alpha == 1 && beta == 0) return single_element(integrals, Spin::alpha, bra.alpha, ket.alpha, bra.beta);
  if (alpha == 0 && beta == 1) return single_element(integrals, Spin::beta, bra.beta, ket.beta, bra.alpha);
  if (alpha == 2 && beta == 0) return same_spin_double(integrals, Spin::alpha, bra.alpha, ket.alpha);
  if (alpha == 0 && beta == 2) return same_spin_double(integrals, Spin::beta, bra.beta, ket.beta);
  if (alpha == 1 && beta == 1) return opposite_spin_double(integrals, bra, ket);
  return 0.0;
}

template <int Words>
Matrix dense_block(const Integrals& integrals, const Space<Words>& space,
                   std::span<const std::int64_t> rows) {
  std::vector<Determinant<Words>> determinants;
  for (const std::int64_t row : rows) determinants.push_back(space.determinant(row));
  const int n = static_cast<int>(rows.size());
  Matrix block(n, n);
  parallel_for(n, 1, [&](std::int64_t column) {
    const int j = static_cast<int>(column);
    for (int i = 0; i <= j; ++i) {
      block(i, j) = block(j, i) = matrix_element(integrals, determinants[i], determinants[j]);
    }
  });
  return block;
}

template <int Words>
std::vector<double> diagonal(const Integrals& integrals, const Space<Words>& space) {
  constexpr std::int64_t chunk = 4096;
  std::vector<double> result(space.size());
  const std::int64_t num_chunks = (space.size() + chunk - 1) / chunk;
  parallel_for(num_chunks, 1, [&](std::int64_t c) {
    const std::int64_t first = c * chunk;
    std::vector<Determinant<Words>> determinants(std::min(chunk, space.size() - first));
    space.enumerate(first, determinants);
    for (std::size_t i = 0; i < determinants.size(); ++i) {
      result[first + i] = diagonal_element(integrals, determinants[i]);
    }
  });
  return result;
}

#define INSTANTIATE(W)                                                                            \
  template double matrix_element(const Integrals&, const Determinant<W>&, const Determinant<W>&); \
  template Matrix dense_block(const Integrals&, const Space<W>&, std::span<const std::int64_t>);  \
  template std::vector<double> diagonal(const Integrals&, const Space<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

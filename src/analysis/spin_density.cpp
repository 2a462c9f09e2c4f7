// SPDX-License-Identifier: MIT
#include "cisolve/analysis/spin_density.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/density_parts.hpp"
#include "analysis/string_density.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t listed_at_once = 4096;  // determinants

/// Bras and kets over any spaces, determinant by determinant.
template <int Words>
struct Listed {
  const VectorsOver<Words>& bras;
  const VectorsOver<Words>& kets;
  std::span<const int> irreps;

  /// Whether a pair of orbitals may join a bra and a ket.
  bool is_allowed(int p, int q) const {
    const int bra = bras.space.irrep(), ket = kets.space.irrep();
    return bra == any_irrep || ket == any_irrep || (irreps[p] ^ irreps[q]) == (bra ^ ket);
  }

  /// Adds sign * <bra row|ket row> of each pair of vectors to what `element` gives of it.
  template <class Sums, class Element>
  void add(Sums& sums, std::int64_t bra, std::int64_t ket, double sign, const Element& element) const {
    for (int l = 0; l < kets.count; ++l) {
      const double factor = sign * kets.vectors[l * kets.space.size() + ket];
      for (int k = 0; k < bras.count; ++k)
        element(sums(k, l)) += factor * bras.vectors[k * bras.space.size() + bra];
    }
  }

  /// Sum of what visit(sums, ket, its row) adds to `zero`, over all kets.
  template <class Sums, class Visit>
  Sums sum(const Sums& zero, const Visit& visit) const {
    const std::int64_t n = kets.space.num_orbitals(), size = kets.space.size();
    const std::int64_t bytes =
        2 * static_cast<std::int64_t>(sizeof(double)) * n * n * bras.count * kets.count;
    return sum_of_parts<Sums>(bytes, [&](std::int64_t part, std::int64_t parts) {
      Sums sums = zero;
      std::vector<Determinant<Words>> found;
      const std::int64_t last = size * (part + 1) / parts;
      for (std::int64_t first = size * part / parts; first < last; first += listed_at_once) {
        found.resize(std::min(listed_at_once, last - first));
        kets.space.enumerate(first, found);
        for (std::size_t i = 0; i < found.size(); ++i)
          visit(sums, found[i], first + static_cast<std::int64_t>(i));
      }
      return sums;
    });
  }
};

/// Adds every a+_p a_q of one spin on a ket.
template <int Words>
void add_excitations(const Listed<Words>& listed, SpinDensities& sums, const Determinant<Words>& ket,
                     std::int64_t row, BitString<Words> Determinant<Words>::*spin,
                     Matrix SpinDensity::*of_spin) {
  const auto add = [&](int p, int q, std::int64_t bra, double sign) {
    listed.add(sums, bra, row, sign,
               [&](SpinDensity& density) -> double& { return (density.*of_spin)(p, q); });
  };
  const BitString<Words>& string = ket.*spin;
  const std::int64_t same = listed.bras.space.find(ket);
  string.for_each([&](int q) {
    if (same >= 0) add(q, q, same, 1.0);
    for (int p = 0; p < listed.kets.space.num_orbitals(); ++p) {
      if (string.test(p) || !listed.is_allowed(p, q)) continue;
      Determinant<Words> bra = ket;
      bra.*spin = string.moved(q, p);
      const std::int64_t found = listed.bras.space.find(bra);
      if (found >= 0) add(p, q, found, string.count_between(p, q) % 2 == 0 ? 1.0 : -1.0);
    }
  });
}

/// Electrons in orbitals before p.
template <int Words>
int count_before(const BitString<Words>& string, int p) {
  return (string & BitString<Words>::lowest(p)).count();
}

/// Adds every a+_p,alpha a_q,beta on a ket.
template <int Words>
void add_flips(const Listed<Words>& listed, SpinFlipDensities& sums, const Determinant<Words>& ket,
               std::int64_t row) {
  const int passed = ket.alpha.count();
  ket.beta.for_each([&](int q) {
    for (int p = 0; p < listed.kets.space.num_orbitals(); ++p) {
      if (ket.alpha.test(p) || !listed.is_allowed(p, q)) continue;
      Determinant<Words> bra = ket;
      bra.beta.reset(q);
      bra.alpha.set(p);
      const std::int64_t found = listed.bras.space.find(bra);
      if (found < 0) continue;
      const int swaps = passed + count_before(ket.beta, q) + count_before(ket.alpha, p);
      listed.add(sums, found, row, swaps % 2 == 0 ? 1.0 : -1.0,
                 [&](Matrix& density) -> double& { return density(p, q); });
    }
  });
}

/// @param flips  spins that are flipped from kets to bras
/// @throws DimensionError
template <int Words>
void require_fitting(const char* caller, const VectorsOver<Words>& bras, const VectorsOver<Words>& kets,
                     std::span<const int> irreps, int flips) {
  const auto fits = [&](const VectorsOver<Words>& v) {
    return std::ssize(v.vectors) == v.space.size() * v.count && v.space.num_orbitals() == std::ssize(irreps);
  };
  if (!fits(bras) || !fits(kets))
    throw DimensionError(std::string(caller) + ": vectors or irreps do not fit the space");
  if (bras.space.size() == 0 || kets.space.size() == 0) return;
  if (bras.space.num_alpha() != kets.space.num_alpha() + flips ||
      bras.space.num_beta() != kets.space.num_beta() - flips)
    throw DimensionError(std::string(caller) +
                         ": bras and kets do not have the electrons of each spin that "
                         "the operator leads to");
}

template <int Words>
StringVectors by_strings(const VectorsOver<Words>& v) {
  return {*v.space.as_product(), v.vectors, v.count};
}

}  // namespace

template <int Words>
SpinDensities spin_densities(const VectorsOver<Words>& bras, const VectorsOver<Words>& kets,
                             std::span<const int> irreps) {
  require_fitting("spin_densities", bras, kets, irreps, 0);
  if (bras.space.as_product() != nullptr && kets.space.as_product() != nullptr)
    return string_spin_densities(by_strings(bras), by_strings(kets));
  const int n = kets.space.num_orbitals();
  const Listed<Words> listed{bras, kets, irreps};
  const SpinDensities zero(bras.count, kets.count, {Matrix(n, n), Matrix(n, n)});
  return listed.sum(zero, [&](SpinDensities& sums, const Determinant<Words>& ket, std::int64_t row) {
    add_excitations(listed, sums, ket, row, &Determinant<Words>::alpha, &SpinDensity::alpha);
    add_excitations(listed, sums, ket, row, &Determinant<Words>::beta, &SpinDensity::beta);
  });
}

template <int Words>
SpinFlipDensities spin_flip_densities(const VectorsOver<Words>& bras, const VectorsOver<Words>& kets,
                                      std::span<const int> irreps) {
  require_fitting("spin_flip_densities", bras, kets, irreps, 1);
  if (bras.space.as_product() != nullptr && kets.space.as_product() != nullptr)
    return string_spin_flip_densities(by_strings(bras), by_strings(kets));
  const int n = kets.space.num_orbitals();
  const Listed<Words> listed{bras, kets, irreps};
  return listed.sum(SpinFlipDensities(bras.count, kets.count, Matrix(n, n)),
                    [&](SpinFlipDensities& sums, const Determinant<Words>& ket, std::int64_t row) {
                      add_flips(listed, sums, ket, row);
                    });
}

#define INSTANTIATE(W)                                                                                       \
  template SpinDensities spin_densities(const VectorsOver<W>&, const VectorsOver<W>&, std::span<const int>); \
  template SpinFlipDensities spin_flip_densities(const VectorsOver<W>&, const VectorsOver<W>&,               \
                                                 std::span<const int>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {

/// One-particle density or transition density matrices of both spins, [orbitals x orbitals] each:
///     D_pq = <bra| a+_p a_q |ket>
struct SpinDensity {
  Matrix alpha, beta;
};

/// Something for each pair of a bra and a ket.
template <class T>
class BraKetPairs {
public:
  BraKetPairs(int num_bras, int num_kets, const T& value)
      : num_bras_(num_bras), num_kets_(num_kets),
        values_(static_cast<std::size_t>(num_bras) * static_cast<std::size_t>(num_kets), value) {}

  int num_bras() const noexcept { return num_bras_; }
  int num_kets() const noexcept { return num_kets_; }

  /// Of bra k and ket l, from 0.
  T& operator()(int k, int l) { return values_[at(k, l)]; }
  const T& operator()(int k, int l) const { return values_[at(k, l)]; }

private:
  std::size_t at(int k, int l) const {
    return static_cast<std::size_t>(l) * static_cast<std::size_t>(num_bras_) + static_cast<std::size_t>(k);
  }

  int num_bras_, num_kets_;
  std::vector<T> values_;
};

using SpinDensities = BraKetPairs<SpinDensity>;
using SpinFlipDensities = BraKetPairs<Matrix>;

/// Real vectors over a space of determinants.
template <int Words>
struct VectorsOver {
  const Space<Words>& space;
  std::span<const double> vectors;  ///< [space.size() x count], column-major
  int count = 1;
};

/// Spin-resolved one-particle transition densities of every bra with every ket, which may be over different spaces of
/// the same orbitals and electrons: of other irreps, excitation levels, references. The sums have a fixed order:
/// results do not depend on the number of threads. Over product spaces they go by strings, else by determinants.
/// @param irreps  zero-based, of the orbitals
/// @throws DimensionError if sizes, orbitals, or electrons of a spin do not agree
/// @see T. Helgaker, P. Jorgensen, J. Olsen, Molecular Electronic-Structure Theory (2000), section 1.7
template <int Words>
SpinDensities spin_densities(const VectorsOver<Words>& bras, const VectorsOver<Words>& kets,
                             std::span<const int> irreps);

/// Spin-flip densities of every bra with every ket,
///     F_pq = <bra| a+_p,alpha a_q,beta |ket>,
/// where the bra has one alpha electron more than the ket and one beta electron less. The phase is that of
/// determinants whose alpha creators all stand before the beta ones: a_q,beta passes the alpha creators of the ket.
/// Other couplings of two multiplicities follow from it by the Wigner-Eckart theorem.
/// @param irreps  zero-based, of the orbitals
/// @throws DimensionError if sizes, orbitals, or electrons of a spin do not agree
template <int Words>
SpinFlipDensities spin_flip_densities(const VectorsOver<Words>& bras, const VectorsOver<Words>& kets,
                                      std::span<const int> irreps);

/// The spin-resolved transition density of one bra and one ket; see spin_densities.
/// @param bra, ket  [size of their space]
/// @throws DimensionError as spin_densities
template <int Words>
SpinDensity spin_density(const Space<Words>& bra_space, std::span<const double> bra,
                         const Space<Words>& ket_space, std::span<const double> ket,
                         std::span<const int> irreps) {
  return spin_densities<Words>({bra_space, bra}, {ket_space, ket}, irreps)(0, 0);
}

/// The spin-flip density of one bra and one ket; see spin_flip_densities.
/// @param bra, ket  [size of their space]
/// @throws DimensionError as spin_flip_densities
template <int Words>
Matrix spin_flip_density(const Space<Words>& bra_space, std::span<const double> bra,
                         const Space<Words>& ket_space, std::span<const double> ket,
                         std::span<const int> irreps) {
  return spin_flip_densities<Words>({bra_space, bra}, {ket_space, ket}, irreps)(0, 0);
}

}  // namespace cisolve

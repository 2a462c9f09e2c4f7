// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cisolve {

/// Position of the pair (p, q), in either order, in a packed lower triangle.
constexpr std::size_t pair_index(std::size_t p, std::size_t q) noexcept {
  return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}

/// Number of pairs p >= q of n things.
constexpr std::size_t num_pairs(std::size_t n) noexcept { return n * (n + 1) / 2; }

/// Real molecular integrals over spatial orbitals (restricted), in hartree. Orbitals count from 0.
///
/// | array | shape | element |
/// |---|---|---|
/// | `one` | [num_pairs(norb)] | h(p, q) at pair_index(p, q) |
/// | `two` | [num_pairs(num_pairs(norb))] | chemists' (pq\|rs) at the pair index of the two pair indices |
/// | `irreps` | [norb] | zero-based labels 0..7 in Molpro order, multiplied by XOR |
struct Integrals {
  /// Sets all integrals to zero, all orbitals totally symmetric.
  /// @throws DimensionError if `num_orbitals` is negative
  explicit Integrals(int num_orbitals);
  Integrals() = default;

  double& h(int p, int q) { return one[pair_index(p, q)]; }
  double h(int p, int q) const { return one[pair_index(p, q)]; }
  double& eri(int p, int q, int r, int s) { return two[eri_index(p, q, r, s)]; }
  double eri(int p, int q, int r, int s) const { return two[eri_index(p, q, r, s)]; }

  static std::size_t eri_index(int p, int q, int r, int s) noexcept {
    return pair_index(pair_index(p, q), pair_index(r, s));
  }

  int num_orbitals = 0;
  double core_energy = 0.0;  ///< nuclear repulsion + energy of frozen orbitals
  std::vector<double> one;
  std::vector<double> two;
  std::vector<int> irreps;
};

/// Checks the shapes of the arrays.
/// @throws DimensionError if an array does not have the shape that `num_orbitals` asks for
void check_shapes(const Integrals& integrals);

/// 64-bit content hash of all arrays and the core energy: the same for the same integrals, whatever
/// order or notation a file had them in.
/// @throws DimensionError as check_shapes
std::uint64_t hash(const Integrals& integrals);

}  // namespace cisolve

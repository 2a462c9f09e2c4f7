// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/matrix.hpp"

namespace cisolve {

/// Position of the pair (p, q), in either order, in a packed lower triangle.
constexpr std::size_t pair_index(std::size_t p, std::size_t q) noexcept {
  return p >= q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p;
}

/// Number of pairs p >= q of n things.
constexpr std::size_t num_pairs(std::size_t n) noexcept { return n * (n + 1) / 2; }

/// What the spins of electrons are called.
enum class Spin : int { alpha = 0, beta = 1 };

constexpr Spin other(Spin spin) noexcept { return spin == Spin::alpha ? Spin::beta : Spin::alpha; }

/// The overlap of alpha with beta orbitals, without which S^2 is not known where they differ:
///     S_- = sum_pq U_pq a+_q,beta a_p,alpha      U_pq = <p alpha|q beta>
/// Over frozen orbitals, too, as S^2 counts all electrons. What they bring to <S^2> besides the active ones is
///     constant + Tr(virtuals D^alpha) - Tr(core D^beta)
/// @see A. Szabo, N. S. Ostlund, Modern Quantum Chemistry, eq. 2.271, for a determinant
struct SpinOverlap {
  Matrix active;          ///< U of the active orbitals, [n x n]
  Matrix core;            ///< sum_i U_iq U_is over alpha core orbitals i, [n x n]
  Matrix virtuals;        ///< sum_v U_pv U_rv over frozen virtual beta orbitals v, [n x n]
  double constant = 0.0;  ///< sum_i (sum_q U_iq^2 + sum_v U_iv^2), q active
  std::string source;     ///< where it is from: "file", "integrals", "basis functions"
};

/// What integrals over beta orbitals of their own bring, in hartree.
///
/// | array | shape | element |
/// |---|---|---|
/// | `one` | [num_pairs(norb)] | h(p, q) over beta orbitals |
/// | `two` | [num_pairs(num_pairs(norb))] | (pq\|rs), all four beta, as Integrals::two |
/// | `mixed` | [num_pairs(norb), num_pairs(norb)] | (pq\|rs), p and q alpha, r and s beta, at (pair pq, pair rs) |
struct BetaIntegrals {
  std::vector<double> one;
  std::vector<double> two;
  std::vector<double> mixed;
  std::optional<SpinOverlap> overlap = {};  ///< where it is known
};

/// Real molecular integrals over spatial orbitals, in hartree. Orbitals count from 0. Both spins have the same orbitals
/// (restricted), or beta electrons have their own, as many and of the same irreps (unrestricted).
///
/// | array | shape | element |
/// |---|---|---|
/// | `one` | [num_pairs(norb)] | h(p, q) at pair_index(p, q) |
/// | `two` | [num_pairs(num_pairs(norb))] | chemists' (pq\|rs) at the pair index of the two pair indices |
/// | `irreps` | [norb] | zero-based labels 0..7 in Molpro order, multiplied by XOR |
struct Integrals {
  /// Sets all integrals to zero, all orbitals totally symmetric; restricted.
  /// @throws DimensionError if `num_orbitals` is negative
  explicit Integrals(int num_orbitals);
  Integrals() = default;

  /// Whether beta electrons have orbitals of their own: what `h` and `eri` say without a spin is then of alpha ones.
  bool is_unrestricted() const noexcept { return beta.has_value(); }

  double& h(int p, int q) { return one[pair_index(p, q)]; }
  double h(int p, int q) const { return one[pair_index(p, q)]; }
  double& eri(int p, int q, int r, int s) { return two[eri_index(p, q, r, s)]; }
  double eri(int p, int q, int r, int s) const { return two[eri_index(p, q, r, s)]; }

  /// h(p, q) of electrons of a spin.
  double h(Spin spin, int p, int q) const { return of_beta(spin) ? beta->one[pair_index(p, q)] : h(p, q); }

  /// (pq|rs) within a spin.
  double eri(Spin spin, int p, int q, int r, int s) const {
    return of_beta(spin) ? beta->two[eri_index(p, q, r, s)] : eri(p, q, r, s);
  }

  /// (pq|rs), p and q of `spin`, r and s of the other.
  double mixed(Spin spin, int p, int q, int r, int s) const {
    if (!beta) return eri(p, q, r, s);
    const std::size_t pq = pair_index(p, q), rs = pair_index(r, s);
    return spin == Spin::alpha ? beta->mixed[pq * one.size() + rs] : beta->mixed[rs * one.size() + pq];
  }

  static std::size_t eri_index(int p, int q, int r, int s) noexcept {
    return pair_index(pair_index(p, q), pair_index(r, s));
  }

  int num_orbitals = 0;      ///< of either spin
  double core_energy = 0.0;  ///< nuclear repulsion + energy of frozen orbitals
  std::vector<double> one;
  std::vector<double> two;
  std::vector<int> irreps;
  std::optional<BetaIntegrals> beta = {};  ///< unrestricted

private:
  bool of_beta(Spin spin) const noexcept { return beta && spin == Spin::beta; }
};

/// Gives beta electrons orbitals of their own, for which all integrals are zero.
BetaIntegrals make_beta_integrals(int num_orbitals);

/// Checks the shapes of the arrays.
/// @throws DimensionError if an array does not have the shape that `num_orbitals` asks for
void check_shapes(const Integrals& integrals);

/// 64-bit content hash of all arrays but the overlap, which follows from them or is none of H, and the core energy: the
/// same for the same integrals, whatever order or notation a file had them in.
/// @throws DimensionError as check_shapes
std::uint64_t hash(const Integrals& integrals);

}  // namespace cisolve

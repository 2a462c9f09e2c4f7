// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"

namespace cisolve {

/// Totally symmetric double excitations of the strings of one spin by the pair of their holes, those of the largest
/// elements first, so that a search for large elements ends at the first small one.
///
/// The element between a string s and the one that a move leads to is
///     value x (-1)^(P(h1) + P(h2) + P(p1) + P(p2))      P(q): electrons of s in orbitals below q (BitString::parities)
/// @see A. A. Holmes, N. M. Tubman, C. J. Umrigar, J. Chem. Theory Comput. 12 (2016) 3674,
///      doi:10.1021/acs.jctc.6b00407
class SameSpinMoves {
public:
  struct Move {
    double value;   ///< hartree, see above
    double energy;  ///< hartree: what the excitation adds to the energy of a string beyond the orbitals' own
    std::uint8_t p1, p2;  ///< particles, p1 < p2
  };

  /// @param tables  of the spin that is moved; elements of at most their threshold are left out
  explicit SameSpinMoves(const IntegralTables& tables);

  /// The moves out of orbitals h1 < h2, to any other two orbitals.
  std::span<const Move> operator()(int h1, int h2) const {
    const std::size_t at =
        static_cast<std::size_t>(h2) * static_cast<std::size_t>(h2 - 1) / 2 + static_cast<std::size_t>(h1);
    return {moves_.data() + offsets_[at], moves_.data() + offsets_[at + 1]};
  }

  /// Of all pairs of holes.
  std::int64_t size() const { return std::ssize(moves_); }

  /// All of them, and where those of each pair begin, [n (n - 1) / 2 + 1].
  std::span<const Move> all() const { return moves_; }
  std::span<const std::int64_t> offsets() const { return offsets_; }

private:
  std::vector<std::int64_t> offsets_;  ///< [n (n - 1) / 2 + 1]
  std::vector<Move> moves_;
};

/// Double excitations of an alpha and a beta electron by their holes, those of the largest elements first.
///
/// The element is value x (-1)^(P(h) + P(p) + P'(h') + P'(p')), parities of the strings of the two spins.
class OppositeSpinMoves {
public:
  struct Move {
    double value;  ///< hartree, see above
    std::uint8_t particle, beta_particle;
  };

  /// @param tables  of alpha electrons
  /// @param floor   hartree; moves of at most this magnitude are left out
  OppositeSpinMoves(const IntegralTables& tables, double floor);

  /// The moves out of alpha orbital h and beta orbital h'.
  std::span<const Move> operator()(int hole, int beta_hole) const {
    const std::size_t at = static_cast<std::size_t>(hole) * static_cast<std::size_t>(num_orbitals_) +
                           static_cast<std::size_t>(beta_hole);
    return {moves_.data() + offsets_[at], moves_.data() + offsets_[at + 1]};
  }

private:
  int num_orbitals_;
  std::vector<std::int64_t> offsets_;  ///< [n * n + 1]
  std::vector<Move> moves_;
};

}  // namespace cisolve

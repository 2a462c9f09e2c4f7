// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/space.hpp"

namespace cisolve {

/// Number of strings of so many bits of which so many are set: n! / k! (n - k)!; 0 unless 0 <= k <= n.
/// @param bits  at most 64, with which no number overflows
std::int64_t num_strings(int bits, int ones);

/// The least number above `string` with as many bits set. There must be one of 64 bits, and a bit must be set.
/// @see HAKMEM (MIT AI Memo 239, 1972), item 175
constexpr std::uint64_t next_string(std::uint64_t string) {
  const std::uint64_t lowest = string & -string, carried = string + lowest;
  return carried | (string ^ carried) >> 2 >> std::countr_zero(string);
}

/// Numbers the strings of some bits of which so many are set, ascending from 0:
///     number = sum_i C(p_i, i + 1)      p_0 < p_1 < ... the bits that are set
/// Sums over a few bits at once are tabulated, in so few bytes that they stay in the cache next to a core.
class StringRank {
public:
  /// @throws DimensionError unless there are 0 .. 64 bits, and no less than 0 of them are set
  StringRank(int bits, int ones);

  int bits() const { return bits_; }
  int ones() const { return ones_; }

  /// How many strings there are; 0 if more bits should be set than there are.
  std::int64_t size() const { return size_; }

  /// The first of them.
  std::uint64_t first() const { return ones_ < 64 ? (std::uint64_t{1} << ones_) - 1 : ~std::uint64_t{0}; }

  /// Number of a string, which must be one of them.
  std::int64_t number(std::uint64_t string) const {
    std::size_t piece = string & mask_;
    std::int64_t sum = sums_[piece];
    std::size_t below = 0;
    for (int k = 1; k < pieces_; ++k) {
      below += static_cast<std::size_t>(std::popcount(piece));
      string >>= width_;
      piece = string & mask_;
      sum += sums_[offsets_[k] + (below << width_) + piece];
    }
    return sum;
  }

  /// The string of a number.
  std::uint64_t string(std::int64_t number) const;

private:
  static constexpr int most_pieces = 8;

  int bits_, ones_;
  std::int64_t size_;
  int pieces_ = 1, width_ = 0;  ///< of a piece, bits
  std::uint64_t mask_ = 0;      ///< a piece
  std::array<std::size_t, most_pieces> offsets_{};
  std::vector<std::int64_t> sums_;  ///< of each piece [bits set below it][its bits]
};

/// The order of all determinants in which no orbital holds two electrons, for all who needn't see the words of strings:
/// alpha strings ascend, beside each the beta strings over the orbitals that it leaves free.
///     row = alpha().number(A) * rows_per_alpha() + beta().number(b)
/// where b has the bits of B that stand at free orbitals of A, moved together (PEXT): it ascends with B.
class SingleOccupancyOrder {
public:
  /// Electrons that don't find room make an empty space.
  /// @throws DimensionError with more than 64 orbitals, more electrons of a spin than orbitals, negative numbers, or if
  ///                        there are 2^63 determinants or more
  SingleOccupancyOrder(int num_orbitals, int num_alpha, int num_beta);

  int orbitals() const { return alpha_.bits(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t rows_per_alpha() const { return beta_.size(); }

  /// Of strings over all orbitals.
  const StringRank& alpha() const { return alpha_; }
  /// Of strings over the orbitals that an alpha string leaves free.
  const StringRank& beta() const { return beta_; }

private:
  StringRank alpha_, beta_;
  std::int64_t rows_ = 0;
};

/// All determinants in which no orbital holds two electrons, the space of the t-J model: by alpha, then beta string. Nothing
/// is stored per determinant. As of any space that has no limit on excitations from its references, all of it are
/// references, at level 0.
template <int Words>
class SingleOccupancySpace final : public Space<Words> {
public:
  /// @param selection  with single_occupancy; the first reference says how many electrons there are
  /// @throws DimensionError as SingleOccupancyOrder, or if the selection contradicts itself: see SpaceSelection
  explicit SingleOccupancySpace(const SpaceSelection<Words>& selection);

  std::int64_t size() const override { return order_.rows(); }
  std::int64_t find(const Determinant<Words>& determinant) const override;
  void enumerate(std::int64_t first, std::span<Determinant<Words>> out) const override;
  std::int64_t num_references() const override { return size(); }
  std::vector<std::int64_t> level_counts() const override { return {size()}; }
  std::uint64_t fingerprint() const override;
  int num_orbitals() const override { return order_.orbitals(); }
  int num_alpha() const override { return order_.alpha().ones(); }
  int num_beta() const override { return order_.beta().ones(); }
  int irrep() const override { return any_irrep; }
  const SingleOccupancyOrder* as_single_occupancy() const override { return &order_; }

private:
  SingleOccupancyOrder order_;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/single_occupancy_rows.hpp"

namespace cisolve {

/// The bit of a site.
constexpr std::uint64_t site_bit(int p) { return std::uint64_t{1} << p; }

/// The n < 64 lowest bits.
constexpr std::uint64_t lowest_bits(int n) { return site_bit(n) - 1; }

/// 1 if an odd number of bits are set.
constexpr std::uint32_t parity_of(std::uint64_t string) {
  return static_cast<std::uint32_t>(std::popcount(string)) & 1U;
}

/// visit(p) for each bit that is set, ascending.
template <class Visit>
void for_each_site(std::uint64_t string, const Visit& visit) {
  for (; string != 0; string &= string - 1) visit(std::countr_zero(string));
}

/// One row after the other, and what is around the alpha string that they stand beside. Strings of beta electrons, b, are
/// those over its free sites.
class SingleOccupancyRows::Walk {
public:
  /// @param first        row to begin with
  /// @param has_columns  whether anybody asks for elements, not only how many there are
  Walk(const SingleOccupancyRows& rows, std::int64_t first, bool has_columns)
      : rows_(rows), has_columns_(has_columns), columns_(2 * rows.bonds_.size() + 2), codes_(columns_.size()),
        alpha_moves_(rows.bonds_.size()), beta_moves_(rows.bonds_.size()), falling_(rows.bonds_.size() + 1),
        rising_(rows.bonds_.size() + 1) {
    const std::int64_t per_alpha = rows.space_.rows_per_alpha();
    alpha_number_ = first / per_alpha;
    alpha_ = rows.space_.alpha().string(alpha_number_);
    look_around();
    set_place(first % per_alpha);
  }

  std::int64_t row() const { return alpha_number_ * rows_.space_.rows_per_alpha() + place_; }

  /// To the next row, which there must be.
  void go_on() {
    if (++place_ < rows_.space_.rows_per_alpha()) {
      beta_ = next_string(beta_);
      return;
    }
    ++alpha_number_;
    alpha_ = next_string(alpha_);
    look_around();
    set_place(0);
  }

  void go_to(std::int64_t row) {
    const std::int64_t per_alpha = rows_.space_.rows_per_alpha();
    if (alpha_number_ != row / per_alpha) {
      alpha_number_ = row / per_alpha;
      alpha_ = rows_.space_.alpha().string(alpha_number_);
      look_around();
    }
    set_place(row % per_alpha);
  }

  /// Of this row; the terms of IntegralTables::string_energy and coulomb_sum, zeros left out, in their order.
  double diagonal() const {
    double value = alpha_energy_;
    if (rows_.has_string_energy_) value += beta_energy();
    for_each_site(beta_, [&](int j) { value += coulomb_[j]; });
    return value;
  }

  bool is_kept(double diagonal) const { return std::abs(diagonal) > rows_.tables_.threshold(); }

  /// Off the diagonal.
  std::int64_t count() const {
    std::int64_t found = 0;
    for (std::size_t k = 0; k < falling_alpha_ + rising_alpha_; ++k) {
      const AlphaMove& move = alpha_moves_[k];
      found += static_cast<std::int64_t>(move.codes[beta_ >> move.from & 1U] > least_sign);
    }
    for (std::size_t k = 0; k < num_beta_moves_; ++k) {
      const BetaMove& move = beta_moves_[k];
      found += static_cast<std::int64_t>((beta_ >> move.high ^ beta_ >> move.low) & 1U);
    }
    return found;
  }

  /// Finds columns() and codes() of this row up to the diagonal.
  /// @param keeps_place  whether the diagonal has a place among them, with code 0, and is the last so far
  void collect_lower(bool keeps_place) {
    size_ = 0;
    add_alpha_moves(0, falling_alpha_);
    find_beta_moves();
    for (std::size_t k = 0; k < num_falling_; ++k) add_beta_move(beta_moves_[falling_[k]]);
    if (keeps_place) add(static_cast<ColumnIndex>(row()), 0);
  }
  /// Goes on beyond it.
  void collect_upper() {
    for (std::size_t k = num_rising_; k-- > 0;) add_beta_move(beta_moves_[rising_[k]]);
    add_alpha_moves(falling_alpha_, falling_alpha_ + rising_alpha_);
  }

  std::span<const ColumnIndex> columns() const { return std::span(columns_).first(size_); }
  std::span<const Code> codes() const { return std::span(codes_).first(size_); }

private:
  static constexpr Code least_sign = 1;  ///< codes up to this are no elements

  /// An electron of A goes to a free site, and an electron of B that may be there takes its place: the site's bit of b,
  /// set or not, is taken out and put in elsewhere.
  struct AlphaMove {
    std::int64_t first_column;  ///< of the alpha string that this leads to
    std::uint64_t staying;      ///< bits of b that keep their places
    std::uint64_t up, down;     ///< those between, which make room: all up by one, or all down
    int from, to;               ///< places of that bit
    Code codes[2];              ///< by that bit: the alpha electron hops, or two electrons change places
  };
  /// An electron of B goes from one free site to another.
  struct BetaMove {
    int high, low;  ///< places in b
    std::uint64_t between;
    Code code;
  };

  void set_place(std::int64_t place) {
    place_ = place;
    beta_ = rows_.space_.beta().string(place);
  }

  void add(ColumnIndex column, Code code) {
    columns_[size_] = column;
    codes_[size_++] = code;
  }

  /// Without a branch: which of the sites are empty cannot be foreseen.
  void add_alpha_moves(std::size_t first, std::size_t last) {
    const StringRank& beta_strings = rows_.space_.beta();
    std::size_t size = size_;
    for (std::size_t k = first; k < last; ++k) {
      const AlphaMove& move = alpha_moves_[k];
      const std::uint64_t bit = beta_ >> move.from & 1U;
      const std::uint64_t up = beta_ & move.up, down = beta_ & move.down;
      const std::uint64_t b = (beta_ & move.staying) | up << 1 | down >> 1 | bit << move.to;
      const Code code = move.codes[bit] ^ (parity_of(up | down) & static_cast<Code>(bit));
      columns_[size] = static_cast<ColumnIndex>(move.first_column + beta_strings.number(b));
      codes_[size] = code;
      size += static_cast<std::size_t>(code > least_sign);
    }
    size_ = size;
  }

  /// Which of the moves lead to lower and to higher rows.
  void find_beta_moves() {
    num_falling_ = num_rising_ = 0;
    for (std::size_t k = 0; k < num_beta_moves_; ++k) {
      const BetaMove& move = beta_moves_[k];
      const std::uint64_t high = beta_ >> move.high & 1U, low = beta_ >> move.low & 1U;
      falling_[num_falling_] = rising_[num_rising_] = static_cast<std::uint32_t>(k);
      num_falling_ += static_cast<std::size_t>(high & ~low);
      num_rising_ += static_cast<std::size_t>(low & ~high);
    }
  }

  void add_beta_move(const BetaMove& move) {
    const std::uint64_t b = beta_ ^ (site_bit(move.high) | site_bit(move.low));
    add(static_cast<ColumnIndex>(row() - place_ + rows_.space_.beta().number(b)),
        move.code ^ parity_of(beta_ & move.between));
  }

  double beta_energy() const {
    double energy = 0.0;
    for_each_site(beta_, [&](int j) {
      const int p = site_[j];
      energy += rows_.tables_.h(p, p);
      for_each_site(parallel_below_[j] & beta_, [&](int i) { energy += parallel(p, site_[i]); });
    });
    return energy;
  }

  double parallel(int p, int q) const {
    return rows_.parallel_[static_cast<std::size_t>(p) * static_cast<std::size_t>(rows_.space_.orbitals()) +
                           static_cast<std::size_t>(q)];
  }

  void look_around();
  void list_energies();
  void list_alpha_moves();
  void list_beta_moves();
  void make_alpha_move(const Bond& bond, bool is_falling, AlphaMove& move) const;

  /// Place of a free site, or how many are below any other.
  int place_of_site(std::uint64_t bit) const { return std::popcount(free_ & (bit - 1)); }

  const SingleOccupancyRows& rows_;
  const bool has_columns_;
  std::int64_t alpha_number_ = 0, place_ = 0;
  std::uint64_t alpha_ = 0, beta_ = 0;

  // Of this row.
  std::size_t size_ = 0;
  std::vector<ColumnIndex> columns_;
  std::vector<Code> codes_;

  // Of this alpha string.
  std::uint64_t free_ = 0;  ///< sites
  double alpha_energy_ = 0.0;
  std::size_t falling_alpha_ = 0, rising_alpha_ = 0, num_beta_moves_ = 0;
  std::vector<AlphaMove> alpha_moves_;  ///< to lower alpha strings, then to higher ones, ascending
  std::vector<BetaMove> beta_moves_;    ///< down ones of these ascend, up ones descend
  std::size_t num_falling_ = 0, num_rising_ = 0;
  std::vector<std::uint32_t> falling_, rising_;  ///< moves or bonds, and room for one that is none after all
  // By place.
  int site_[64] = {};
  double coulomb_[64] = {};                ///< with the electrons of A
  std::uint64_t parallel_below_[64] = {};  ///< lower places, likewise
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Sums of contributions to determinants that share the string of one spin, by that of the other: a hash table with open
/// addressing that stays in cache. What it sums, and in which order, depends on what is added alone.
template <int Words>
class ContributionTable {
public:
  /// @param roots  sums of each string
  /// @param none   a string that is never added
  ContributionTable(int roots, const BitString<Words>& none)
      : roots_(roots), none_(none), stride_(std::bit_ceil(sums_at + static_cast<std::size_t>(roots))) {}

  /// Empties the table.
  /// @param expected  contributions that will come
  void reset(std::int64_t expected) {
    constexpr std::int64_t per_string = 8, least = 64;
    resize(std::bit_ceil(static_cast<std::size_t>(std::max(expected / per_string, least))));
  }

  /// The sums of a string, [roots]: zeros where it is new. Valid until the next call.
  /// @param energy  of the string, hartree
  double* at(const BitString<Words>& string, double energy) {
    for (std::size_t k = place(string);; k = (k + 1) & mask_) {
      double* slot = slot_at(k);
      const BitString<Words> found = string_of(slot);
      if (found == string) return slot + sums_at;
      if (found == none_) return insert(k, string, energy);
    }
  }

  /// Takes a string out of what `for_each` visits.
  void remove(const BitString<Words>& string) {
    for (std::size_t k = place(string);; k = (k + 1) & mask_) {
      double* slot = slot_at(k);
      const BitString<Words> found = string_of(slot);
      if (found == none_) return;
      if (found != string) continue;
      slot[energy_at] = std::numeric_limits<double>::infinity();
      return;
    }
  }

  /// visit(string, its energy, its sums) for all strings that are not removed.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 0; k <= mask_; ++k) {
      const double* slot = &slots_[k * stride_];
      const BitString<Words> string = string_of(slot);
      if (string == none_ || slot[energy_at] == std::numeric_limits<double>::infinity()) continue;
      visit(string, slot[energy_at], std::span(slot + sums_at, static_cast<std::size_t>(roots_)));
    }
  }

private:
  // A slot is the bits of a string, its energy (infinite: it is removed) and its sums, side by side in memory.
  static constexpr std::size_t energy_at = static_cast<std::size_t>(Words), sums_at = energy_at + 1;

  static BitString<Words> string_of(const double* slot) {
    BitString<Words> string;
    std::memcpy(string.words.data(), slot, sizeof(string.words));
    return string;
  }
  static void put_string(const BitString<Words>& string, double* slot) {
    std::memcpy(slot, string.words.data(), sizeof(string.words));
  }
  double* slot_at(std::size_t k) { return &slots_[k * stride_]; }

  std::size_t place(const BitString<Words>& string) const {
    std::uint64_t h = 0;
    for (const std::uint64_t w : string.words) h = (h ^ w) * 0x9e3779b97f4a7c15ULL;  // the golden ratio
    return static_cast<std::size_t>(h >> shift_);
  }

  double* insert(std::size_t at, const BitString<Words>& string, double energy) {
    if (2 * (used_ + 1) > mask_ + 1) {
      grow();
      at = place(string);
      while (string_of(slot_at(at)) != none_) at = (at + 1) & mask_;
    }
    ++used_;
    double* slot = slot_at(at);
    put_string(string, slot);
    slot[energy_at] = energy;
    std::fill_n(slot + sums_at, roots_, 0.0);
    return slot + sums_at;
  }

  void resize(std::size_t capacity) {
    mask_ = capacity - 1;
    shift_ = 64 - std::countr_zero(capacity);
    used_ = 0;
    if (slots_.size() < capacity * stride_) slots_.resize(capacity * stride_);
    for (std::size_t k = 0; k < capacity; ++k) put_string(none_, slot_at(k));
  }

  void grow() {
    const std::vector<double> before(slots_.begin(),
                                     slots_.begin() + static_cast<std::ptrdiff_t>((mask_ + 1) * stride_));
    resize(2 * (mask_ + 1));
    for (std::size_t k = 0; k < before.size(); k += stride_) {
      const BitString<Words> string = string_of(&before[k]);
      if (string == none_) continue;
      std::copy_n(&before[k + sums_at], roots_, at(string, before[k + energy_at]));
    }
  }

  int roots_;
  BitString<Words> none_;
  std::size_t stride_;  ///< of slots, in numbers: a power of two, so that few slots lie on two cache lines
  std::size_t mask_ = 0, used_ = 0;
  int shift_ = 63;
  std::vector<double> slots_;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
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
  ContributionTable(int roots, const BitString<Words>& none) : roots_(roots), none_(none) {}

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
      if (slots_[k].string == string) return &sums_[k * static_cast<std::size_t>(roots_)];
      if (slots_[k].string == none_) return insert(k, string, energy);
    }
  }

  /// Takes a string out of what `for_each` visits.
  void remove(const BitString<Words>& string) {
    for (std::size_t k = place(string); slots_[k].string != none_; k = (k + 1) & mask_) {
      if (slots_[k].string != string) continue;
      slots_[k].is_removed = true;
      return;
    }
  }

  /// visit(string, its energy, its sums) for all strings that are not removed.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 0; k <= mask_; ++k) {
      const Slot& slot = slots_[k];
      if (slot.string == none_ || slot.is_removed) continue;
      visit(slot.string, slot.energy,
            std::span(&sums_[k * static_cast<std::size_t>(roots_)], static_cast<std::size_t>(roots_)));
    }
  }

private:
  struct Slot {
    BitString<Words> string;
    double energy;
    bool is_removed;
  };

  std::size_t place(const BitString<Words>& string) const {
    std::uint64_t h = 0;
    for (const std::uint64_t w : string.words) h = (h ^ w) * 0x9e3779b97f4a7c15ULL;  // the golden ratio
    return static_cast<std::size_t>(h >> shift_);
  }

  double* insert(std::size_t at, const BitString<Words>& string, double energy) {
    if (2 * (used_ + 1) > mask_ + 1) {
      grow();
      at = place(string);
      while (slots_[at].string != none_) at = (at + 1) & mask_;
    }
    ++used_;
    slots_[at] = {string, energy, false};
    double* sums = &sums_[at * static_cast<std::size_t>(roots_)];
    std::fill_n(sums, roots_, 0.0);
    return sums;
  }

  void resize(std::size_t capacity) {
    mask_ = capacity - 1;
    shift_ = 64 - std::countr_zero(capacity);
    used_ = 0;
    if (slots_.size() < capacity) {
      slots_.resize(capacity);
      sums_.resize(capacity * static_cast<std::size_t>(roots_));
    }
    for (std::size_t k = 0; k < capacity; ++k) slots_[k].string = none_;
  }

  void grow() {
    std::vector<Slot> slots(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(mask_ + 1));
    const std::vector<double> sums(
        sums_.begin(),
        sums_.begin() + static_cast<std::ptrdiff_t>((mask_ + 1) * static_cast<std::size_t>(roots_)));
    resize(2 * (mask_ + 1));
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (slots[k].string == none_) continue;
      double* to = at(slots[k].string, slots[k].energy);
      std::copy_n(&sums[k * static_cast<std::size_t>(roots_)], roots_, to);
    }
  }

  int roots_;
  BitString<Words> none_;
  std::size_t mask_ = 0, used_ = 0;
  int shift_ = 63;
  std::vector<Slot> slots_;   ///< those beyond `mask_` are left from before
  std::vector<double> sums_;  ///< [slots * roots]
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/strings.hpp"

namespace cisolve {

/// Index of distinct keys by open addressing: key number i of the vector it was built from.
template <class Key>
class KeyIndex {
public:
  KeyIndex() = default;
  /// @param keys  distinct; must outlive this object (moving the vector is fine)
  explicit KeyIndex(const std::vector<Key>& keys);

  /// Number of the key, or -1.
  std::int64_t find(const std::vector<Key>& keys, const Key& key) const {
    for (std::uint64_t at = mix(key) & mask_;; at = (at + 1) & mask_) {
      const std::int32_t found = slots_[at];
      if (found < 0) return -1;
      if (keys[found] == key) return found;
    }
  }

private:
  std::uint64_t mask_ = 0;
  std::vector<std::int32_t> slots_ = {-1};
};

/// A bound of a restricted active space: at most `count` holes or electrons in some orbitals.
template <int Words>
struct OccupationBound {
  BitString<Words> orbitals;
  int count = 0;
};

/// What the strings of one spin are made from, and how they are classed.
template <int Words>
struct StringSelection {
  int num_orbitals = 0;
  BitString<Words> reference;         ///< fixes the number of electrons
  int max_level = 0;                  ///< electrons that may have left the reference
  std::vector<int> irreps;            ///< zero-based labels, one per orbital
  bool class_by_irrep = true;         ///< class = (level, irrep); false: class = level
  BitString<Words> open_shells = {};  ///< orbitals whose occupations count_strings tells apart; few
  std::optional<OccupationBound<Words>> max_holes = {};  ///< of this string alone, as is the next
  std::optional<OccupationBound<Words>> max_particles = {};
  std::optional<BitString<Words>> active = {};  ///< the others stay as the reference has them; none: all
};

/// Calls visit for the strings of strings_within, one after another, until it returns false.
template <int Words>
void visit_strings(const StringSelection<Words>& selection,
                   const std::function<bool(const BitString<Words>&)>& visit);

/// Strings within max_level of the reference that keep the bounds, ascending.
template <int Words>
std::vector<BitString<Words>> strings_within(const StringSelection<Words>& selection);

/// Strings of one spin with their bits.
template <int Words>
class StringTable final : public Strings {
public:
  /// Generates all strings of a selection; their level is the excitation level.
  explicit StringTable(const StringSelection<Words>& selection);

  /// Takes any strings, with any levels.
  /// @param strings         ascending
  /// @param levels          of each, from 0
  /// @param irreps          zero-based labels, one per orbital
  /// @param class_by_irrep  class = (level, irrep); false: class = level
  StringTable(std::vector<BitString<Words>> strings, std::vector<std::int8_t> levels,
              std::span<const int> irreps, bool class_by_irrep);

  const BitString<Words>& operator[](std::int32_t i) const { return strings_[i]; }

  /// Number of string s, or -1 if it is not in the table.
  std::int32_t find(const BitString<Words>& s) const {
    return static_cast<std::int32_t>(index_.find(strings_, s));
  }

  StringExcitations doubles(std::span<const std::int32_t> strings) const override;

private:
  struct Doubles;
  StringExcitations find_singles() const override;

  std::vector<BitString<Words>> strings_;
  KeyIndex<BitString<Words>> index_;
  std::shared_ptr<Doubles> doubles_;  ///< filled by the first who asks for them
};

/// Strings that agree in level, irrep, holes and electrons in the orbitals of the bounds (0 without bounds), and in the
/// open shells that they change.
struct StringCount {
  int level = 0;
  int irrep = 0;
  int holes = 0;
  int particles = 0;
  unsigned changed = 0;  ///< see changed_shells
  double strings = 0.0;  ///< exact below 2^53, and never an overflow for absurd requests
};

/// Open shells whose occupation in a string is not that of the reference: bit k is the k-th of them, ascending.
template <int Words>
unsigned changed_shells(const BitString<Words>& s, const BitString<Words>& reference,
                        const BitString<Words>& open_shells) {
  unsigned changed = 0;
  unsigned bit = 1;
  open_shells.for_each([&](int p) {
    if (s.test(p) != reference.test(p)) changed |= bit;
    bit <<= 1U;
  });
  return changed;
}

/// Exact numbers of the strings that a selection has, without generating them (recursion over orbitals).
template <int Words>
std::vector<StringCount> count_strings(const StringSelection<Words>& selection);

/// Irrep of a string: XOR of its orbitals' zero-based labels.
template <int Words>
int irrep_of(const BitString<Words>& s, std::span<const int> irreps) {
  int irrep = 0;
  s.for_each([&](int p) { irrep ^= irreps[p]; });
  return irrep;
}

}  // namespace cisolve

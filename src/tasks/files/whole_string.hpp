// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Orbitals of which some are doubly occupied in every determinant, and some active.
struct OrbitalPlaces {
  int num_orbitals = 0;
  std::vector<int> core, active;  ///< zero-based
};

/// Occupied orbitals of a string over all orbitals, and whether putting their creators in ascending order, those of the
/// core first before, changes the sign.
struct WholeString {
  std::vector<std::uint64_t> words;  ///< 64 orbitals each, the lowest in the lowest bit
  bool negative = false;
};

inline WholeString whole_string(const BitString<most_string_words>& active, const OrbitalPlaces& places) {
  WholeString whole{std::vector<std::uint64_t>(static_cast<std::size_t>(places.num_orbitals + 63) / 64),
                    false};
  const auto add = [&](int p) {
    const std::size_t word = static_cast<std::size_t>(p) / 64;
    const auto bit = std::uint64_t{1} << (p % 64);
    int passed = std::popcount(whole.words[word] & ~(bit | (bit - 1)));
    for (std::size_t w = word + 1; w < whole.words.size(); ++w) passed += std::popcount(whole.words[w]);
    if (passed % 2 != 0) whole.negative = !whole.negative;
    whole.words[word] |= bit;
  };
  for (const int p : places.core) add(p);
  for (int p = 0; p < static_cast<int>(places.active.size()); ++p) {
    if (active.test(p)) add(places.active[static_cast<std::size_t>(p)]);
  }
  return whole;
}

}  // namespace cisolve

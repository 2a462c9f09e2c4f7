// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Occupation pattern of spatial orbitals: every orbital is empty, singly or doubly occupied. Ordered by
/// the string of doubly, then of singly occupied orbitals, compared as unsigned integers.
template <int Words>
struct Configuration {
  BitString<Words> doubly;
  BitString<Words> singly;  ///< no orbital stands in both

  friend constexpr auto operator<=>(const Configuration&, const Configuration&) = default;
  /// Word by word: that of std::array is a call, and most of the cost of finding a configuration.
  friend constexpr bool operator==(const Configuration& a, const Configuration& b) {
    std::uint64_t different = 0;
    for (std::size_t w = 0; w < a.doubly.words.size(); ++w) {
      different |= (a.doubly.words[w] ^ b.doubly.words[w]) | (a.singly.words[w] ^ b.singly.words[w]);
    }
    return different == 0;
  }

  constexpr BitString<Words> occupied() const { return doubly | singly; }
  constexpr int occupation(int p) const { return doubly.test(p) ? 2 : singly.test(p) ? 1 : 0; }
  constexpr int num_open() const { return singly.count(); }
  constexpr int num_electrons() const { return 2 * doubly.count() + singly.count(); }

  /// Adds an electron to an orbital that is not full.
  constexpr void add(int p) {
    if (singly.test(p)) {
      singly.reset(p);
      doubly.set(p);
    } else {
      singly.set(p);
    }
  }
  /// Takes an electron from an orbital that is not empty.
  constexpr void remove(int p) {
    if (doubly.test(p)) {
      doubly.reset(p);
      singly.set(p);
    } else {
      singly.reset(p);
    }
  }
};

template <int To, int From>
constexpr Configuration<To> with_words(const Configuration<From>& c) {
  return {with_words<To>(c.doubly), with_words<To>(c.singly)};
}

/// Spatial occupations of a determinant.
template <int Words>
constexpr Configuration<Words> configuration_of(const Determinant<Words>& d) {
  return {d.alpha & d.beta, d.alpha ^ d.beta};
}

/// Electrons that must move to get from one occupation to the other, which has as many electrons: the sum
/// over orbitals of what they lose.
template <int Words>
constexpr int excitation_degree(const Configuration<Words>& to, const Configuration<Words>& from) {
  return (from.occupied() & ~to.occupied()).count() + (from.doubly & ~to.doubly).count();
}

template <int Words>
constexpr std::uint64_t mix(const Configuration<Words>& c) {
  return mix(c.singly, mix(c.doubly));
}

}  // namespace cisolve

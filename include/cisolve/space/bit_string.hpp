// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "cisolve/core/error.hpp"

namespace cisolve {

/// Occupied orbitals of one spin as a bit string of `Words` 64-bit words; orbital p is bit p % 64
/// of word p / 64. Compares as one unsigned integer.
template <int Words>
struct BitString {
  static constexpr int max_orbitals = 64 * Words;

  std::array<std::uint64_t, static_cast<std::size_t>(Words)> words{};

  /// The n lowest orbitals.
  static constexpr BitString lowest(int n) {
    BitString s;
    for (int w = 0; w < Words; ++w) {
      const int in_word = n - 64 * w;
      s.words[w] = in_word >= 64 ? ~std::uint64_t{0} : in_word <= 0 ? 0 : bit(in_word) - 1;
    }
    return s;
  }

  constexpr bool test(int p) const { return (word(p) >> (p % 64) & 1U) != 0; }
  constexpr void set(int p) { word(p) |= bit(p); }
  constexpr void reset(int p) { word(p) &= ~bit(p); }

  /// The string with an electron moved from `hole` to `particle`.
  constexpr BitString moved(int hole, int particle) const {
    BitString s = *this;
    s.reset(hole);
    s.set(particle);
    return s;
  }

  constexpr int count() const {
    int n = 0;
    for (const std::uint64_t w : words) n += std::popcount(w);
    return n;
  }

  /// Number of occupied orbitals strictly between p and q, in either order.
  constexpr int count_between(int p, int q) const {
    const int low = p < q ? p : q;
    const int high = p < q ? q : p;
    return (*this & lowest(high) & ~lowest(low + 1)).count();
  }

  /// Bit p is 1 if an odd number of orbitals below p are occupied: phases of excitations are XORs of these bits.
  constexpr BitString parities() const {
    BitString s;
    std::uint64_t carry = 0;  // all bits, where the words below hold an odd number
    for (std::size_t w = 0; w < words.size(); ++w) {
      std::uint64_t inclusive = words[w];
      for (int shift = 1; shift < 64; shift *= 2) inclusive ^= inclusive << shift;
      s.words[w] = inclusive << 1 ^ carry;
      if ((inclusive >> 63 & 1U) != 0) carry = ~carry;
    }
    return s;
  }

  /// Calls visit(p) for each occupied orbital, ascending.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (int w = 0; w < Words; ++w) {
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) {
        visit(64 * w + std::countr_zero(rest));
      }
    }
  }

  /// Not defaulted: that calls memcmp for more than one word.
  friend constexpr bool operator==(const BitString& a, const BitString& b) {
    std::uint64_t difference = 0;
    for (std::size_t w = 0; w < a.words.size(); ++w) difference |= a.words[w] ^ b.words[w];
    return difference == 0;
  }
  friend constexpr std::strong_ordering operator<=>(const BitString& a, const BitString& b) {
    for (std::size_t w = Words; w-- > 0;) {
      if (a.words[w] != b.words[w]) return a.words[w] <=> b.words[w];
    }
    return std::strong_ordering::equal;
  }
  friend constexpr BitString operator&(BitString a, const BitString& b) {
    for (std::size_t w = 0; w < a.words.size(); ++w) a.words[w] &= b.words[w];
    return a;
  }
  friend constexpr BitString operator|(BitString a, const BitString& b) {
    for (std::size_t w = 0; w < a.words.size(); ++w) a.words[w] |= b.words[w];
    return a;
  }
  friend constexpr BitString operator^(BitString a, const BitString& b) {
    for (std::size_t w = 0; w < a.words.size(); ++w) a.words[w] ^= b.words[w];
    return a;
  }
  friend constexpr BitString operator~(BitString a) {
    for (std::uint64_t& w : a.words) w = ~w;
    return a;
  }

private:
  static constexpr std::uint64_t bit(int p) { return std::uint64_t{1} << (p % 64); }
  constexpr std::uint64_t& word(int p) { return words[p / 64]; }
  constexpr const std::uint64_t& word(int p) const { return words[p / 64]; }
};

/// The same orbitals in strings of another number of words; those that these don't hold are left out.
template <int To, int From>
constexpr BitString<To> with_words(const BitString<From>& s) {
  BitString<To> result;
  for (std::size_t w = 0; w < result.words.size() && w < s.words.size(); ++w) result.words[w] = s.words[w];
  return result;
}

/// A Slater determinant: all alpha creators (ascending) stand before all beta creators.
template <int Words>
struct Determinant {
  BitString<Words> alpha;
  BitString<Words> beta;
  friend constexpr auto operator<=>(const Determinant&, const Determinant&) = default;
};

template <int To, int From>
constexpr Determinant<To> with_words(const Determinant<From>& d) {
  return {with_words<To>(d.alpha), with_words<To>(d.beta)};
}

/// Well-mixed hash of a string.
template <int Words>
constexpr std::uint64_t mix(const BitString<Words>& s, std::uint64_t seed = 0) {
  // splitmix64 finaliser, word by word (Steele, Lea, Flood, doi:10.1145/2714064.2660195)
  std::uint64_t h = seed;
  for (const std::uint64_t w : s.words) {
    h += w + 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    h ^= h >> 31;
  }
  return h;
}

template <int Words>
constexpr std::uint64_t mix(const Determinant<Words>& d) {
  return mix(d.beta, mix(d.alpha));
}

/// More orbitals have no string.
inline constexpr int most_string_orbitals = 256;

/// Calls `body.template operator()<words>()` for the fewest words, 1, 2 or 4, whose strings hold so many orbitals:
/// the one place that chooses them.
/// @throws DimensionError if there are more than most_string_orbitals
template <class Body>
decltype(auto) with_string_words(int num_orbitals, Body&& body) {
  if (num_orbitals <= 64) return body.template operator()<1>();
  if (num_orbitals <= 128) return body.template operator()<2>();
  if (num_orbitals <= most_string_orbitals) return body.template operator()<4>();
  throw DimensionError("strings hold 256 orbitals at most");
}

/// Explicit instantiations for the numbers of words that with_string_words chooses from.
#define CISOLVE_FOR_ALL_WORDS(instantiate) instantiate(1) instantiate(2) instantiate(4)

/// Words of strings that any space's orbitals fit in: what is selected is said in these, with_words makes it narrower.
inline constexpr int most_string_words = most_string_orbitals / 64;
using WideString = BitString<most_string_words>;

/// Words of strings where not more than 64 orbitals are possible.
inline constexpr int string_words = 1;
using String = BitString<string_words>;

}  // namespace cisolve

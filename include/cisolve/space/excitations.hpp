// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/space/bit_string.hpp"

namespace cisolve {

/// Orbitals of a string in ascending order, on the stack.
struct OrbitalList {
  int size = 0;
  std::uint8_t orbital[256];

  template <int Words>
  static OrbitalList occupied(const BitString<Words>& s) {
    static_assert(BitString<Words>::max_orbitals <= 256);
    OrbitalList list;
    s.for_each([&](int p) { list.orbital[list.size++] = static_cast<std::uint8_t>(p); });
    return list;
  }
  template <int Words>
  static OrbitalList empty(const BitString<Words>& s, int num_orbitals) {
    return occupied(~s & BitString<Words>::lowest(num_orbitals));
  }
  const std::uint8_t* begin() const { return orbital; }
  const std::uint8_t* end() const { return orbital + size; }
  int operator[](int k) const { return orbital[k]; }
};

/// Phase of a_particle^+ a_hole on `s`, hole occupied and particle empty: (-1)^(electrons between).
template <int Words>
constexpr bool is_negative(const BitString<Words>& s, int hole, int particle) {
  return (s.count_between(hole, particle) & 1) != 0;
}

/// Calls visit(target, hole, particle, negative) for each single excitation of `s`.
template <int Words, class Visit>
void for_each_single(const BitString<Words>& s, int num_orbitals, Visit&& visit) {
  const OrbitalList holes = OrbitalList::occupied(s);
  const OrbitalList particles = OrbitalList::empty(s, num_orbitals);
  for (const int h : holes) {
    for (const int p : particles) visit(s.moved(h, p), h, p, is_negative(s, h, p));
  }
}

/// Calls visit(target, h1, p1, h2, p2, negative) for each double excitation h1 < h2, p1 < p2 of `s`;
/// the phase is that of a_p2^+ a_h2 a_p1^+ a_h1.
template <int Words, class Visit>
void for_each_double(const BitString<Words>& s, int num_orbitals, Visit&& visit) {
  const OrbitalList holes = OrbitalList::occupied(s);
  const OrbitalList particles = OrbitalList::empty(s, num_orbitals);
  for (int i = 0; i < holes.size; ++i) {
    for (int a = 0; a < particles.size; ++a) {
      const int h1 = holes[i];
      const int p1 = particles[a];
      const BitString<Words> once = s.moved(h1, p1);
      const bool first = is_negative(s, h1, p1);
      for (int j = i + 1; j < holes.size; ++j) {
        for (int b = a + 1; b < particles.size; ++b) {
          const int h2 = holes[j];
          const int p2 = particles[b];
          visit(once.moved(h2, p2), h1, p1, h2, p2, first != is_negative(once, h2, p2));
        }
      }
    }
  }
}

}  // namespace cisolve

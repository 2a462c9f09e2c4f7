// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

/// Calls visit(determinant) for every determinant of a configuration with so many alpha electrons, in a
/// fixed order.
template <int Words, class Visit>
void for_each_arrangement(const BitString<Words>& closed, const BitString<Words>& open, int num_alpha,
                          Visit&& visit) {
  const OrbitalList shells = OrbitalList::occupied(open);
  const int ups = num_alpha - closed.count();
  if (ups < 0 || ups > shells.size) return;
  std::vector<int> is_alpha(shells.size, 0);
  std::fill_n(is_alpha.begin(), ups, 1);  // the first permutation
  do {
    Determinant<Words> d{closed, closed};
    for (int k = 0; k < shells.size; ++k) {
      (is_alpha[k] != 0 ? d.alpha : d.beta).set(shells[k]);
    }
    visit(d);
  } while (std::prev_permutation(is_alpha.begin(), is_alpha.end()));
}

/// <d|S^2|d> = Ms^2 + (open shells) / 2, hbar^2.
template <int Words>
double s_squared_diagonal(const Determinant<Words>& d) {
  const double ms = 0.5 * (d.alpha.count() - d.beta.count());
  return ms * ms + 0.5 * (d.alpha ^ d.beta).count();
}

/// visit(exchanged, element) for the determinants that S^2 connects to `d`, itself left out:
/// a_i(beta)^+ a_i(alpha) a_j(alpha)^+ a_j(beta) = -(alpha i -> j)(beta j -> i).
template <int Words, class Visit>
void for_each_spin_exchange(const Determinant<Words>& d, Visit&& visit) {
  const OrbitalList alpha_only = OrbitalList::occupied(d.alpha & ~d.beta);
  const OrbitalList beta_only = OrbitalList::occupied(d.beta & ~d.alpha);
  for (const int i : alpha_only) {
    for (const int j : beta_only) {
      const bool negative = is_negative(d.alpha, i, j) != is_negative(d.beta, j, i);
      visit(Determinant<Words>{d.alpha.moved(i, j), d.beta.moved(j, i)}, negative ? 1.0 : -1.0);
    }
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/integrals/complex_integrals.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"

namespace cisolve {
namespace {

std::size_t squared(int num_orbitals) {
  if (num_orbitals < 0)
    throw DimensionError("ComplexIntegrals: " + std::to_string(num_orbitals) + " orbitals");
  const auto n = static_cast<std::size_t>(num_orbitals);
  return n * n;
}

}  // namespace

ComplexIntegrals::ComplexIntegrals(int num_orbitals_given, bool are_spinors_given)
    : num_orbitals(num_orbitals_given), are_spinors(are_spinors_given), one(squared(num_orbitals_given)),
      two(num_pairs(one.size())) {}

ComplexIntegrals as_spinors(const ComplexIntegrals& integrals) {
  if (integrals.are_spinors) throw DimensionError("as_spinors: the integrals are over spinors already");
  const int n = integrals.num_orbitals;
  ComplexIntegrals spinors(2 * n, true);
  spinors.core_energy = integrals.core_energy;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (const int spin : {0, n}) spinors.h(p + spin, q + spin) = integrals.h(p, q);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          const Complex value = integrals.eri(p, q, r, s);
          for (const int first : {0, n}) {
            for (const int second : {0, n}) spinors.eri(p + first, q + first, r + second, s + second) = value;
          }
        }
      }
    }
  }
  return spinors;
}

ComplexIntegrals freeze(const ComplexIntegrals& integrals, const std::vector<int>& core,
                        const std::vector<int>& active) {
  const double electrons = integrals.are_spinors ? 1.0 : 2.0;  // in a core orbital
  const auto n = static_cast<int>(active.size());
  ComplexIntegrals left(n, integrals.are_spinors);
  left.core_energy = integrals.core_energy;
  for (const int i : core) {
    Complex energy = electrons * integrals.h(i, i);
    for (const int j : core) {
      energy += 0.5 * electrons * (electrons * integrals.eri(i, i, j, j) - integrals.eri(i, j, j, i));
    }
    left.core_energy += energy.real();
  }
  const auto old = [&active](int p) { return active[p]; };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      Complex h = integrals.h(old(p), old(q));
      for (const int i : core)
        h += electrons * integrals.eri(old(p), old(q), i, i) - integrals.eri(old(p), i, i, old(q));
      left.h(p, q) = h;
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) left.eri(p, q, r, s) = integrals.eri(old(p), old(q), old(r), old(s));
      }
    }
  }
  return left;
}

Integrals diagonal_part(const ComplexIntegrals& integrals) {
  Integrals real(integrals.num_orbitals);
  real.core_energy = integrals.core_energy;
  for (int p = 0; p < integrals.num_orbitals; ++p) {
    real.h(p, p) = integrals.h(p, p).real();
    for (int q = 0; q < integrals.num_orbitals; ++q) {
      real.eri(p, p, q, q) = integrals.eri(p, p, q, q).real();
      if (q != p) real.eri(p, q, p, q) = integrals.eri(p, q, q, p).real();
    }
  }
  return real;
}

double kramers_violation(const ComplexIntegrals& v) {
  const int n = v.num_orbitals;
  if (n % 2 != 0) throw DimensionError("kramers_violation: an odd number of orbitals has no pairs");
  const auto partner = [](int p) { return p ^ 1; };
  const auto sign = [](int p) { return p % 2 == 0 ? 1.0 : -1.0; };
  double largest = 0.0;
#pragma omp parallel for schedule(dynamic) reduction(max : largest)
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      const double of_pair = sign(p) * sign(q);
      largest = std::max(largest, std::abs(v.h(p, q) - of_pair * std::conj(v.h(partner(p), partner(q)))));
      for (int r = 0; r <= p; ++r) {  // (pq|rs) = (rs|pq)
        for (int s = 0; s < (r < p ? n : q + 1); ++s) {
          const Complex reversed =
              of_pair * sign(r) * sign(s) * std::conj(v.eri(partner(p), partner(q), partner(r), partner(s)));
          largest = std::max(largest, std::abs(v.eri(p, q, r, s) - reversed));
        }
      }
    }
  }
  return largest;
}

bool are_kramers_pairs(const ComplexIntegrals& v, double tolerance) {
  const int n = v.num_orbitals;
  const auto same = [&](Complex a, Complex b) { return std::abs(a - b) <= tolerance; };
  const auto is_pair = [&](int p, int q) {
    if (!same(v.h(p, p), v.h(q, q)) || !same(v.h(p, q), 0.0) || !same(v.eri(p, q, q, p), 0.0)) return false;
    for (int r = 0; r < n; ++r) {
      if (!same(v.eri(p, p, r, r), v.eri(q, q, r, r))) return false;
    }
    return true;
  };
  std::vector<bool> paired(static_cast<std::size_t>(n), false);
  for (int p = 0; p < n; ++p) {
    if (paired[p]) continue;
    int partner = p + 1;
    while (partner < n && (paired[partner] || !is_pair(p, partner))) ++partner;
    if (partner == n) return false;
    paired[p] = paired[partner] = true;
  }
  return n > 0;
}

std::uint64_t hash(const ComplexIntegrals& integrals) {
  Hasher hasher;
  hasher.add(std::int64_t{integrals.num_orbitals});
  hasher.add(std::int64_t{integrals.are_spinors ? 1 : 0});
  hasher.add(hash_bytes(std::as_bytes(std::span(&integrals.core_energy, 1))));
  hasher.add(hash_bytes(std::as_bytes(std::span(integrals.one))));
  hasher.add(hash_bytes(std::as_bytes(std::span(integrals.two))));
  return hasher.digest();
}

}  // namespace cisolve

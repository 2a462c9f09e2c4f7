// SPDX-License-Identifier: MIT
#include "cisolve/integrals/integrals.hpp"

#include <span>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"

namespace cisolve {
namespace {

std::size_t checked_size(int num_orbitals) {
  if (num_orbitals < 0) {
    throw DimensionError("Integrals: " + std::to_string(num_orbitals) + " orbitals");
  }
  return static_cast<std::size_t>(num_orbitals);
}

}  // namespace

Integrals::Integrals(int num_orbitals_given)
    : num_orbitals(num_orbitals_given), one(num_pairs(checked_size(num_orbitals_given)), 0.0),
      two(num_pairs(one.size()), 0.0), irreps(checked_size(num_orbitals_given), 0) {}

BetaIntegrals make_beta_integrals(int num_orbitals) {
  const std::size_t pairs = num_pairs(checked_size(num_orbitals));
  return {.one = std::vector<double>(pairs, 0.0),
          .two = std::vector<double>(num_pairs(pairs), 0.0),
          .mixed = std::vector<double>(pairs * pairs, 0.0)};
}

void check_shapes(const Integrals& integrals) {
  const std::size_t n = checked_size(integrals.num_orbitals);
  const std::size_t pairs = num_pairs(n);
  bool fits = integrals.one.size() == pairs && integrals.two.size() == num_pairs(pairs) &&
              integrals.irreps.size() == n;
  if (const auto& beta = integrals.beta) {
    fits = fits && beta->one.size() == pairs && beta->two.size() == num_pairs(pairs) &&
           beta->mixed.size() == pairs * pairs;
  }
  if (!fits) throw DimensionError("Integrals: the arrays do not fit " + std::to_string(n) + " orbitals");
}

std::uint64_t hash(const Integrals& integrals) {
  check_shapes(integrals);
  Hasher hasher;
  hasher.add(std::int64_t{integrals.num_orbitals});
  // Arrays go in by their digests: the hasher keeps what it is given.
  hasher.add(hash_bytes(std::as_bytes(std::span(&integrals.core_energy, 1))));
  hasher.add(hash_bytes(std::as_bytes(std::span(integrals.one))));
  hasher.add(hash_bytes(std::as_bytes(std::span(integrals.two))));
  hasher.add(hash_bytes(std::as_bytes(std::span(integrals.irreps))));
  if (const auto& beta = integrals.beta) {
    for (const std::vector<double>* array : {&beta->one, &beta->two, &beta->mixed})
      hasher.add(hash_bytes(std::as_bytes(std::span(*array))));
  }
  return hasher.digest();
}

}  // namespace cisolve

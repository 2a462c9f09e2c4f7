// SPDX-License-Identifier: MIT
#include "cisolve/integrals/freeze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/spin_overlap.hpp"

namespace cisolve {
namespace {

enum class Role { active, core, virt };

void assign(std::vector<Role>& roles, const std::vector<int>& orbitals, Role role, const FrozenNames& names) {
  const std::string& name = role == Role::core ? names.core : names.virtuals;
  for (const int orbital : orbitals) {
    if (orbital < 0 || orbital >= std::ssize(roles)) {
      throw InputError(
          fmt::format("{}: found orbital {}, expected 1 to {}", name, orbital + 1, roles.size()));
    }
    Role& is = roles[orbital];
    if (is == role) {
      throw InputError(
          fmt::format("{}: orbital {} is listed twice, expected each orbital once", name, orbital + 1));
    }
    if (is != Role::active) {
      throw InputError(fmt::format("{}: orbital {} is in {} too, expected in one of the two lists", name,
                                   orbital + 1, names.core));
    }
    is = role;
  }
}

/// Of spins with orbitals of their own. Restricted integrals have a formula of their own, as sums round otherwise.
double core_energy_of_two(const Integrals& v, const std::vector<int>& core) {
  double energy = v.core_energy;
  for (const int i : core) {
    for (const Spin spin : {Spin::alpha, Spin::beta}) {
      energy += v.h(spin, i, i);
      for (const int j : core) energy += 0.5 * (v.eri(spin, i, i, j, j) - v.eri(spin, i, j, i, j));
    }
    for (const int j : core) energy += v.mixed(Spin::alpha, i, i, j, j);
  }
  return energy;
}

double core_energy(const Integrals& integrals, const std::vector<int>& core) {
  if (integrals.is_unrestricted()) return core_energy_of_two(integrals, core);
  double energy = integrals.core_energy;
  for (const int i : core) {
    energy += 2.0 * integrals.h(i, i);
    for (const int j : core) energy += 2.0 * integrals.eri(i, i, j, j) - integrals.eri(i, j, i, j);
  }
  return energy;
}

/// An element of a spin's one-electron integrals with the core folded in.
double inactive_fock(const Integrals& v, Spin spin, const std::vector<int>& core, int p, int q) {
  double h = v.h(spin, p, q);
  for (const int i : core) h += v.eri(spin, p, q, i, i) - v.eri(spin, p, i, q, i) + v.mixed(spin, p, q, i, i);
  return h;
}

/// The elements of a packed array (pq|rs) of one spin over some of the orbitals.
std::vector<double> over_active(const std::vector<double>& two, const std::vector<int>& orbitals) {
  const auto n = static_cast<int>(orbitals.size());
  const auto old = [&orbitals](int p) { return orbitals[p]; };
  std::vector<double> active;
  active.reserve(num_pairs(num_pairs(n)));
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s)
          active.push_back(two[Integrals::eri_index(old(p), old(q), old(r), old(s))]);
      }
    }
  }
  return active;
}

BetaIntegrals freeze_beta(const Integrals& v, const OrbitalPartition& partition) {
  const std::vector<int>& orbitals = partition.active;
  BetaIntegrals beta;
  beta.two = over_active(v.beta->two, orbitals);
  std::vector<std::size_t> pairs;  // numbers of the active pairs among all
  for (std::size_t p = 0; p < orbitals.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      beta.one.push_back(inactive_fock(v, Spin::beta, partition.core, orbitals[p], orbitals[q]));
      pairs.push_back(pair_index(orbitals[p], orbitals[q]));
    }
  }
  beta.mixed.reserve(pairs.size() * pairs.size());
  for (const std::size_t pq : pairs) {
    for (const std::size_t rs : pairs) beta.mixed.push_back(v.beta->mixed[pq * v.one.size() + rs]);
  }
  return beta;
}

}  // namespace

OrbitalPartition partition_orbitals(int num_orbitals, const std::vector<int>& core,
                                    const std::vector<int>& virtuals, const FrozenNames& names) {
  std::vector<Role> roles(num_orbitals, Role::active);
  assign(roles, core, Role::core, names);
  assign(roles, virtuals, Role::virt, names);
  OrbitalPartition partition;
  for (int p = 0; p < num_orbitals; ++p) {
    const Role role = roles[p];
    if (role == Role::active) partition.active.push_back(p);
    if (role == Role::core) partition.core.push_back(p);
  }
  if (partition.active.empty()) {
    throw InputError(fmt::format("{}, {}: all {} orbitals are frozen, expected one active orbital at least",
                                 names.core, names.virtuals, num_orbitals));
  }
  return partition;
}

ActiveIntegrals freeze(const Integrals& integrals, const std::vector<int>& core,
                       const std::vector<int>& virtuals) {
  check_shapes(integrals);
  // Sums in a fixed order, however the orbitals are listed.
  const OrbitalPartition partition = partition_orbitals(integrals.num_orbitals, core, virtuals);
  const std::vector<int>& sorted_core = partition.core;
  ActiveIntegrals result;
  result.active_orbitals = partition.active;
  const int n = static_cast<int>(result.active_orbitals.size());

  result.integrals = Integrals(n);
  Integrals& active = result.integrals;
  active.core_energy = core_energy(integrals, sorted_core);
  const auto old = [&result](int p) { return result.active_orbitals[p]; };
  for (int p = 0; p < n; ++p) {
    active.irreps[p] = integrals.irreps[old(p)];
    for (int q = 0; q <= p; ++q) {
      if (integrals.is_unrestricted()) {
        active.h(p, q) = inactive_fock(integrals, Spin::alpha, sorted_core, old(p), old(q));
        continue;
      }
      double h = integrals.h(old(p), old(q));
      for (const int i : sorted_core) {
        h += 2.0 * integrals.eri(old(p), old(q), i, i) - integrals.eri(old(p), i, old(q), i);
      }
      active.h(p, q) = h;
    }
  }
  active.two = over_active(integrals.two, result.active_orbitals);
  if (integrals.is_unrestricted()) {
    active.beta = freeze_beta(integrals, partition);
    if (const auto& overlap = integrals.beta->overlap) {
      std::vector<int> empty;
      for (int p = 0; p < integrals.num_orbitals; ++p) {
        if (!std::ranges::binary_search(partition.active, p) && !std::ranges::binary_search(sorted_core, p))
          empty.push_back(p);
      }
      active.beta->overlap = freeze(*overlap, sorted_core, empty, partition.active);
    }
  }
  return result;
}

}  // namespace cisolve

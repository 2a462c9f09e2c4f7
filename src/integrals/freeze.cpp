// SPDX-License-Identifier: MIT
#include "cisolve/integrals/freeze.hpp"

#include <fmt/format.h>

#include "cisolve/core/error.hpp"

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

double core_energy(const Integrals& integrals, const std::vector<int>& core) {
  double energy = integrals.core_energy;
  for (const int i : core) {
    energy += 2.0 * integrals.h(i, i);
    for (const int j : core) energy += 2.0 * integrals.eri(i, i, j, j) - integrals.eri(i, j, i, j);
  }
  return energy;
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
      double h = integrals.h(old(p), old(q));
      for (const int i : sorted_core) {
        h += 2.0 * integrals.eri(old(p), old(q), i, i) - integrals.eri(old(p), i, old(q), i);
      }
      active.h(p, q) = h;
    }
  }
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= (r == p ? q : r); ++s) {
          active.eri(p, q, r, s) = integrals.eri(old(p), old(q), old(r), old(s));
        }
      }
    }
  }
  return result;
}

}  // namespace cisolve

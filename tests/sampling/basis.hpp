// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cisolve/lattice/pair_shells.hpp"
#include "sampling/configuration.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve::test {

/// Sites of a string's bits, ascending.
inline std::vector<int> sites_of(std::uint32_t string) {
  std::vector<int> sites;
  for (; string != 0; string &= string - 1) sites.push_back(std::countr_zero(string));
  return sites;
}

inline std::vector<std::uint32_t> strings(int sites, int electrons) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t string = 0; string < (std::uint32_t{1} << sites); ++string) {
    if (std::popcount(string) == electrons) all.push_back(string);
  }
  return all;
}

/// visit(configuration) for all configurations of a state.
template <class Visit>
void for_each_configuration(const ReferenceState& state, const Visit& visit) {
  const int sites = state.model.sites();
  sampling::Configuration at(sites, state.electrons);
  const std::vector<std::uint32_t> downs = strings(sites, state.electrons.down);
  for (const std::uint32_t up : strings(sites, state.electrons.up)) {
    for (const std::uint32_t down : downs) {
      if (state.model.is_t_j() && (up & down) != 0) continue;
      at.set(sites_of(up), sites_of(down));
      visit(at);
    }
  }
}

/// ln of what multiplies the determinants, by its definition.
inline double log_projection(const ReferenceState& state, const sampling::Configuration& at) {
  const PairShells shells = pair_shells(state.model);
  const TrialParameters& p = state.parameters;
  const auto value = [](const std::vector<double>& values, int shell) {
    return shell >= 1 && shell <= std::ssize(values) ? values[shell - 1] : 0.0;
  };
  double log = std::log(p.gutzwiller) * at.double_occupancies;
  for (int i = 0; i < state.model.sites(); ++i) {
    for (int j = 0; j < i; ++j) {
      const int up_i = at.up.has(i), down_i = at.down.has(i), up_j = at.up.has(j), down_j = at.down.has(j);
      log += value(p.jastrow, shells(i, j)) * (up_i + down_i - 1) * (up_j + down_j - 1);
      log += value(p.spin_jastrow, shells(i, j)) * 0.25 * (up_i - down_i) * (up_j - down_j);
    }
  }
  return log;
}

}  // namespace cisolve::test

// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

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

}  // namespace cisolve::test

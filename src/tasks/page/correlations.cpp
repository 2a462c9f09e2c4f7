// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "tasks/page/sections.hpp"
#include "tasks/report/displacements.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {

Section correlations_section(const CiResult& result) {
  Section section{"correlations", "Correlations"};
  if (!result.lattice || !result.lattice_states || result.lattice_states->spin_structure_factor.empty())
    return section;
  const LatticeDescription& lattice = *result.lattice;
  const CiResult::LatticeStates& states = *result.lattice_states;
  const auto level = std::ranges::count(states.group, states.group.front());
  Table pairs(
      fmt::format("Correlation functions of the lowest level ({} root{})", level, level == 1 ? "" : "s"),
      {{"displacement"}, {"<S·S>"}, {"<Sz Sz>"}, {"<n n>"}});
  for (const std::size_t d : report::by_distance(lattice)) {
    pairs.add({report::displacement_text(lattice, d), report::fixed(states.s_s[d], 8),
               report::fixed(states.sz_sz[d], 8), report::fixed(states.n_n[d], 8)});
  }
  Table factors("Structure factors and momentum distribution",
                {{"q/π"}, {"S(q)"}, {"N(q)"}, {"k/π"}, {"n(k), up"}, {"down"}});
  const auto sites = static_cast<std::size_t>(lattice.n_sites);
  for (std::size_t q = 0; q < sites; ++q) {
    factors.add({report::momentum_text(lattice, lattice.wave_vectors, q),
                 report::fixed(states.spin_structure_factor[q], 6),
                 report::fixed(states.charge_structure_factor[q], 6),
                 report::momentum_text(lattice, lattice.momenta, q),
                 report::fixed(states.momentum_distribution[q], 6),
                 report::fixed(states.momentum_distribution[sites + q], 6)});
  }
  section.body = pairs.markup() + factors.markup();
  return section;
}

}  // namespace cisolve::page

// SPDX-License-Identifier: MIT
#include "tasks/vmc/measured.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace cisolve {
namespace {

void add_to(std::vector<double>& sums, const std::vector<double>& block) {
  for (std::size_t k = 0; k < block.size(); ++k) sums[k] += block[k];
}

}  // namespace

Measured::Measured(int chains, int displacements) : energies_(chains) {
  const auto count = static_cast<std::size_t>(chains);
  for (auto* sums : {&sums_.kinetic, &sums_.exchange, &sums_.double_occupancy, &sums_.density, &sums_.drift})
    sums->assign(count, 0.0);
  for (auto* sums : {&sums_.n_n, &sums_.sz_sz, &sums_.s_s, &sums_.hop_up, &sums_.hop_down})
    sums->assign(count * static_cast<std::size_t>(displacements), 0.0);
  sums_.accepted.assign(count, 0);
  sums_.stuck.assign(count, 0);
}

Measured::Measured(Sums sums, const SeriesState& energies) : sums_(std::move(sums)), energies_(energies) {}

void Measured::add(const BlockSums& block) {
  const auto per_chain = static_cast<std::size_t>(block.energies_per_chain);
  for (int chain = 0; chain < block.chains; ++chain) {
    energies_.append(chain,
                     std::span(block.energy).subspan(static_cast<std::size_t>(chain) * per_chain, per_chain));
  }
  add_to(sums_.kinetic, block.kinetic);
  add_to(sums_.exchange, block.exchange);
  add_to(sums_.double_occupancy, block.double_occupancy);
  add_to(sums_.density, block.density);
  if (block.correlations_per_chain > 0) {
    add_to(sums_.n_n, block.n_n);
    add_to(sums_.sz_sz, block.sz_sz);
    add_to(sums_.s_s, block.s_s);
    add_to(sums_.hop_up, block.hop_up);
    add_to(sums_.hop_down, block.hop_down);
  }
  sums_.energies += block.energies_per_chain;
  sums_.correlations += block.correlations_per_chain;
  for (std::size_t chain = 0; chain < sums_.drift.size(); ++chain) {
    sums_.drift[chain] = std::max(sums_.drift[chain], block.drift[chain]);
    sums_.accepted[chain] += block.accepted[chain];
    if (block.accepted[chain] == 0) ++sums_.stuck[chain];
  }
}

}  // namespace cisolve

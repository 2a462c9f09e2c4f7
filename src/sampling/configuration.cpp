// SPDX-License-Identifier: MIT
#include "sampling/configuration.hpp"

#include <algorithm>

namespace cisolve::sampling {

SpinPlaces::SpinPlaces(int sites, int electrons)
    : occupied_(electrons), free_(sites - electrons), at_(sites) {}

void SpinPlaces::set(std::span<const int> occupied) {
  std::ranges::fill(at_, -1);
  std::ranges::copy(occupied, occupied_.begin());
  for (int e = 0; e < static_cast<int>(occupied_.size()); ++e) at_[occupied_[e]] = e;
  int slot = 0;
  for (int site = 0; site < static_cast<int>(at_.size()); ++site) {
    if (at_[site] >= 0) continue;
    at_[site] = ~slot;
    free_[slot++] = site;
  }
}

bool SpinPlaces::set(std::span<const int> occupied, std::span<const int> free) {
  if (occupied.size() != occupied_.size() || free.size() != free_.size()) return false;
  const int sites = static_cast<int>(at_.size());
  std::vector<bool> seen(at_.size(), false);
  for (const auto& list : {occupied, free}) {
    for (const int site : list) {
      if (site < 0 || site >= sites || seen[site]) return false;
      seen[site] = true;
    }
  }
  set(occupied);
  std::ranges::copy(free, free_.begin());
  for (int slot = 0; slot < static_cast<int>(free_.size()); ++slot) at_[free_[slot]] = ~slot;
  return true;
}

void Configuration::set(std::span<const int> up_sites, std::span<const int> down_sites) {
  up.set(up_sites);
  down.set(down_sites);
  count_double_occupancies();
}

void Configuration::count_double_occupancies() {
  double_occupancies =
      static_cast<int>(std::ranges::count_if(up.occupied(), [&](int site) { return down.has(site); }));
}

}  // namespace cisolve::sampling

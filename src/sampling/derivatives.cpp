// SPDX-License-Identifier: MIT
#include "sampling/derivatives.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cisolve::sampling {

DerivativeTerms::DerivativeTerms(const TrialState& trial) : trial_(trial) {
  has_jastrow_ =
      std::ranges::any_of(trial.varied, [](const TrialParameter& which) { return which.is_of_jastrow(); });
  charges_.resize(trial.jastrow.like.size());
  spins_.resize(trial.jastrow.like.size());
}

/// Whole numbers, so that their sums are exact.
void DerivativeTerms::count_pairs(const Configuration& at) {
  charged_.clear();
  spinning_.clear();
  const PairShells& shells = trial_.jastrow.shells;
  for (int i = 0; i < shells.sites; ++i) (at.up.has(i) == at.down.has(i) ? charged_ : spinning_).push_back(i);
  const auto add = [&shells](const std::vector<int>& sites, const SpinPlaces& positive,
                             std::vector<int>& sums) {
    std::ranges::fill(sums, 0);
    for (std::size_t a = 1; a < sites.size(); ++a) {
      const std::int16_t* of_site = shells.of_site(sites[a]);
      const bool is_positive = positive.has(sites[a]);
      for (std::size_t b = 0; b < a; ++b)
        sums[of_site[sites[b]]] += positive.has(sites[b]) == is_positive ? 1 : -1;
    }
  };
  // A site with two electrons has the charge 1, one without -1.
  add(charged_, at.up, charges_);
  add(spinning_, at.up, spins_);
}

}  // namespace cisolve::sampling

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/lattice/pair_shells.hpp"
#include "cisolve/sampling/trial_state.hpp"
#include "cuda/sampling/views.hpp"

namespace cisolve::cuda::sampling {

/// Pairs of sites by shells, so that a sum over a shell reads no others.
class ShellPairs {
public:
  explicit ShellPairs(const PairShells& shells) : begins_(static_cast<std::size_t>(shells.count()) + 2) {
    const auto for_each_pair = [&shells](auto&& visit) {
      for (int i = 0; i < shells.sites; ++i) {
        for (int j = 0; j < i; ++j) visit(static_cast<std::size_t>(shells(i, j)), i, j);
      }
    };
    for_each_pair([this](std::size_t shell, int, int) { ++begins_[shell + 1]; });
    for (std::size_t shell = 1; shell < begins_.size(); ++shell) begins_[shell] += begins_[shell - 1];
    pairs_.resize(static_cast<std::size_t>(begins_.back()));
    std::vector<std::int32_t> next = begins_;
    for_each_pair([this, &next](std::size_t shell, int i, int j) {
      pairs_[static_cast<std::size_t>(next[shell]++)] = {static_cast<Site>(i), static_cast<Site>(j)};
    });
  }

  const std::vector<SitePair>& pairs() const { return pairs_; }

  /// Those of a parameter's shell, none of parameters without.
  /// @param copy  of pairs(), where the view is read
  void put_into(ParameterView& view, TrialParameter which, const SitePair* copy) const {
    if (!which.is_of_jastrow()) return;
    const std::int32_t* begin = &begins_[static_cast<std::size_t>(which.shell)];
    view.pairs = copy + begin[0];
    view.num_pairs = begin[1] - begin[0];
  }

private:
  std::vector<SitePair> pairs_;       ///< each once, those of shell 0 first
  std::vector<std::int32_t> begins_;  ///< [shells + 2] of each shell in them, and the end
};

}  // namespace cisolve::cuda::sampling

// SPDX-License-Identifier: MIT
#include "tasks/selected/beginning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/number_text.hpp"
#include "core/stopwatch.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/selected/growth_end.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t few_determinants = 400;

/// See find_beginning.
class Beginning {
public:
  Beginning(const RunContext& context, SelectedCi& list, int wanted)
      : context_(context), selection_(*context.config.selection), list_(list), wanted_(wanted) {}

  std::int64_t operator()() {
    const std::int64_t first = list_.size();
    const Stopwatch solving;
    Ranking ranking;
    try {
      ranking = rank_states();
    } catch (...) {  // it begins anew
      list_.keep_strongest({}, first, first);
      throw;
    }
    if (!ranking.is_certain()) warn_of_doubt(ranking);
    const std::int64_t looked_at = list_.size();
    // Some passes are left to extrapolate from. What is not among the strongest quarter may be of other roots.
    constexpr std::int64_t share_of_list = 4, share_of_wanted = 8;
    const std::int64_t beginning =
        std::min(looked_at / share_of_list, selection_.determinants / share_of_wanted);
    list_.keep_strongest(ranking.lowest, first, beginning);
    context_.result.timing.solve += solving.seconds();
    return looked_at;
  }

private:
  /// Roots by E + E2; with intruders, which make anything of E2, by E.
  struct Ranking {
    std::vector<int> lowest;    ///< numbers of as many as wanted, ascending
    double gap = 0.0;           ///< of E + E2 to the next one, hartree; infinite: there is none
    double second_order = 0.0;  ///< the lowest E2 of these, hartree
    int needed = 0;             ///< roots to go on with, to tell these from others
    std::int64_t intruders = 0;

    /// Near their crossing E + E2 of two states of C2 were off by up to 0.14 of E2 against each other, and a list for one
    /// of them mixed them at 0.2 to 0.3. Of a degenerate set any root is right.
    static constexpr double share_in_doubt = 0.3, degenerate = 1e-6;
    bool is_certain() const {
      return intruders == 0 && (gap > share_in_doubt * std::abs(second_order) || gap < degenerate);
    }
  };

  void warn_of_doubt(const Ranking& ranking) const {
    const std::string both = fmt::format("states.count = {} grows for both", wanted_ + 1);
    if (ranking.intruders > 0) {
      context_.warn(fmt::format(
          "selection: which states are lowest was not to be told at {} determinants, since others "
          "lie no higher than a root that they couple to; {}, or more",
          format_count(list_.size()), both));
    } else {
      context_.warn(fmt::format(
          "selection: E + E2 of two states differ by {:.1e} hartree at {} determinants, where E2 is "
          "{:.1e}: too little to tell which is lower. A list that grows for one of them may end in "
          "the other; {}",
          ranking.gap, format_count(list_.size()), ranking.second_order, both));
    }
  }

  /// Lets the list grow for more roots than wanted until the wanted ones are known to be lowest, or it is long.
  Ranking rank_states() {
    ProgressLine progress(context_.control, "Looking for the lowest states");
    const BuildOptions building{.progress = {}, .stop = context_.control.stop};
    const ExternalOptions summing{.progress = progress.callback(), .stop = context_.control.stop};
    constexpr std::int64_t long_list = 16'000, share = 4;  // a host has its roots at once
    const std::int64_t longest = std::clamp(selection_.determinants / share, few_determinants, long_list);
    FurtherRoots further{.count = further_roots};
    Ranking ranking;
    while (true) {
      (void)list_.solve(stop_observer(context_), building, further);
      throw_if_stopped(context_);
      SelectionPass pass{.criterion = SelectionCriterion::perturbation, .most = 2 * list_.size()};
      if (list_.size() >= few_determinants) pass.most = std::min(pass.most, longest);
      pass.accepts = [&](const SelectionCandidates& found) {
        ranking = ranking_of(*found.second_order);
        if (list_.size() < few_determinants) return true;
        // High roots have intruders first, and matter least.
        further.count = ranking.intruders > 0 ? std::max(1, further.count / 2) : ranking.needed - wanted_;
        return !ranking.is_certain() && list_.size() < longest &&
               !is_small_enough(selection_, *found.second_order, wanted_);
      };
      if (list_.grow(pass, summing).added == 0) return ranking;
    }
  }

  Ranking ranking_of(const SecondOrder& found) const {
    const std::span<const double> energies = list_.energies();
    std::vector<double> totals(energies.begin(), energies.end());
    for (std::size_t k = 0; found.intruders == 0 && k < totals.size(); ++k) totals[k] += found.energy[k];
    Ranking ranking;
    ranking.intruders = found.intruders;
    std::vector<int>& numbers = ranking.lowest;
    numbers.resize(totals.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto total = [&](int k) { return totals[static_cast<std::size_t>(k)]; };
    std::ranges::stable_sort(numbers, {}, total);
    const std::size_t wanted = std::min(numbers.size(), static_cast<std::size_t>(wanted_));
    const std::size_t compared = std::min(wanted + 1, numbers.size());
    for (std::size_t k = 0; k < compared; ++k)
      ranking.second_order =
          std::min(ranking.second_order, found.energy[static_cast<std::size_t>(numbers[k])]);
    const double last = total(numbers[wanted - 1]);
    ranking.gap = compared > wanted ? total(numbers[wanted]) - last : std::numeric_limits<double>::infinity();
    for (const int k : numbers) {
      if (total(k) - last <= Ranking::share_in_doubt * std::abs(ranking.second_order))
        ranking.needed = std::max(ranking.needed, k + 1);
    }
    numbers.resize(wanted);
    std::ranges::sort(numbers);
    return ranking;
  }

  const RunContext& context_;
  const SelectionConfig& selection_;
  SelectedCi& list_;
  int wanted_;  ///< roots
};

}  // namespace

bool needs_beginning(const SelectionConfig& selection, std::int64_t determinants) {
  return !selection.grows_by_threshold() && determinants < few_determinants &&
         determinants < selection.determinants;
}

std::int64_t find_beginning(const RunContext& context, SelectedCi& list, int wanted) {
  return Beginning(context, list, wanted)();
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/selected/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/selection/extrapolation.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "core/stopwatch.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/selected/report.hpp"

namespace cisolve {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// E2 by the sum that the input asks for.
SecondOrder sum_externals(const RunContext& context, const SelectedCi& list,
                          const Wavefunctions& wavefunctions) {
  const SelectionConfig& selection = *context.config.selection;
  ProgressLine progress(context.control, "Summing up the perturbation");
  const ExternalOptions options{.progress = progress.callback(), .stop = context.control.stop};
  if (selection.perturbation != SelectionConfig::Perturbation::semistochastic)
    return list.second_order(wavefunctions, options);
  SamplingConfig sampling;
  sampling.error = selection.perturbation_error;
  sampling.seed = selection.seed;
  SecondOrder found = list.estimate_second_order(wavefunctions, sampling, options);
  const double error = *std::ranges::max_element(found.energy_error);
  if (error > sampling.error) {
    context.warn(fmt::format(
        "selection.perturbation_error: {:.1e} hartree was asked for, {:.1e} was reached with {} samples",
        sampling.error, error, format_count(sampling.most_samples)));
  }
  return found;
}

/// Puts E2 into the last pass.
void record_second_order(CiResult::Selection& reached, const SecondOrder& found) {
  const std::size_t roots = reached.num_roots, first = reached.energy.size() - roots;
  for (std::size_t k = 0; k < std::min(roots, found.energy.size()); ++k) {
    reached.second_order[first + k] = found.energy[k];
    reached.second_order_error[first + k] = found.energy_error[k];
    reached.variance[first + k] = found.variance[k];
  }
  reached.externals.back() = found.externals;
}

/// The growth of one list.
class Growth {
public:
  Growth(const RunContext& context, SelectedCi& list, CiResult::Selection& reached,
         const SelectionSaver& save)
      : context_(context), selection_(*context.config.selection), list_(list), reached_(reached), save_(save),
        before_(reached.seconds.empty() ? 0.0 : reached.seconds.back()), totals_(known_totals()) {}

  SolverStatus operator()() {
    print_passes_heading(context_.report, reached_);
    print_new();
    try {
      find_beginning();
      while (pass()) keep();
    } catch (const Interrupted&) {
      save_(list_, reached_);
      return SolverStatus::interrupted;
    } catch (const ResourceError&) {  // all that grew is kept
      save_(list_, reached_);
      throw;
    }
    if (!list_.why_not_device().empty())
      context_.warn(fmt::format("run.device: {}; the CPU did that", list_.why_not_device()));
    print_new();
    print_end(context_.report, reached_);
    return SolverStatus::converged;
  }

private:
  static constexpr std::int64_t few_determinants = 400;
  static constexpr int further_roots = 4;

  bool by_threshold() const {
    return !selection_.epsilon.empty() || selection_.criterion == SelectionCriterion::heat_bath;
  }
  bool wants_second_order() const { return selection_.perturbation != SelectionConfig::Perturbation::none; }

  /// Threshold of the stage that is under way.
  double epsilon() const {
    constexpr double first = 1e-2, factor = 0.5;  // hartree
    if (!by_threshold()) return 0.0;
    const std::size_t stage = reached_.stage;
    return selection_.epsilon.empty() ? first * std::pow(factor, static_cast<double>(stage))
                                      : selection_.epsilon[stage];
  }
  bool is_last_stage() const {
    return !selection_.epsilon.empty() && reached_.stage + 1 == std::ssize(selection_.epsilon);
  }

  /// Solves over the list, and lets it grow. @return whether it goes on
  bool pass() {
    if (!is_solved_) solve();
    if (list_.size() >= selection_.determinants) return end("there are as many determinants as asked for");
    is_solved_ = false;
    const GrownList grown = grow();
    print_new();
    if (grown.was_cut) {
      context_.warn(
          fmt::format("selection: the list ends at {} determinants, since there is no memory for more; "
                      "run.memory allows {}",
                      format_count(list_.size()), format_bytes(list_.memory())));
      return end("there is no memory for more");
    }
    if (!reached_.end.empty()) return false;
    if (grown.added > 0) return true;
    is_solved_ = true;  // the same list goes into the next stage
    if (selection_.criterion == SelectionCriterion::amplitude && selection_.core > 0)
      return end("the core leads to no other determinants");
    if (!by_threshold()) return end("there are no more determinants");
    if (is_last_stage()) return end("nothing is left above the last threshold");
    ++reached_.stage;
    constexpr double smallest = 1e-12;  // hartree: what is above is all there is
    return epsilon() > smallest || !selection_.epsilon.empty() || end("there are no more determinants");
  }

  /// Of a few determinants the lowest root may be one that is not among the lowest of a longer list, and has another
  /// symmetry than these, so that nothing that belongs to them would ever come in (C2 fell into its 1-Delta-g). So a list
  /// that grows by numbers first grows for some more roots, until perturbation theory tells which are lowest. The
  /// determinants that these began with, and what is strong in those roots, are what the list begins with.
  void find_beginning() {
    const std::int64_t first = list_.size();
    if (by_threshold() || !reached_.determinants.empty() || reached_.followed > 0 ||
        first >= few_determinants || first >= selection_.determinants)
      return;
    const Stopwatch solving;
    Ranking ranking;
    try {
      ranking = rank_states();
    } catch (...) {  // it begins anew
      list_.keep_strongest({}, first, first);
      throw;
    }
    if (!ranking.is_certain()) warn_of_doubt(ranking);
    reached_.followed = list_.size();
    // Some passes are left to extrapolate from. What is not among the strongest quarter may be of other roots.
    constexpr std::int64_t share_of_list = 4, share_of_wanted = 8;
    const std::int64_t beginning =
        std::min(list_.size() / share_of_list, selection_.determinants / share_of_wanted);
    list_.keep_strongest(ranking.lowest, first, beginning);
    context_.result.timing.solve += solving.seconds();
  }

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
    const std::string both = fmt::format("states.count = {} grows for both", reached_.num_roots + 1);
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
      (void)list_.solve(observer(), building, further);
      stop_if_asked();
      SelectionPass pass{.criterion = SelectionCriterion::perturbation, .most = 2 * list_.size()};
      if (list_.size() >= few_determinants) pass.most = std::min(pass.most, longest);
      pass.accepts = [&](const SelectionCandidates& found) {
        ranking = ranking_of(*found.second_order);
        if (list_.size() < few_determinants) return true;
        // High roots have intruders first, and matter least.
        further.count =
            ranking.intruders > 0 ? std::max(1, further.count / 2) : ranking.needed - reached_.num_roots;
        return !ranking.is_certain() && list_.size() < longest && !is_small_enough(*found.second_order);
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
    const std::size_t wanted = std::min(numbers.size(), static_cast<std::size_t>(reached_.num_roots));
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

  /// Whether E2 of all wanted roots is, where the growth ends by that.
  bool is_small_enough(const SecondOrder& found) const {
    const std::size_t roots = std::min<std::size_t>(found.energy.size(), reached_.num_roots);
    return selection_.correction > 0.0 &&
           std::all_of(found.energy.begin(), found.energy.begin() + static_cast<std::ptrdiff_t>(roots),
                       [&](double energy) { return std::abs(energy) <= selection_.correction; });
  }

  /// Until there are so many that their lowest roots are the right ones, those found in the beginning are followed.
  FurtherRoots to_follow() const {
    if (by_threshold() || list_.size() >= reached_.followed) return {};
    return {.count = further_roots, .follow = true};
  }

  std::function<SolverAction(const SearchState&)> observer() const {
    return [this](const SearchState&) {
      return context_.control.stop_requested() ? SolverAction::stop : SolverAction::proceed;
    };
  }
  void stop_if_asked() const {
    if (context_.control.stop_requested()) throw Interrupted("stopped while a list was solved");
  }

  void solve() {
    const Stopwatch solving;
    ProgressLine progress(context_.control, "Building the Hamiltonian");
    const Roots roots = list_.solve(
        observer(), {.progress = progress.callback(), .stop = context_.control.stop}, to_follow());
    context_.result.timing.solve += solving.seconds();
    if (roots.status == SolverStatus::interrupted) throw Interrupted("stopped while a list was solved");
    is_solved_ = true;
    if (roots.status != SolverStatus::converged)
      context_.warn(fmt::format(
          "selection: the roots over {} determinants were not converged; solver.max_iterations may be "
          "too small",
          format_count(list_.size())));
    const bool is_known = !reached_.determinants.empty() && reached_.determinants.back() == list_.size();
    if (!is_known) record(roots.energies);  // else it was interrupted after that
  }

  /// Passes that are done and not printed yet.
  void print_new() {
    for (; printed_ < reached_.determinants.size(); ++printed_)
      print_pass(context_.report, reached_, printed_);
    context_.report.flush();
  }

  void record(std::span<const double> energies) {
    const std::size_t count = reached_.num_roots;
    reached_.epsilon.push_back(by_threshold() ? epsilon() : none);
    reached_.determinants.push_back(list_.size());
    reached_.nonzeros.push_back(list_.nonzeros());
    reached_.externals.push_back(0);
    reached_.seconds.push_back(before_ + clock_.seconds());
    for (std::size_t k = 0; k < count; ++k)
      reached_.energy.push_back(k < energies.size() ? energies[k] : none);
    for (auto* values : {&reached_.second_order, &reached_.second_order_error, &reached_.variance})
      values->resize(reached_.energy.size(), none);
  }

  GrownList grow() {
    SelectionPass pass{.criterion = selection_.criterion, .epsilon = epsilon()};
    pass.core = selection_.core;
    if (!by_threshold()) {
      const double larger = std::ceil(selection_.growth * static_cast<double>(list_.size()));
      pass.most = static_cast<std::int64_t>(std::min(larger, static_cast<double>(selection_.determinants)));
      pass.most = std::max(pass.most, list_.size() + 1);
    }
    pass.accepts = [&](const SelectionCandidates& found) { return accepts(found); };
    if (selection_.criterion == SelectionCriterion::amplitude && wants_second_order()) {
      note(sum_externals(context_, list_, {list_.vectors(), list_.energies()}));
      if (!reached_.end.empty()) return {};
    }
    ProgressLine progress(context_.control, "Selecting determinants");
    return list_.grow(pass, {.progress = progress.callback(), .stop = context_.control.stop});
  }

  /// Whether what was found is added; with few of them a stage ends, and so may the growth.
  bool accepts(const SelectionCandidates& found) {
    if (found.second_order != nullptr) note(*found.second_order);
    if (!reached_.end.empty()) return false;
    if (!by_threshold()) return true;
    const bool few =
        static_cast<double>(found.count) <= selection_.stage_end * static_cast<double>(list_.size());
    const bool stage_ends = found.count == 0 || (few && !is_last_stage());
    if (!stage_ends) return true;
    if (found.second_order == nullptr && wants_second_order() && !is_last_stage())
      note(sum_externals(context_, list_, {list_.vectors(), list_.energies()}));
    return false;
  }

  /// Records E2, and ends the growth where it is small enough.
  void note(const SecondOrder& found) {
    record_second_order(reached_, found);
    const std::size_t last = reached_.energy.size() - reached_.num_roots;
    const std::size_t roots =
        std::min<std::size_t>(found.energy.size(), reached_.num_roots);  // or a degenerate set
    std::vector<double> totals;
    for (std::size_t k = 0; k < roots; ++k) totals.push_back(reached_.energy[last + k] + found.energy[k]);
    const auto is_settled = [&](std::size_t k) {
      return k < totals_.size() && std::abs(totals[k] - totals_[k]) <= selection_.correction_change;
    };
    const auto all = [&](const auto& holds) {
      bool hold = roots > 0;
      for (std::size_t k = 0; k < roots; ++k) hold = hold && holds(k);
      return hold;
    };
    if (is_small_enough(found)) end("the correction is small enough");
    if (selection_.correction_change > 0.0 && all(is_settled))
      end("the corrected energy changes by little enough");
    totals_ = std::move(totals);
  }

  /// E + E2 of the last pass that has it, of a growth that goes on; not of the pass that is done again.
  std::vector<double> known_totals() const {
    const std::size_t roots = reached_.num_roots;
    for (std::size_t pass = reached_.determinants.size(); pass-- > 0;) {
      std::vector<double> totals;
      for (std::size_t k = 0; k < roots; ++k) {
        const std::size_t at = pass * roots + k;
        if (!std::isnan(reached_.second_order[at]))
          totals.push_back(reached_.energy[at] + reached_.second_order[at]);
      }
      const bool is_again = reached_.determinants[pass] == list_.size();
      if (!totals.empty() && !is_again) return totals;
    }
    return {};
  }

  bool end(const char* why) {
    reached_.end = why;
    return false;
  }

  void keep() {
    const bool asked = context_.control.checkpoint_requested();
    if (!asked && since_saved_.seconds() < context_.config.checkpoint_interval) return;
    save_(list_, reached_);
    since_saved_ = Stopwatch();
  }

  const RunContext& context_;
  const SelectionConfig& selection_;
  SelectedCi& list_;
  CiResult::Selection& reached_;
  const SelectionSaver& save_;
  double before_;               ///< seconds of an interrupted growth
  std::vector<double> totals_;  ///< E + E2 of the round before
  Stopwatch clock_, since_saved_;
  bool is_solved_ = false;
  std::size_t printed_ = 0;
};

/// Passes of a root that have E2, in the order of growth.
std::vector<SelectedPoint> points_of(const CiResult::Selection& reached, std::size_t root) {
  std::vector<SelectedPoint> points;
  for (std::size_t at = root; at < reached.energy.size(); at += reached.num_roots) {
    if (!std::isnan(reached.second_order[at]))
      points.push_back({reached.energy[at], reached.second_order[at], reached.second_order_error[at]});
  }
  return points;
}

}  // namespace

SolverStatus grow_list(const RunContext& context, SelectedCi& list, CiResult::Selection& reached,
                       const SelectionSaver& save) {
  return Growth(context, list, reached, save)();
}

namespace {

/// E2 of the last pass, where its roots are those of the sector to the last digits, none of them close to another, which
/// labels may have rotated; else none.
std::optional<SecondOrder> known_second_order(const CiResult::Selection& reached,
                                              std::span<const double> energies) {
  constexpr double same = 1e-9, apart = 1e-5;  // hartree
  const std::size_t roots = reached.num_roots, first = reached.energy.size() - roots;
  if (energies.size() != roots) return std::nullopt;
  SecondOrder known;
  known.externals = reached.externals.back();
  for (std::size_t k = 0; k < roots; ++k) {
    const bool is_close = k > 0 && energies[k] - energies[k - 1] < apart;
    if (is_close || std::isnan(reached.second_order[first + k]) ||
        !(std::abs(reached.energy[first + k] - energies[k]) < same))
      return std::nullopt;
    known.energy.push_back(reached.second_order[first + k]);
    known.energy_error.push_back(reached.second_order_error[first + k]);
    known.variance.push_back(reached.variance[first + k]);
  }
  return known;
}

}  // namespace

namespace {

/// A list that is not closed under spin flips may hold more of another spin than of the one that it began with.
void warn_of_spins(const RunContext& context, const CiResult::Sector& sector) {
  constexpr double visible = 0.1;  // hbar^2
  if (sector.space.spin_complete) return;
  for (std::size_t k = 0; k < sector.roots.size(); ++k) {
    const double s_squared = sector.roots[k].s_squared, s = 0.5 * (std::sqrt(1.0 + 4.0 * s_squared) - 1.0);
    const double nearest = 0.5 * std::round(2.0 * s);
    if (!(std::abs(s_squared - nearest * (nearest + 1.0)) > visible)) continue;
    context.warn(fmt::format(
        "selection: <S^2> of root {} is {:.2f}, that of no spin: the list is not closed under spin "
        "flips; states.multiplicity, or space.spin_complete = true, closes it",
        k + 1, s_squared));
  }
}

}  // namespace

void add_second_order(const RunContext& context, const SelectedCi& list, CiResult::Sector& sector) {
  if (context.config.selection->perturbation == SelectionConfig::Perturbation::none || sector.roots.empty())
    return;
  const Stopwatch summing;
  std::vector<double> energies;
  for (const Root& root : sector.roots) energies.push_back(root.energy);
  CiResult::Selection& reached = *sector.selection;
  Array<double> buffer;
  const auto known_before = known_second_order(reached, energies);
  const SecondOrder found =
      known_before ? *known_before
                   : sum_externals(context, list,
                                   {sector.vectors->view(0, sector.vectors->columns(), buffer), energies});
  if (found.intruders > 0) {
    context.warn(fmt::format(
        "selection: {} determinants outside of the list lie no higher than a root that they couple to, "
        "so that second-order perturbation theory says little; a longer list, or more roots, take "
        "them in",
        format_count(found.intruders)));
  }
  warn_of_spins(context, sector);
  const std::size_t known = std::min<std::size_t>(reached.num_roots, sector.roots.size());
  record_second_order(reached, found);
  for (std::size_t k = 0; k < known; ++k)
    reached.energy[reached.energy.size() - reached.num_roots + k] = energies[k];
  for (std::size_t k = 0; k < sector.roots.size(); ++k) {
    Root& root = sector.roots[k];
    root.second_order = found.energy[k];
    root.second_order_error = found.energy_error[k];
    root.variance = found.variance[k];
    if (k >= known) continue;
    if (found.externals == 0 && found.energy_error[k] == 0.0) {  // all that H connects is in the list
      root.extrapolated_energy = root.energy;
      root.extrapolated_error = 0.0;
    } else if (const auto limit = extrapolate(points_of(reached, k))) {
      root.extrapolated_energy = limit->energy;
      root.extrapolated_error = limit->error;
    }
  }
  context.result.timing.analysis += summing.seconds();
}

}  // namespace cisolve

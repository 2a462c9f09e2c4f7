// SPDX-License-Identifier: MIT
#include "tasks/selected/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "core/stopwatch.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/selected/beginning.hpp"
#include "tasks/selected/growth_end.hpp"
#include "tasks/selected/report.hpp"
#include "tasks/selected/second_order.hpp"

namespace cisolve {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

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
      begin();
      while (pass()) keep();
    } catch (const Interrupted&) {
      save_(list_, reached_);
      return SolverStatus::interrupted;
    } catch (const ResourceError&) {  // all that grew is kept
      save_(list_, reached_);
      throw;
    }
    print_new();
    print_end(context_.report, reached_);
    return SolverStatus::converged;
  }

private:
  bool by_threshold() const { return selection_.grows_by_threshold(); }
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
    warn_of_device();
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

  /// At once: what the device was to do may take the CPU much longer.
  void warn_of_device() {
    if (list_.why_not_device() == why_not_device_) return;
    why_not_device_ = list_.why_not_device();
    context_.warn(fmt::format("run.device: {}; the CPU does that", why_not_device_));
  }

  void begin() {
    const bool is_known = !reached_.determinants.empty() || reached_.followed > 0;
    if (!is_known && needs_beginning(selection_, list_.size()))
      reached_.followed = find_beginning(context_, list_, reached_.num_roots);
  }

  /// Until there are so many that their lowest roots are the right ones, those found in the beginning are followed.
  FurtherRoots to_follow() const {
    if (by_threshold() || list_.size() >= reached_.followed) return {};
    return {.count = further_roots, .follow = true};
  }

  void solve() {
    const Stopwatch solving;
    ProgressLine progress(context_.control, "Building the Hamiltonian");
    const Roots roots =
        list_.solve(stop_observer(context_), {.progress = progress.callback(), .stop = context_.control.stop},
                    to_follow());
    context_.result.timing.solve += solving.seconds();
    if (roots.status == SolverStatus::interrupted) throw Interrupted("stopped while a list was solved");
    is_solved_ = true;
    warn_of_device();
    if (roots.status != SolverStatus::converged)
      context_.warn(fmt::format(
          "selection: the roots over {} determinants were not converged; solver.max_iterations may be "
          "too small",
          format_count(list_.size())));
    const bool is_known = !reached_.determinants.empty() && reached_.determinants.back() == list_.size();
    if (is_known) return;  // it was interrupted after that
    record(roots.energies);
    context_.control.tell({.stage = "selection",
                           .iteration = static_cast<int>(std::ssize(reached_.determinants)),
                           .energies = roots.energies,
                           .residual_norms = roots.residual_norms});
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

  /// How many determinants the next list has. Where nothing else ends the growth it goes to the last one by equal factors: no
  /// round is spent on a small step, and E2 of the last lists is spaced for the extrapolation.
  std::int64_t next_size() const {
    const auto size = static_cast<double>(list_.size()), last = static_cast<double>(selection_.determinants);
    double factor = selection_.growth;
    if (selection_.correction == 0.0 && selection_.correction_change == 0.0) {
      constexpr double ties = 0.01;  // rounds: lists are a little longer than asked for, or shorter
      const double rounds = std::max(1.0, std::ceil(std::log(last / size) / std::log(factor) - ties));
      factor = std::pow(last / size, 1.0 / rounds);
    }
    const auto larger = static_cast<std::int64_t>(std::min(std::ceil(factor * size), last));
    return std::max(larger, list_.size() + 1);
  }

  GrownList grow() {
    SelectionPass pass{.criterion = selection_.criterion, .epsilon = epsilon()};
    pass.core = selection_.core;
    if (!by_threshold()) pass.most = next_size();
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
    if (is_small_enough(selection_, found, reached_.num_roots)) end("the correction is small enough");
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
  std::string why_not_device_;  ///< that was said
  bool is_solved_ = false;
  std::size_t printed_ = 0;
};

}  // namespace

SolverStatus grow_list(const RunContext& context, SelectedCi& list, CiResult::Selection& reached,
                       const SelectionSaver& save) {
  return Growth(context, list, reached, save)();
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <ostream>
#include <span>
#include <utility>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/file_lock.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "core/stopwatch.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/vmc/engine.hpp"
#include "tasks/vmc/file.hpp"
#include "tasks/vmc/findings.hpp"
#include "tasks/vmc/moments.hpp"
#include "tasks/vmc/report.hpp"
#include "tasks/vmc/restart.hpp"
#include "tasks/vmc/state.hpp"
#include "tasks/vmc/trial_numbers.hpp"

namespace cisolve {
namespace {

using Phase = VmcState::Phase;

/// One calculation, from its start or from where an earlier one was stopped.
class VmcRun {
public:
  VmcRun(const VmcConfig& config, const RunControl& control, std::ostream& report)
      : config_(config), control_(control), report_(report), trial_(config.trial) {
    result_.version = build_info::version;
    result_.created = utc_timestamp();
    result_.title = config.title;
    result_.input_text = config.input_text;
    result_.resolved_text = config.resolved_text;
    result_.warnings = config.warnings;
    describe_setting(config, result_);
  }

  RunOutcome operator()(const RunOptions& options) {
    result_.device = expected_device(config_);
    print_vmc_setting(report_, result_);
    report_.flush();
    if (has_one_configuration(config_.lattice.model, config_.electrons)) return finish_exactly();
    require_room(config_, {});
    begin(options);
    describe_state(make_state(), result_);
    result_.device = engine_->device();
    if (!go_through_phases()) return interrupted();
    return finish();
  }

private:
  TrialState make_state() const {
    return make_trial_state(config_.lattice.model, config_.electrons, trial_, config_.optimise);
  }

  /// Chains at their starts, or where they were.
  void begin(const RunOptions& options) {
    const Stopwatch starting;
    if (!config_.optimise.empty()) state_.phase = Phase::optimisation;
    std::optional<FoundState> found;
    if (options.restart) {
      found = find_state(config_, options);
      state_ = std::move(found->state);
      set_numbers(state_.trial, trial_);
      report_ << fmt::format("\nGoing on from '{}'.\n", found->file.string());
    }
    std::vector<double> start;
    for (const TrialParameter parameter : config_.optimise)
      start.push_back(parameter_of(config_.trial, parameter));
    if (!start.empty()) make_optimisation(std::move(start));
    if (optimisation_) {
      for (const ReconfigurationIteration& one : optimisation_->history()) warn_of_iteration(one);
    }
    measured_ = found ? Measured(state_.sums, state_.energies)
                      : Measured(config_.chains, measured_displacements(config_));
    engine_ = make_engine(config_, make_state(), found ? &state_.chains : nullptr, control_);
    result_.start_seconds = starting.seconds();
  }

  void make_optimisation(std::vector<double> start) {
    std::vector<ParameterBound> bounds;
    constexpr double least_delta = 1e-3;
    for (const TrialParameter parameter : config_.optimise) {
      bounds.push_back(parameter == TrialParameter::delta ? ParameterBound{0.0, least_delta}
                                                          : ParameterBound{});
    }
    const auto& o = config_.optimisation;
    if (state_.optimisation) {
      optimisation_.emplace(*state_.optimisation, config_.sites(), o.step, o.convergence, std::move(bounds));
    } else {
      optimisation_.emplace(std::move(start), config_.sites(), o.step, o.convergence, std::move(bounds));
    }
  }

  /// @return false: stopped on the way
  bool go_through_phases() {
    if (state_.phase == Phase::optimisation) {
      const Stopwatch optimising;
      if (!optimise()) return false;
      result_.optimisation_seconds = optimising.seconds();
      next_phase(Phase::equilibration);
    }
    if (optimisation_) add_optimisation(config_, *optimisation_, result_);
    if (state_.phase == Phase::equilibration) {
      if (!equilibrate()) return false;
      next_phase(Phase::measurement);
    }
    return measure();
  }

  void next_phase(Phase phase) {
    state_.phase = phase;
    state_.sweeps_done = 0;
  }

  // --- optimisation

  bool optimise() {
    print_optimisation_heading(report_, config_);
    for (std::size_t k = 0; k < optimisation_->history().size(); ++k) print_iteration(k);
    while (std::ssize(optimisation_->history()) < config_.optimisation.iterations &&
           !optimisation_->convergence().reached()) {
      if (control_.stop_requested()) return false;
      iterate();
      print_iteration(optimisation_->history().size() - 1);
      checkpoint_if_due();
    }
    const OptimisedParameters found = optimisation_->result();
    set_parameters(found.values);
    return true;
  }

  void iterate() {
    const auto& o = config_.optimisation;
    constexpr int share = 10;  // of an iteration's sweeps, for the chains to follow the new parameters
    const bool is_first = optimisation_->history().empty();
    const std::int64_t before = is_first ? config_.equilibration : std::max(o.sweeps / share, 1);
    walk(before, 0, {}, [](const BlockSums&) {});
    std::vector<ReconfigurationMoments> moments(
        static_cast<std::size_t>(config_.chains),
        ReconfigurationMoments(static_cast<int>(config_.optimise.size())));
    walk(o.sweeps, 0, {.energy_interval = 1, .with_derivatives = true},
         [&](const BlockSums& block) { add_moments(block, moments); });
    warn_of_iteration(optimisation_->advance(estimate_of(moments)));
    set_parameters(optimisation_->parameters());
  }

  void warn_of_iteration(const ReconfigurationIteration& iteration) {
    for (std::size_t k = 0; k < iteration.left_out.size(); ++k) {
      const std::string name = name_of(config_.optimise[k]);
      if (iteration.left_out[k] != 0)
        warn_once(
            fmt::format("vmc.optimise: {} does not change the wavefunction here, and stays as it is", name));
      if (iteration.at_bound[k] != 0)
        warn_once(fmt::format("vmc.optimise: {} went to zero or below, and was set to 0.001", name));
    }
  }

  void warn_once(const std::string& warning) {
    if (std::ranges::find(result_.warnings, warning) == result_.warnings.end())
      result_.warnings.push_back(warning);
  }

  void set_parameters(const std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) set_parameter(trial_, config_.optimise[k], values[k]);
    const TrialState state = make_state();
    engine_->chains().set_trial(state);
    describe_state(state, result_);
  }

  void print_iteration(std::size_t k) {
    add_optimisation(config_, *optimisation_, result_);
    print_optimisation_iteration(report_, result_, k);
    report_.flush();
    const double energy[] = {result_.optimisation.energy[k]};
    control_.tell({.stage = "vmc optimisation", .iteration = static_cast<int>(k) + 1, .energies = energy});
  }

  // --- sampling

  struct Measuring {
    int energy_interval = 0, correlation_interval = 0;
    bool with_derivatives = false;
  };

  /// Walks a phase from some sweep on, block by block. @return false: stopped at the end of a block
  template <class Take>
  bool walk(std::int64_t sweeps, std::int64_t done, const Measuring& measuring, const Take& take) {
    while (done < sweeps) {
      BlockPlan plan;
      plan.sweeps = static_cast<int>(std::min<std::int64_t>(config_.walk.block, sweeps - done));
      plan.first_sweep = done;
      plan.energy_interval = measuring.energy_interval;
      plan.correlation_interval = measuring.correlation_interval;
      plan.with_derivatives = measuring.with_derivatives;
      const Stopwatch walking;
      engine_->chains().advance_block(plan, block_);
      state_.seconds += walking.seconds();
      state_.steps += std::int64_t{plan.sweeps} * config_.sites() * config_.chains;
      done += plan.sweeps;
      require_moves(plan.sweeps);
      if constexpr (std::is_same_v<decltype(take(block_)), bool>) {
        if (!take(block_)) return true;
      } else {
        take(block_);
      }
      if (is_interruptible_ && control_.stop_requested() && done < sweeps) return false;
    }
    return true;
  }

  /// In the first sweeps that are walked: no chain that moves means that there are no moves.
  void require_moves(std::int64_t sweeps) {
    constexpr std::int64_t enough = 100;
    if (has_moved_) return;
    has_moved_ = std::ranges::any_of(block_.accepted, [](std::int64_t moves) { return moves > 0; });
    still_sweeps_ += sweeps;
    if (has_moved_ || still_sweeps_ < enough) return;
    StepCounts total;
    for (const StepCounts& one : engine_->chains().states().counts) total += one;
    refuse_without_moves(total);
  }

  void refuse_without_moves(const StepCounts& total) const {
    if (total.accepted() > 0) return;  // of an earlier run
    throw InputError(
        fmt::format("vmc: no chain accepted a move in its first {} sweeps: of all proposals {} were hops, {} "
                    "exchanges, {} had no target that is allowed; vmc.neighbour_fraction or "
                    "vmc.exchange_fraction may leave none",
                    still_sweeps_, total.hops_proposed, total.exchanges_proposed, total.null));
  }

  bool equilibrate() {
    ProgressLine progress(control_, "Equilibration");
    is_interruptible_ = true;
    const bool ended = walk(config_.equilibration, state_.sweeps_done,
                            {.energy_interval = config_.measure_interval}, [&](const BlockSums& block) {
                              add_equilibration(block);
                              sweeps_are_done(progress, config_.equilibration);
                            });
    is_interruptible_ = false;
    return ended;
  }

  /// Each measurement's mean over the chains.
  void add_equilibration(const BlockSums& block) {
    const auto n = static_cast<std::size_t>(block.energies_per_chain);
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0.0;
      for (std::size_t chain = 0; chain < static_cast<std::size_t>(block.chains); ++chain)
        sum += block.energy[chain * n + k];
      state_.equilibration.push_back(sum / block.chains);
    }
  }

  void sweeps_are_done(ProgressLine& progress, std::int64_t all) {
    state_.sweeps_done = std::min<std::int64_t>(state_.sweeps_done + config_.walk.block, all);
    if (const Progress tell = progress.callback())
      tell(static_cast<double>(state_.sweeps_done) / static_cast<double>(all));
    checkpoint_if_due();
  }

  bool measure() {
    ProgressLine progress(control_, "Sampling");
    is_interruptible_ = true;
    if (has_reached_target()) return true;
    const bool ended = walk(
        config_.sweeps, state_.sweeps_done,
        {.energy_interval = config_.measure_interval, .correlation_interval = config_.correlation_interval},
        [&](const BlockSums& block) {
          measured_->add(block);
          sweeps_are_done(progress, config_.sweeps);
          say_how_far();
          return !has_reached_target();
        });
    is_interruptible_ = false;
    return ended;
  }

  /// Asked after each of the first blocks, then after ever more of them: all of the series is gone through.
  bool has_reached_target() const {
    if (config_.target_error <= 0.0 || measured_->energies().measurements() == 0) return false;
    constexpr std::int64_t often = 64;
    const std::int64_t blocks = (state_.sweeps_done + config_.walk.block - 1) / config_.walk.block;
    if (blocks % (blocks / often + 1) != 0) return false;
    const MeanEstimate mean = estimate_mean(measured_->energies());
    // Before there is an autocorrelation time the error is a lower bound.
    return (mean.window_found || mean.variance == 0.0) && mean.error / config_.sites() < config_.target_error;
  }

  void say_how_far() {
    constexpr double between = 10.0;  // seconds
    if (!control_.log || since_said_.seconds() < between || measured_->energies().measurements() == 0) return;
    since_said_ = Stopwatch();
    const MeanEstimate mean = estimate_mean(measured_->energies());
    control_.say(LogLevel::info,
                 fmt::format("sweep {} of {}: E/N {:.6f} +- {:.1e} {}, {:.2e} steps/s", state_.sweeps_done,
                             config_.sweeps, mean.mean / config_.sites(), mean.error / config_.sites(),
                             result_.lattice.unit, static_cast<double>(state_.steps) / state_.seconds));
  }

  // --- checkpoints and the end

  void keep_state() {
    state_.chains = engine_->chains().states();
    state_.trial = numbers_of(trial_);
    if (optimisation_) state_.optimisation = optimisation_->state();
    state_.sums = measured_->sums();
    state_.energies = measured_->energies().state();
    state_.bonds = bonds_that_are_listed(config_.lattice.model);
  }

  void checkpoint_if_due() {
    const bool is_due = since_checkpoint_.seconds() >= config_.checkpoint_interval;
    if (!is_due && !control_.checkpoint_requested()) return;
    write_checkpoint();
  }

  void write_checkpoint() {
    keep_state();
    write_vmc_checkpoint(config_.checkpoint_file, state_, config_.resolved_text);
    since_checkpoint_ = Stopwatch();
    control_.say(LogLevel::info, fmt::format("checkpoint written: {}", config_.checkpoint_file.string()));
  }

  RunOutcome interrupted() {
    write_checkpoint();
    report_ << fmt::format("\nInterrupted; go on with: cisolve --restart (checkpoint {})\n",
                           config_.checkpoint_file.string());
    return RunOutcome::interrupted;
  }

  RunOutcome finish_exactly() {
    result_.is_exact = true;
    result_.energy = {energy_of_one_configuration(config_.lattice.model, config_.electrons), 0.0};
    result_.total_seconds = watch_.seconds();
    report_ << "\nThere is one configuration of these electrons: its energy is exact, and no chain walks.\n";
    write_vmc(config_.output_file, result_, nullptr);
    print_vmc_findings(report_, result_);
    report_ << fmt::format("\nResults are in {}.\n", config_.output_file.string());
    return RunOutcome::converged;
  }

  RunOutcome finish() {
    keep_state();
    result_.sweeps = state_.sweeps_done;
    result_.steps = state_.steps;
    for (const StepCounts& one : state_.chains.counts) result_.counts += one;
    if (!has_moved_ && still_sweeps_ > 0) refuse_without_moves(result_.counts);
    result_.sampling_seconds = state_.seconds;
    result_.steps_per_second = static_cast<double>(state_.steps) / std::max(state_.seconds, 1e-9);
    add_findings(config_, state_, result_);
    const bool is_optimised = !optimisation_ || result_.optimisation.converged;
    if (!is_optimised) {
      result_.warnings.push_back(fmt::format(
          "the optimisation did not converge in {} iterations: parameters are means of the last {}",
          config_.optimisation.iterations, config_.optimisation.convergence.window));
    }
    result_.total_seconds = watch_.seconds();
    print_vmc_findings(report_, result_);
    write_vmc(config_.output_file, result_, &state_);
    std::error_code ignored;
    std::filesystem::remove(config_.checkpoint_file, ignored);
    report_ << fmt::format("\nResults are in {}.\n", config_.output_file.string());
    return is_optimised && result_.target_reached ? RunOutcome::converged : RunOutcome::not_converged;
  }

  const VmcConfig& config_;
  const RunControl& control_;
  std::ostream& report_;
  const Stopwatch watch_;
  Stopwatch since_checkpoint_, since_said_;
  TrialParameters trial_;
  VmcResult result_;
  VmcState state_;
  std::optional<Reconfiguration> optimisation_;
  std::optional<Measured> measured_;
  std::unique_ptr<VmcEngine> engine_;
  BlockSums block_;
  bool has_moved_ = false;         ///< a move was accepted
  std::int64_t still_sweeps_ = 0;  ///< that were walked before
  bool is_interruptible_ = false;  ///< at the end of each block
};

}  // namespace

RunOutcome run_vmc(const VmcConfig& config, const RunOptions& options, const RunControl& control,
                   std::ostream& report) {
  if (options.extend) throw InputError("--extend adds points to a scan; this input has no [scan]");
  const ThreadScope threads(config.threads);
  const FileLock result(config.output_file), checkpoint(config.checkpoint_file);
  for (const FileLock* lock : {&result, &checkpoint}) {
    if (lock->why_not_locked().empty()) continue;
    control.say(
        LogLevel::warning,
        fmt::format(
            "the files of this run cannot be locked ({}): a second run with the same files would not be "
            "refused",
            lock->why_not_locked()));
    break;
  }
  static_cast<void>(
      AtomicFile(config.output_file));  // whether they can be written is better known before the work
  static_cast<void>(AtomicFile(config.checkpoint_file));
  return VmcRun(config, control, report)(options);
}

}  // namespace cisolve

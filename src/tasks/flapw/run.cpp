// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <utility>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/file_lock.hpp"
#include "cisolve/lapw/eigenstates.hpp"
#include "cisolve/problem/lapw_engine.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "core/stopwatch.hpp"
#include "tasks/flapw/check_elements.hpp"
#include "tasks/flapw/file.hpp"
#include "tasks/flapw/plan.hpp"
#include "tasks/flapw/report.hpp"
#include "tasks/flapw/restart.hpp"
#include "tasks/flapw/system.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

/// Where the linearisation is worst: u(E) is about u + (E - E_l) udot, whose second part has the norm |E - E_l| sqrt N_l.
struct FarEnergy {
  double share = 0.0;  ///< |E - E_l|^2 N_l
  double distance = 0.0, energy = 0.0;
  int root = 0, l = 0;
  std::string type;
};
FarEnergy farthest_energy(const lapw::Crystal& crystal, const std::vector<double>& energies) {
  constexpr int most_l = 2;  // beyond, spheres hold little of low states
  FarEnergy far;
  for (const lapw::AtomType& type : crystal.types) {
    for (int l = 0; l <= std::min(most_l, type.lmax); ++l) {
      for (std::size_t root = 0; root < energies.size(); ++root) {
        const double distance = std::abs(energies[root] - type.energy[l]);
        const double share = distance * distance * type.radial.udot_norm[l];
        if (share > far.share)
          far = {share, distance, type.energy[l], static_cast<int>(root) + 1, l, type.name};
      }
    }
  }
  return far;
}

/// The k-points of a calculation, one after another.
class FlapwRun {
public:
  FlapwRun(const FlapwConfig& config, const RunControl& control, std::ostream& report)
      : config_(config), control_(control), report_(report), system_(config) {
    result_.head.version = build_info::version;
    result_.head.created = utc_timestamp();
    result_.head.title = config.title;
    result_.head.input_text = config.input_text;
    result_.head.resolved_text = config.resolved_text;
    system_.describe(result_);
  }

  RunOutcome operator()(const RunOptions& options) {
    if (options.restart) resume(options);
    choose_engine();
    print_flapw_setting(report_, result_);
    report_.flush();
    for (int k = 0; k < system_.num_points(); ++k) {
      if (result_.points[k].is_done()) {
        print_flapw_point(report_, result_, k, control_.verbose);
        continue;
      }
      if (control_.stop_requested()) return interrupted();
      if (!visit(k)) return interrupted();
    }
    return finish();
  }

private:
  void resume(const RunOptions& options) {
    const std::filesystem::path file = options.checkpoint.value_or(config_.output_file);
    if (file != config_.output_file)
      throw InputError(
          fmt::format("--restart: a FLAPW calculation goes on in its result file, '{}', and not from '{}'",
                      config_.output_file.string(), file.string()));
    take_finished_points(config_, file, result_);
    is_new_ = false;
    earlier_seconds_ = result_.seconds;
  }

  void choose_engine() {
    const FlapwPlan plan = plan_flapw(config_, system_);
    Resources resources = available_resources(config_.device);
    if (config_.memory > 0) resources.memory = config_.memory;
    engine_ = make_lapw_engine(choose_lapw_device(resources, plan.memory, plan.waves));
    result_.device = engine_->device();
    result_.blas = engine_->blas();
    if (!engine_->warning().empty()) result_.warn(engine_->warning());
    rate_ = engine_->gemm_rate(plan.waves);
  }

  /// False: interrupted.
  bool visit(int k) {
    const Stopwatch watch;
    FlapwPoint& found = result_.points[k];
    control_.tell({.stage = "hamiltonian", .iteration = k + 1});
    const std::unique_ptr<FlapwSystem::Point> point = system_.point(k);
    if (found.g.empty()) found.g = point->given.g;
    found.hpd_atoms = system_.num_definite_atoms();
    found.gemm_rate = rate_;
    found.algorithm = result_.algorithm;
    const lapw::GenerationOptions options = generation_options(config_, system_);
    found.blocks = engine_->num_blocks(point->problem, options);
    generate(k, point->problem, options);
    if (control_.stop_requested()) return false;
    const ElementCheck check = check_elements(*engine_, point->problem, config_.check);
    found.checked = check.count;
    found.check_error_h = check.error_h;
    found.check_error_s = check.error_s;
    if (!check.is_good())
      result_.warn(fmt::format(
          "k-point {}: elements of H and S differ from their definition by {:.1e} and {:.1e}: this "
          "is an error of the program or of the machine",
          k + 1, check.error_h, check.error_s));
    if (!solve(k)) return false;
    if (!check.is_good()) found.status = FlapwPoint::wrong;
    found.seconds = watch.seconds();
    keep(k);
    return true;
  }

  void generate(int k, const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options) {
    ProgressLine line(control_, fmt::format("k-point {} of {}: H and S", k + 1, system_.num_points()));
    std::vector<std::vector<lapw::LineRecord>> times;
    for (int repeat = 0; repeat < config_.repeat; ++repeat)
      times.push_back(engine_->generate(problem, options, line.callback()));
    result_.points[k].lines = median_lines(times);
  }

  /// False: interrupted.
  bool solve(int k) {
    FlapwPoint& found = result_.points[k];
    const std::int64_t waves = engine_->size();
    const std::int64_t wanted = config_.roots ? *config_.roots : waves;
    if (wanted > waves)
      result_.warn(fmt::format(
          "k-point {}: {} roots were asked for, but there are {} plane waves: all roots are given", k + 1,
          wanted, waves));
    if (wanted == 0) {
      found.status = "matrices";
      return true;
    }
    const lapw::EigenOptions options{.roots = std::min(wanted, waves),
                                     .overlap_threshold = config_.overlap_threshold,
                                     .tolerance = config_.tolerance,
                                     .max_iterations = config_.max_iterations,
                                     .stop = [this] { return control_.stop_requested(); }};
    found.states = uses_davidson(config_, waves) ? lapw::solve_by_davidson(*engine_, options)
                                                 : lapw::solve_directly(*engine_, options);
    found.lines.insert(found.lines.end(), found.states.lines.begin(), found.states.lines.end());
    for (const std::string& note : found.states.notes) control_.say(LogLevel::debug, note);
    if (found.states.interrupted) return false;
    found.status = found.states.all_converged() ? "converged" : "not converged";
    warn_of_states(k, wanted);
    control_.tell({.stage = "solve",
                   .iteration = k + 1,
                   .energies = found.states.energies,
                   .residual_norms = found.states.residual_norms});
    return true;
  }

  void warn_of_states(int k, std::int64_t wanted) {
    const lapw::Eigenstates& states = result_.points[k].states;
    const lapw::OverlapSpectrum& overlap = states.overlap;
    if (overlap.dropped > 0)
      result_.warn(fmt::format(
          "k-point {}: the overlap is nearly singular: {} of {} directions were dropped, with "
          "eigenvalues from {:.1e} up; the smallest that was kept is {:.1e}, the largest {:.1e}",
          k + 1, overlap.dropped, engine_->size(), overlap.lowest, overlap.smallest_kept, overlap.highest));
    constexpr double negative = -1e-10, rounding = 1e-12;
    if (overlap.lowest < negative * overlap.highest)
      result_.warn(fmt::format(
          "k-point {}: the overlap has a negative eigenvalue, {:.1e}: spheres overlap, or A, B, T are "
          "not of one calculation",
          k + 1, overlap.lowest));
    if (states.count() < std::min(wanted, engine_->size()))
      result_.warn(fmt::format(
          "k-point {}: there are {} states, fewer than were asked for, without the directions that "
          "were dropped",
          k + 1, states.count()));
    if (states.stagnated && !states.all_converged())
      result_.warn(fmt::format(
          "k-point {}: Davidson ended after {} iterations, since residuals no longer fell: rounding, with "
          "eigenvalues of the overlap from {:.1e} to {:.1e}",
          k + 1, states.iterations, overlap.lowest, overlap.highest));
    warn_of_energies(k);
    const double largest = states.scaled_residuals.empty() ? 0.0 : std::ranges::max(states.scaled_residuals);
    if (states.solver == "direct" && largest > rounding)
      result_.warn(fmt::format("k-point {}: scaled residuals of up to {:.1e} are more than rounding leaves",
                               k + 1, largest));
  }

  /// Of states that cannot be, or are far from where the radial functions are right.
  void warn_of_energies(int k) {
    const std::vector<double>& energies = result_.points[k].states.energies;
    if (energies.empty() || !result_.crystal || !result_.interstitial) return;
    constexpr double rounding = 1e-3;  // hartree
    const std::optional<double> bound = system_.lowest_potential();
    if (bound && energies.front() < *bound - rounding)
      result_.warn(fmt::format(
          "k-point {}: root 1 lies at {:.4f} hartree, below the lowest value that the potential can have, "
          "{:.4f}: such states are spurious; a larger lmax or a smaller k_max is needed",
          k + 1, energies.front(), *bound));
    const FarEnergy far = farthest_energy(*result_.crystal, energies);
    constexpr double much = 0.25;
    if (far.share > much)
      result_.warn(fmt::format(
          "k-point {}: root {} lies {:.2f} hartree from E_l = {:.4f} of l = {} of type {}: too far for u and "
          "its energy derivative (|E - E_l|^2 N_l = {:.2f}); energies are in hartree",
          k + 1, far.root, far.distance, far.energy, far.l, far.type, far.share));
  }

  void keep(int k) {
    FlapwPoint& found = result_.points[k];
    result_.seconds = earlier_seconds_ + watch_.seconds();
    std::optional<lapw::HermitianPair> matrices;
    if (config_.write_matrices) matrices = engine_->to_host();
    write_flapw(config_.output_file, result_, k + 1, config_.write_vectors, matrices ? &*matrices : nullptr,
                is_new_);
    is_new_ = false;
    found.states.vectors = {};
    print_flapw_point(report_, result_, k, control_.verbose);
    report_.flush();
    const std::string what =
        found.states.energies.empty()
            ? std::string("H and S are made")
            : fmt::format("{}, lowest {:.10f} hartree", found.status, found.states.energies.front());
    control_.say(LogLevel::info, fmt::format("k-point {} of {}: {}, {:.1f} s", k + 1, system_.num_points(),
                                             what, found.seconds));
  }

  RunOutcome interrupted() {
    if (is_new_) throw Interrupted("stopped before the first k-point was done");
    report_ << fmt::format("\nInterrupted; go on with: cisolve --restart (result file {})\n",
                           config_.output_file.string());
    return RunOutcome::interrupted;
  }

  RunOutcome finish() {
    result_.seconds = earlier_seconds_ + watch_.seconds();
    write_flapw(config_.output_file, result_, 0, false, nullptr, is_new_);
    print_flapw_end(report_, result_);
    report_ << fmt::format("\nResults are in {}.\n", config_.output_file.string());
    const auto any_is = [this](std::string_view status) {
      return std::ranges::find(result_.points, status, &FlapwPoint::status) != result_.points.end();
    };
    if (any_is(FlapwPoint::wrong)) return RunOutcome::not_certified;
    return any_is("not converged") ? RunOutcome::not_converged : RunOutcome::converged;
  }

  const FlapwConfig& config_;
  const RunControl& control_;
  std::ostream& report_;
  const Stopwatch watch_;
  FlapwSystem system_;
  FlapwResult result_;
  std::unique_ptr<lapw::Engine> engine_;
  double rate_ = 0.0;  ///< of ZGEMM, flop/s
  double earlier_seconds_ = 0.0;
  bool is_new_ = true;  ///< there is no result file of this run yet
};

}  // namespace

RunOutcome run_flapw(const FlapwConfig& config, const RunOptions& options, const RunControl& control,
                     std::ostream& report) {
  if (options.extend) throw InputError("--extend adds points to a scan; this input has no [scan]");
  const ThreadScope threads(config.threads);
  const FileLock lock(config.output_file);
  if (!lock.why_not_locked().empty())
    control.say(LogLevel::warning,
                fmt::format("the result file cannot be locked ({}): a second run with the same file "
                            "would not be refused",
                            lock.why_not_locked()));
  static_cast<void>(
      AtomicFile(config.output_file));  // whether it can be written is better known before the work
  return FlapwRun(config, control, report)(options);
}

}  // namespace cisolve

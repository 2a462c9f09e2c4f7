// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <utility>
#include <vector>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/file_lock.hpp"
#include "cisolve/problem/lapw_engine.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "core/stopwatch.hpp"
#include "tasks/flapw/file.hpp"
#include "tasks/flapw/plan.hpp"
#include "tasks/flapw/report.hpp"
#include "tasks/flapw/restart.hpp"
#include "tasks/flapw/shared_points.hpp"
#include "tasks/flapw/system.hpp"

namespace cisolve {
namespace {

/// The k-points of a calculation, by this process or by several.
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
    std::vector<int> pending;
    for (int k = 0; k < system_.num_points(); ++k) {
      if (!result_.points[k].is_done()) pending.push_back(k);
    }
    return make_all(pending) ? finish() : interrupted();
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

  /// By all processes, or this one. False: interrupted.
  bool make_all(const std::vector<int>& pending) {
    const ServedRanks* sharers = sharers_of(control_, pending.size());
    const int processes = sharers != nullptr ? sharers->others() + 1 : 1;
    warn_of_idle(pending.size());
    const FlapwPlace place =
        choose_place(config_, plan_flapw(config_, system_, processes), control_, sharers);
    if (!place.warning.empty()) result_.warn(place.warning);
    if (sharers == nullptr) return make_points(SoloCommunicator(), pending, place.devices);
    const Communicator& all = sharers->begin(shared_work({.input = config_.resolved_text,
                                                          .threads = omp_get_max_threads(),
                                                          .on_device = !place.devices.empty(),
                                                          .pending = pending}));
    try {
      require_same_source(all, result_);
      return make_points(all, pending, place.devices);
    } catch (...) {
      all.fail();  // the others may wait for what will not come
      throw;
    }
  }

  void warn_of_idle(std::size_t pending) const {
    if (control_.served == nullptr) return;
    const std::size_t processes = static_cast<std::size_t>(control_.served->others()) + 1;
    if (pending > 0 && pending < processes)
      control_.say(
          LogLevel::warning,
          fmt::format(
              "processes share the k-points, of which {} to do: {} of {} processes have nothing to do",
              pending == 1 ? "there is one" : fmt::format("there are {}", pending), processes - pending,
              processes));
  }

  bool make_points(const Communicator& processes, const std::vector<int>& pending,
                   std::span<const Device> devices) {
    RunControl control = control_;
    if (processes.size() > 1)
      control.stop = {};  // what the others are at is waited for, and so is this one's
    PointMaker maker(config_, system_, control, make_lapw_engine(devices));
    const lapw::Engine& engine = maker.engine();
    result_.device = engine.device();
    if (processes.size() > 1) result_.device += fmt::format(", in each of {} processes", processes.size());
    result_.blas = engine.blas();
    print_flapw_setting(report_, result_);
    report_.flush();
    return make_in_turns(processes, pending, maker,
                         {.goes_on = [this] { return !control_.stop_requested(); },
                          .keep = [this](int k, MadePoint made) { keep(k, std::move(made)); },
                          .hear = control_.hear});
  }

  void keep(int k, MadePoint made) {
    FlapwPoint& found = result_.points[k];
    found = std::move(made.found);
    for (const std::string& note : found.states.notes)
      control_.say(LogLevel::debug, fmt::format("k-point {}: {}", k + 1, note));
    if (found.states.count() > 0)
      control_.tell({.stage = "solve",
                     .iteration = k + 1,
                     .energies = found.states.energies,
                     .residual_norms = found.states.residual_norms});
    for (const std::string& warning : made.warnings) result_.warn(warning);
    result_.seconds = earlier_seconds_ + watch_.seconds();
    write_flapw(config_.output_file, result_, k + 1, config_.write_vectors,
                made.matrices ? &*made.matrices : nullptr, is_new_);
    is_new_ = false;
    found.states.vectors = {};
    print_points(k + 1);
    report_.flush();
    const std::string what =
        found.states.energies.empty()
            ? std::string("H and S are made")
            : fmt::format("{}, lowest {:.10f} hartree", found.status, found.states.energies.front());
    control_.say(LogLevel::info, fmt::format("k-point {} of {}: {}, {:.1f} s", k + 1, system_.num_points(),
                                             what, found.seconds));
  }

  /// Those up to `end`, with those of an earlier run between them.
  void print_points(int end) {
    for (; printed_ < end; ++printed_) print_flapw_point(report_, result_, printed_, control_.verbose);
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
    print_points(system_.num_points());
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
  double earlier_seconds_ = 0.0;
  int printed_ = 0;     ///< k-points that the report has
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

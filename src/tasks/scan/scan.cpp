// SPDX-License-Identifier: MIT
#include "cisolve/tasks/scan/scan.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/ci/check.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/report/text.hpp"
#include "tasks/scan/extension.hpp"
#include "tasks/scan/restart.hpp"
#include "tasks/scan/start.hpp"
#include "tasks/scan/warnings.hpp"

namespace cisolve {
namespace {

constexpr const char* converged = "converged";
constexpr const char* not_converged = "not converged";
constexpr const char* failed = "failed";

ScanResult describe(const ScanConfig& scan) {
  ScanResult result;
  result.head = begin_result(scan.job);
  result.coordinate = scan.coordinate;
  result.unit = scan.unit;
  result.values = scan.values;
  result.points.resize(scan.values.size());
  if (!scan.job.molecule) return result;
  const auto has_more = [](const CiConfig& point) {
    return point.molecule->frame.largest_group != point.molecule->frame.group.name();
  };
  if (std::any_of(scan.points.begin(), scan.points.end(), has_more)) {
    result.warnings.push_back(
        fmt::format("all points are calculated in {}; the geometries of some have more symmetry",
                    scan.job.molecule->frame.group.name()));
  }
  return result;
}

/// "(bond 1 2 = 0.8 angstrom)" of "point 3 (bond 1 2 = 0.8 angstrom)".
std::string_view value_part(std::string_view name) {
  return name.substr(std::min(name.find(" ("), name.size()));
}

/// The points of a scan, one after another.
class ScanRun {
public:
  ScanRun(const ScanConfig& scan, const RunOptions& options, const RunControl& control, std::ostream& report)
      : scan_(scan), options_(options), control_(control), report_(report), file_(scan.job.output_file),
        result_(describe(scan)) {}

  RunOutcome operator()() {
    if (options_.restart) resume();
    if (options_.extend) extend();
    print_header(report_, result_.head.version, result_.head.created, expected_device(scan_.job),
                 scan_.job.title);
    print_scan(report_, result_);
    report_.flush();
    // Upwards from the first that is done, then what lies below it from there downwards.
    const int first = first_done();
    for (int number = first; number <= count(); ++number) {
      if (!visit(number)) return RunOutcome::interrupted;
    }
    if (first > 1) begin_with(first);
    for (int number = first - 1; number >= 1; --number) {
      if (!visit(number)) return RunOutcome::interrupted;
    }
    return finish();
  }

private:
  int count() const { return static_cast<int>(scan_.points.size()); }

  /// Where the report of a point goes: with -v alone.
  std::ostream& details() { return control_.verbose ? report_ : nowhere_; }

  /// A line for the log when a point is done.
  void tell(int number, const std::string& what) const {
    control_.say(LogLevel::info, fmt::format("point {} of {}, {} = {}: {}", number, count(), scan_.coordinate,
                                             value_text(result_, number), what));
  }

  ScanPoint& point(int number) { return result_.points[number - 1]; }

  /// Number of the first point that is done; 1 if there is none.
  int first_done() {
    for (int number = 1; number <= count(); ++number) {
      if (is_done(number)) return number;
    }
    return 1;
  }

  /// The next point begins with what this one found.
  void begin_with(int number) {
    earlier_.reset();
    earlier_number_ = number;
  }

  /// False: interrupted.
  bool visit(int number) {
    print_point_heading(details(), result_, number);
    if (!is_done(number)) return run(number);
    details() << fmt::format("\n  Taken from {}.\n", file_.string());
    tell(number, "taken from " + file_.string());
    begin_with(number);
    return true;
  }

  /// Gives the points of the file their places among those asked for.
  void extend() {
    ScanExtension extension = read_scan_extension(scan_);
    result_.points = std::move(extension.points);
    is_new_ = false;
    if (has_checkpoint(scan_.job.checkpoint_file))
      take_checkpoint(read_scan_checkpoint(scan_, scan_.job.checkpoint_file, control_));
    renumber_scan_points(file_, result_, extension.numbers);
  }

  /// Takes what an interrupted run left.
  void resume() {
    ScanRestart restart = read_scan_restart(scan_, options_.checkpoint, control_);
    const bool has_points = restart.points.has_value();
    if (has_points) result_.points = std::move(*restart.points);
    is_new_ = !has_points;
    take_checkpoint(std::move(restart));
  }

  void take_checkpoint(ScanRestart restart) {
    checkpoint_ = std::move(restart.checkpoint);
    checkpoint_name_ = std::move(restart.checkpoint_name);
  }

  /// A restart may ask for a smaller residual than before, and does again what fails its certificate.
  bool is_done(int number) {
    const ScanPoint& found = point(number);
    return found.status == converged && found.has_roots() && found.failed_certificates.empty() &&
           std::all_of(found.residual_norms.begin(), found.residual_norms.end(),
                       [&](double norm) { return norm <= scan_.job.tolerance; }) &&
           has_good_orbitals(number);
  }

  /// Likewise a smaller gradient of the orbitals.
  bool has_good_orbitals(int number) const {
    const auto& wanted = scan_.job.orbitals;
    if (!wanted || wanted->optimise != OrbitalsConfig::For::casscf) return true;
    const CiResult found = read_scan_point(scan_.job.output_file, number, false);
    return !found.orbitals || found.orbitals->gradient <= wanted->gradient_tolerance;
  }

  /// False: interrupted.
  bool run(int number) {
    CiConfig config = scan_.points[number - 1];
    CiRunStart start;
    start.name = fmt::format("point {} ({} = {})", number, scan_.coordinate, value_text(result_, number));
    const bool resumes = checkpoint_ && value_part(checkpoint_name_) == value_part(start.name);
    if (resumes) {
      start.name = checkpoint_name_;  // of before there were more points
      start.checkpoint = std::exchange(checkpoint_, std::nullopt);
    }
    start.checkpoint_source = fmt::format("checkpoint '{}'", scan_.job.checkpoint_file.string());
    const EarlierPoint* before = scan_.warm_start ? find_earlier() : nullptr;
    if (before != nullptr) {
      if (config.molecule) {
        config.molecule->scf.guess = carried_orbitals(before->result);
        config.molecule->scf.keep_carried = scan_.follow_scf;
        // What natural orbitals leave out is chosen anew at every point.
        if (!config.orbitals || config.orbitals->natural_threshold == 0.0)
          config.chosen_before = chosen_orbitals(*before, config.molecule->scf.guess);
      }
      start.vectors = carried_vectors(config, *before);
      if (scan_.carry_lists) start.lists = carried_lists(config, *before);
      if (config.orbitals && config.molecule) start.orbitals = optimised_orbitals(*before);
    } else if (!config.guess) {
      config.follow = false;  // there is nothing to follow yet
    }
    CiResult found = begin_result(config);
    const RunContext context{config, control_, details(), found};
    if (before != nullptr && config.follow) {
      start.solved = continued_states(config, *before,
                                      [&context](std::string warning) { context.warn(std::move(warning)); });
    }
    try {
      const SolverStatus status = solve_ci(context, std::move(start));
      if (status == SolverStatus::interrupted) return interrupted(number);
      if (before == nullptr && scan_.job.follow && scan_.warm_start) number_states(found);
      keep(number, std::move(found), status == SolverStatus::converged);
    } catch (const Interrupted&) {
      if (is_new_) throw;  // there is nothing to go on from
      return interrupted(number);
    } catch (const ScfNotConverged& error) {
      fail(number, error.what());
    } catch (const InputError& error) {
      // What the first point finds wrong is wrong with the input.
      if (is_new_ && number == 1 && dynamic_cast<const EmptySpaceError*>(&error) == nullptr) throw;
      if (resumes && options_.extend) {
        // Where new points stand beside it, it begins with other orbitals than those of the checkpoint.
        control_.say(LogLevel::info, fmt::format("the checkpoint is left: {}", error.what()));
        return run(number);
      }
      fail(number, error.what());
    }
    return true;
  }

  bool interrupted(int number) {
    report_ << fmt::format(
        "\nInterrupted in point {}; go on with: cisolve {} (result file {}, checkpoint {})\n", number,
        options_.extend ? "--extend" : "--restart", file_.string(), scan_.job.checkpoint_file.string());
    return false;
  }

  void keep(int number, CiResult found, bool all_converged) {
    ScanPoint& summary = point(number);
    summary = summary_of(found);
    summary.status = all_converged ? converged : not_converged;
    write_scan_point(file_, result_, number, found, scan_.job.write_vectors, is_new_);
    is_new_ = false;
    print_findings(details(), found);
    details().flush();
    tell(number, fmt::format("{}, lowest root {:.10f} hartree, {:.1f} s", summary.status,
                             summary.energies.front(), summary.seconds));
    list_from_blocks(found, file_.string());
    earlier_ = {number, &scan_.points[number - 1], std::move(found)};
    earlier_number_ = number;
  }

  /// The roots of the first point are the states that are followed.
  static void number_states(CiResult& first) {
    for (std::size_t k = 0; k < first.roots.size(); ++k)
      first.sectors[first.roots[k].sector].roots[first.roots[k].root].state = static_cast<int>(k) + 1;
  }

  void fail(int number, const std::string& message) {
    ScanPoint& summary = point(number);
    summary = {};
    summary.status = failed;
    summary.message = message;
    if (first_failure_.empty()) first_failure_ = message;
    details() << fmt::format("\nPoint {} failed: {}\n", number, message);
    control_.say(LogLevel::warning, fmt::format("point {} failed: {}", number, message));
    if (!is_new_) write_scan(file_, result_, false);
  }

  /// The last point that was finished: in memory, or read from the file of an interrupted run.
  const EarlierPoint* find_earlier() {
    if (earlier_number_ == 0) return nullptr;
    if (!earlier_) {
      earlier_ = {earlier_number_, &scan_.points[earlier_number_ - 1],
                  read_scan_point(file_, earlier_number_, true)};
      list_from_blocks(earlier_->result, file_.string());
    }
    return &*earlier_;
  }

  RunOutcome finish() {
    if (is_new_)
      throw InputError(
          fmt::format("no point of the scan gave a result; the first failed: {}", first_failure_));
    add_scan_warnings(result_, scan_.follow_scf);
    if (scan_.job.selection) {
      result_.warnings.push_back(
          "selection: the curves are of the energies over the list of each point, whose errors differ from "
          "point to "
          "point; energies with perturbation theory, and extrapolated ones, are in /point/<k>/states of the "
          "file");
    }
    write_scan(file_, result_, false);
    print_summary(report_, file_, result_);
    report_ << fmt::format("\nResults are in {}.\n", file_.string());
    if (!control_.verbose)
      report::print_wrapped(report_, "", fmt::format("Of each point: cisolve show {} -v", file_.string()));
    const bool all = std::all_of(result_.points.begin(), result_.points.end(),
                                 [](const ScanPoint& found) { return found.status == converged; });
    const bool certified = std::ranges::all_of(
        result_.points, [](const ScanPoint& found) { return found.failed_certificates.empty(); });
    if (all && certified) remove_checkpoints(scan_.job.checkpoint_file);
    if (!certified) return RunOutcome::not_certified;
    return all ? RunOutcome::converged : RunOutcome::not_converged;
  }

  const ScanConfig& scan_;
  const RunOptions& options_;
  const RunControl& control_;
  std::ostream& report_;
  std::ostream nowhere_{nullptr};
  const std::filesystem::path& file_;
  ScanResult result_;
  bool is_new_ = true;  ///< there is no result file of this scan yet
  std::optional<Checkpoint> checkpoint_;
  std::string checkpoint_name_;  ///< of the point that it belongs to
  std::optional<EarlierPoint> earlier_;
  int earlier_number_ = 0;
  std::string first_failure_;
};

}  // namespace

RunOutcome run_scan(const ScanConfig& scan, const RunOptions& options, const RunControl& control,
                    std::ostream& report) {
  const ThreadScope threads(scan.job.threads);
  const RunLocks locks = lock_files(scan.job, control);
  return ScanRun(scan, options, control, report)();
}

void check_scan(const ScanConfig& scan, std::ostream& report, const OtherMachine& machine,
                const RunControl& control) {
  const ThreadScope threads(scan.job.threads);
  require_files(scan.job);
  ScanResult description = describe(scan);
  print_header(report, description.head.version, "", expected_device(scan.job, machine), scan.job.title);
  print_scan(report, description);
  print_point_heading(report, description, 1);
  CiResult result;
  const std::int64_t file_bytes = print_plans({scan.points.front(), control, report, result}, machine);
  const auto points = std::ssize(scan.points);
  constexpr std::int64_t structure = 64 * 1024;  // of the groups of a point
  report << "\nAll points, one after another\n";
  report::print_field(report, "points", fmt::format("{}, each with the memory of the first", points));
  report::print_field(report, scan.job.molecule ? "integrals and SCF" : "reading the integrals",
                      fmt::format("{} x {:.2f} s", points, result.timing.integrals));
  report::print_field(report, "result file",
                      fmt::format("about {}", format_bytes(points * (structure + file_bytes))));
  for (const std::string& warning : description.warnings) result.warnings.push_back(warning);
  print_warnings(report, result.warnings);
  report << "\nThe job fits; nothing was run.\n";
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci/ci.hpp"

#include <fmt/format.h>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "cisolve/core/thread_scope.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/files/finished_run.hpp"

namespace cisolve {
namespace {

/// The result file to go on from: the one that was named, or that of a run that ended well and so left no checkpoint.
std::optional<std::filesystem::path> result_to_go_on_from(const CiConfig& config, const RunOptions& options) {
  if (options.checkpoint) return is_result(*options.checkpoint) ? options.checkpoint : std::nullopt;
  if (has_checkpoint(config.checkpoint_file) || !std::filesystem::exists(config.output_file))
    return std::nullopt;
  return config.output_file;
}

CiRunStart restart_of(const CiConfig& config, const RunOptions& options, const RunControl& control) {
  CiRunStart start;
  if (const auto result = result_to_go_on_from(config, options)) {
    start.checkpoint = read_finished_run(*result);
    start.checkpoint_source = fmt::format("result '{}'", result->string());
  } else {
    const std::filesystem::path file = options.checkpoint.value_or(config.checkpoint_file);
    FoundCheckpoint found = read_newest_checkpoint(file, control);
    start.checkpoint = std::move(found.checkpoint);
    start.checkpoint_source = fmt::format("checkpoint '{}'", found.file.string());
    start.newest_was_read = found.file == config.checkpoint_file;
  }
  return start;
}

}  // namespace

RunOutcome run_ci(const CiConfig& config, const RunOptions& options, const RunControl& control,
                  std::ostream& report) {
  const ThreadScope threads(config.threads);
  const RunLocks locks = lock_files(config, control);
  CiRunStart start;
  if (options.restart) start = restart_of(config, options, control);
  const std::jthread starting = start_device(config);
  CiResult result = begin_result(config);
  print_header(report, result.version, result.created, expected_device(config), config.title);
  const SolverStatus status = solve_ci({config, control, report, result}, std::move(start));
  if (status == SolverStatus::interrupted) {
    report << fmt::format("\nInterrupted; go on with: cisolve --restart (checkpoint {})\n",
                          config.checkpoint_file.string());
    return RunOutcome::interrupted;
  }
  print_findings(report, result);
  const bool certified = result.failed_certificates().empty();
  const bool checkpoints_go =
      status == SolverStatus::converged && certified && has_checkpoint(config.checkpoint_file);
  write_result(config.output_file, result, config.write_vectors, checkpoints_go);
  if (checkpoints_go) remove_checkpoints(config.checkpoint_file);
  report << fmt::format("\nResults are in {}.\n", config.output_file.string());
  for (const auto& file : config.also) export_result(config.output_file, file, {}, report);
  if (!certified) return RunOutcome::not_certified;
  return status == SolverStatus::converged ? RunOutcome::converged : RunOutcome::not_converged;
}

}  // namespace cisolve

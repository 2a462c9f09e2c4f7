// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci/ci.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <ostream>
#include <thread>

#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/all_sectors.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve {

RunOutcome run_ci(const CiConfig& config, const RunOptions& options, const RunControl& control,
                  std::ostream& report) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
  require_files(config);
  CiRunStart start;
  if (options.restart)
    start.checkpoint = read_checkpoint(options.checkpoint.value_or(config.checkpoint_file));
  const std::jthread starting = start_device(config);
  CiResult result = begin_result(config);
  print_header(report, result.version, result.created, expected_device(config), config.title);
  const SolverStatus status = solve_ci({config, control, report, result}, std::move(start));
  if (status == SolverStatus::interrupted) {
    report << fmt::format("\nInterrupted; go on with: cisolve --restart (checkpoint {})\n",
                          config.checkpoint_file.string());
    return RunOutcome::interrupted;
  }
  write_result(config.output_file, result, config.write_vectors);
  print_findings(report, result);
  report << fmt::format("\nResults are in {}.\n", config.output_file.string());
  return status == SolverStatus::converged ? RunOutcome::converged : RunOutcome::not_converged;
}

}  // namespace cisolve

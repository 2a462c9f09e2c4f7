// SPDX-License-Identifier: MIT
#include "tasks/ci/sector.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "build_info.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/root_search.hpp"
#include "tasks/report/text.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

CiResult::Hamiltonian describe(const HamiltonianSummary& built, double planning_seconds) {
  CiResult::Hamiltonian h;
  h.storage = built.storage;
  h.rows = built.rows;
  h.nonzeros = built.nonzeros;
  h.bytes = built.bytes;
  h.ell_width = built.ell_width;
  h.tail_nonzeros = built.tail_nonzeros;
  h.csr_bytes = built.csr_bytes;
  h.ell_bytes = built.ell_bytes;
  h.reference_sparsity = built.reference_sparsity;
  h.expansion_sparsity = built.expansion_sparsity;
  h.sparsity = built.sparsity;
  h.build_seconds = planning_seconds + built.build_seconds;
  h.device = built.device;
  return h;
}

}  // namespace

std::string_view status_name(SolverStatus status) {
  switch (status) {
    case SolverStatus::converged:
      return "converged";
    case SolverStatus::not_converged:
      return "not converged";
    case SolverStatus::stagnated:
      return "stagnated";
    case SolverStatus::interrupted:
      return "interrupted";
  }
  return "unknown";
}

CheckpointHeader checkpoint_header(const CiConfig& config, const SectorContext& start) {
  CheckpointHeader header;
  header.version = build_info::version;
  header.created = utc_timestamp();
  header.resolved_input = config.resolved_text;
  header.integrals_hash = start.integrals_hash;
  header.threshold = config.threshold;
  header.basis = config.basis == BasisChoice::csf ? "csf" : "determinant";
  header.sectors = start.names;
  header.sector = start.number;
  return header;
}

SolverStatus solve_sector(const RunContext& context, const SectorContext& start, const CiJob& job,
                          SectorProblem& planned, CiResult::Sector& sector) {
  const Problem& problem = planned.problem;
  // Where nothing is stored, what the plan leaves of the memory is known.
  const auto* direct = std::get_if<DirectPlan>(&planned.plan);
  const std::int64_t buffer = direct != nullptr ? direct->free_bytes : 0;
  const int subspace = direct != nullptr ? direct->subspace : 0;
  const int usual_subspace = direct != nullptr ? direct->usual_subspace : 0;
  std::unique_ptr<RootFinder> finder;
  {
    ProgressLine progress(context.control, "Building the Hamiltonian");
    finder = make_root_finder(problem, std::move(planned.plan),
                              {.progress = progress.callback(), .stop = context.control.stop});
  }
  sector.hamiltonian = describe(finder->hamiltonian(), planned.seconds);
  context.timing.hamiltonian += sector.hamiltonian.build_seconds;
  context.timing.transfer += finder->hamiltonian().transfer_seconds;
  print_hamiltonian(context.report, sector.hamiltonian);
  if (subspace < usual_subspace) {
    report::print_field(
        context.report, "solver's subspace",
        fmt::format("{} vectors, as many as the memory holds (usually {})", subspace, usual_subspace));
  }
  context.report.flush();
  return RootSearch(context, start, job, *problem.basis, *finder, sector)(buffer);
}

}  // namespace cisolve

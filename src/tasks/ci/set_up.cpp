// SPDX-License-Identifier: MIT
#include "tasks/ci/set_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cisolve/core/error.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/tasks/report/molecule.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/direct_plan.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {

void warn(CiResult& result, std::string warning) {
  auto& warnings = result.warnings;
  if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
    warnings.push_back(std::move(warning));
}

std::string sector_name(const CiJob& job) {
  const int irrep = job.selection.irrep;
  std::string name =
      irrep == any_irrep ? std::string("all irreps") : "irrep " + job.point_group.irrep_name(irrep + 1);
  if (job.multiplicity) name += fmt::format(", multiplicity {}", *job.multiplicity);
  return name;
}

std::string states_name(const CiJob& job) {
  const int irrep = job.selection.irrep;
  std::string name = irrep == any_irrep ? "" : " of irrep " + job.point_group.irrep_name(irrep + 1);
  if (job.multiplicity)
    name += fmt::format(" {} multiplicity {}", name.empty() ? "of" : "and", *job.multiplicity);
  return name;
}

namespace {

void describe_system(const CiConfig& config, const CiJob& job, CiResult::System& system) {
  const Integrals& v = job.active->integrals;
  system.integrals_file = config.integrals_file.string();
  if (job.molecule) system.scf_energy = job.molecule->scf.energy;
  system.n_orbitals = v.num_orbitals;
  system.n_electrons = job.num_electrons;
  system.ms2 = job.ms2;
  system.n_frozen_core = job.num_frozen_core;
  system.n_frozen_virtual = job.num_frozen_virtual;
  system.core_energy = v.core_energy;
  system.reference_energy = job.reference_energy;
  system.point_group = job.point_group.name();
  system.integrals_hash = job.integrals_hash;
  for (const int irrep : v.irreps) system.orbital_irreps.push_back(irrep + 1);
  for (const int p : job.active->active_orbitals) system.active_orbitals.push_back(p + 1);
  for (const int p : job.core_orbitals) system.core_orbitals.push_back(p + 1);
}

/// Warnings that not all sectors have name theirs.
void name_sectors_in_warnings(std::vector<CiJob>& jobs) {
  std::map<std::string, std::size_t> sectors_with;
  for (const CiJob& job : jobs) {
    for (const std::string& warning : job.warnings) ++sectors_with[warning];
  }
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    for (std::string& warning : jobs[k].warnings) {
      if (sectors_with[warning] == jobs.size()) continue;
      warning = fmt::format("sector {} ({}): {}", k + 1, sector_name(jobs[k]), warning);
    }
  }
}

}  // namespace

std::vector<CiJob> set_up_jobs(const CiConfig& config, const RunControl& control, std::ostream& report,
                               CiResult& result) {
  const Stopwatch reading;
  std::vector<CiJob> jobs = prepare_jobs(config, {&control, &report});
  name_sectors_in_warnings(jobs);
  result.timing.integrals = reading.seconds();
  const CiJob& first = jobs.front();
  describe_system(config, first, result.system);
  if (first.molecule) {
    result.molecule = describe_molecule(*config.molecule);
    add_scf(first.molecule->scf, first.molecule->history, *config.molecule, *result.molecule);
    print_scf(report, *result.molecule, first.molecule->scf.energy);
  }
  print_system(report, result.system);
  return jobs;
}

namespace {

/// Space and integrals of a sector.
CiProblem set_up_space(const CiConfig& config, const CiJob& job, std::ostream& report, CiResult& result,
                       CiResult::Sector& sector, const std::optional<EarlierSpace>& earlier) {
  CiProblem problem;
  problem.job = &job;
  for (const std::string& warning : job.warnings) warn(result, warning);

  // What an empty space has too.
  sector.irrep = sector.space.irrep = job.selection.irrep + 1;
  sector.multiplicity = job.multiplicity.value_or(0);
  sector.ms2 = job.ms2;
  sector.space.basis = job.csf ? "csf" : "determinant";

  const Stopwatch spanning;
  problem.basis = make_basis(config, job, memory_limit(config));
  result.timing.space += spanning.seconds();
  sector.space = problem.basis->describe();
  print_space(report, sector.space, result.system);
  report.flush();
  if (earlier) {
    validate_space(earlier->hash, earlier->dimension, sector.space.hash, sector.space.dimension,
                   config.checkpoint_file);
  }

  const Stopwatch tabulating;
  problem.tables = std::make_unique<IntegralTables>(job.active->integrals, config.threshold);
  problem.count_seconds = tabulating.seconds();
  return problem;
}

void make_rows(CiProblem& problem) {
  const Stopwatch tabulating;
  problem.rows = problem.basis->make_rows(*problem.tables);
  problem.count_seconds += tabulating.seconds();
}

void warn_if_uncoded(const CiPlan& plan, CiResult& result) {
  const CodedSample& sample = plan.format_options.coded;
  if (plan.format->name != "coded" || sample.uncoded_share <= 0.0) return;
  warn(
      result,
      fmt::format("coded: the elements have more than {} different values ({} in a sample of the rows); "
                  "about {:.2g}% of the nonzeros keep 12 bytes each instead of 4",
                  format_count(largest_code), format_count(sample.num_values), 100.0 * sample.uncoded_share));
}

/// Rows that go from string to string are counted in a fraction of the time that others take.
bool is_quickly_counted(const Basis& basis) {
  return dynamic_cast<const ProductSpace<string_words>*>(basis.determinants()) != nullptr;
}

void count_nonzeros(const RunControl& control, CiProblem& problem) {
  const Stopwatch counting;
  ProgressLine progress(control, "Counting nonzeros");
  BuildOptions options;
  options.progress = progress.callback();
  options.stop = control.stop;
  problem.plan.row_lengths = count_rows(*problem.rows, options);
  problem.count_seconds += counting.seconds();
}

}  // namespace

namespace {

/// What the solver may be given so that a small space is not a special case further down.
void warn_if_small(const CiConfig& config, const CiProblem& problem, CiResult& result) {
  const std::int64_t size = problem.basis->size();
  if (config.count <= size) return;
  const CiJob& job = *problem.job;
  const std::string functions =
      fmt::format("{} {}{}", size, problem.basis->function_name(), size == 1 ? "" : "s");
  if (job.multiplicity && !job.spin_complete) {
    warn(result,
         fmt::format("{} roots of multiplicity {} were asked for, but the space has {}, which have roots "
                     "of several spins: at most {} can be given",
                     config.count, *job.multiplicity, functions, size));
    return;
  }
  warn(result, fmt::format("{} roots were asked for, but the space has {}: all roots are given", config.count,
                           functions));
}

}  // namespace

void require_files(const CiConfig& config) {
  const auto require = [](std::string_view key, const std::filesystem::path& file) {
    if (std::error_code ignored; std::filesystem::exists(file, ignored)) return;
    throw InputError(fmt::format("{} names a file that does not exist: {}", key, file.string()));
  };
  if (config.guess) require("solver.guess", *config.guess);
  if (const auto* reference = std::get_if<FileReference>(&config.reference))
    require("space.reference.file", reference->file);
  static_cast<void>(AtomicFile(config.output_file));
  static_cast<void>(AtomicFile(config.checkpoint_file));
}

void require_states_of_spin(const CiConfig& config, const CiProblem& problem, CiResult& result) {
  if (!problem.spin) return warn_if_small(config, problem, result);
  const CiJob& job = *problem.job;
  if (problem.spin->dimension == 0) {
    throw EmptySpaceError(
        fmt::format("states.multiplicity: the space of {} determinants with ms2 = {} holds no state of "
                    "multiplicity {}; ask for another or a higher space.excitation_level",
                    format_count(problem.basis->size()), job.ms2, *job.multiplicity));
  }
  if (config.count > problem.spin->dimension) {
    warn(
        result,
        fmt::format("{} roots were asked for, but the space has {} state{} of multiplicity {}: all are given",
                    config.count, problem.spin->dimension, problem.spin->dimension == 1 ? "" : "s",
                    *job.multiplicity));
  }
}

AuxiliaryBytes auxiliary_bytes(const CiConfig& config, CiProblem& problem) {
  AuxiliaryBytes auxiliary{.tables = problem.basis->rows_bytes(*problem.tables),
                           .spin = 0,
                           .outside_solver = problem.basis->bytes_outside_solver(config)};
  if (!problem.spin) return auxiliary;
  problem.spin_row_lengths = count_rows(*problem.spin_rows, {});
  // The matrix S^2, the averaged diagonal, and the filter's work vectors.
  auxiliary.spin =
      find_storage_format("csr")->bytes_for(problem.spin_row_lengths, {}) + 8 * 5 * problem.basis->size();
  return auxiliary;
}

CiProblem set_up_rows(const CiConfig& config, const CiJob& job, const RunControl& control,
                      std::ostream& report, CiResult& result, CiResult::Sector& sector,
                      const std::optional<EarlierSpace>& earlier) {
  CiProblem problem = set_up_space(config, job, report, result, sector, earlier);
  make_rows(problem);
  count_nonzeros(control, problem);
  return problem;
}

namespace {

void warn_if_left(const CiPlan& plan, CiResult& result) {
  if (!plan.why_not_cuda.empty())
    warn(result, fmt::format("run.device: {}; the CPU does the calculation", plan.why_not_cuda));
}

}  // namespace

CiProblem set_up(const CiConfig& config, const CiJob& job, const RunControl& control, std::ostream& report,
                 CiResult& result, CiResult::Sector& sector, const std::optional<EarlierSpace>& earlier,
                 Counting counting) {
  CiProblem problem = set_up_space(config, job, report, result, sector, earlier);
  if (takes_direct(config, *problem.basis)) {
    set_up_direct(config, problem, result);
    warn_if_left(problem.plan, result);
    return problem;
  }
  make_rows(problem);
  const Stopwatch sampling;
  const RowSample sample(*problem.rows);
  refuse_hopeless(config, job, sample, memory_limit(config));
  if (counting == Counting::quick && !is_quickly_counted(*problem.basis)) {
    problem.plan.row_lengths = sample.spread();
    problem.plan.is_estimate = !sample.is_whole();
    problem.count_seconds += sampling.seconds() / sample.share();
  } else {
    count_nonzeros(control, problem);
  }
  const Stopwatch planning;
  problem.diagonal = problem.basis->diagonal();
  problem.spin = problem.basis->spin_structure();
  require_states_of_spin(config, problem, result);
  if (problem.spin) {
    problem.spin_rows = problem.basis->s_squared_rows();
    problem.spin_diagonal = problem.basis->averaged_diagonal(problem.diagonal);
  }
  const AuxiliaryBytes auxiliary = auxiliary_bytes(config, problem);
  FormatOptions& options = problem.plan.format_options;
  options.coded = sample_coded(*problem.rows, control.stop);
  options.row_order = config.row_order;
  if (config.ell_by_reference) options.reference_columns = sector.space.reference_dimension;
  problem.plan = make_plan(config, job, std::move(problem.plan), auxiliary, memory_limit(config));
  warn_if_uncoded(problem.plan, result);
  warn_if_left(problem.plan, result);
  problem.count_seconds += planning.seconds();
  return problem;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/ci_steps.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "build_info.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/tasks/molecule_report.hpp"
#include "cisolve/tasks/report.hpp"
#include "cisolve/tasks/result_file.hpp"
#include "tasks/progress_line.hpp"

namespace cisolve {
namespace {

void describe_system(const CiConfig& config, const CiJob& job, CiResult::System& system) {
  const Integrals& v = job.active.integrals;
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
  for (const int p : job.active.active_orbitals) system.active_orbitals.push_back(p + 1);
}

void describe_space(const CiJob& job, const Space<string_words>& space, CiResult::Space& out) {
  const auto& selection = job.selection;
  out.dimension = space.size();
  out.reference_dimension = space.num_references();
  out.excitation_level = selection.excitation_level >= max_excitation_level(selection)
                             ? full_excitation
                             : selection.excitation_level;
  out.irrep = space.irrep() + 1;
  out.spin_complete = job.spin_complete;
  out.hash = space.fingerprint();
  out.level_counts = space.level_counts();
  out.words = string_words;
  out.reference = occupation_text(selection.references.front(), space.num_orbitals());
}

/// What the solver may be given so that a small space is not a special case further down.
void warn_if_small(const CiConfig& config, const Space<string_words>& space,
                   std::vector<std::string>& warnings) {
  if (config.count > space.size()) {
    warnings.push_back(
        fmt::format("{} roots were asked for, but the space has {} determinant{}: all roots are given",
                    config.count, space.size(), space.size() == 1 ? "" : "s"));
  }
}

std::int64_t table_bytes(const IntegralTables& tables, const Space<string_words>& space) {
  // Integrals, and about what the string excitations take; the matrix dwarfs both.
  const auto pairs = std::int64_t{tables.num_pairs()};
  const int norb = space.num_orbitals();
  const std::int64_t links = std::int64_t{16} * norb * norb * norb;
  return 8 * pairs * pairs + std::min(links * norb, 40 * space.size());
}

}  // namespace

CiJob set_up_job(const CiConfig& config, const RunControl& control, std::ostream& report, CiResult& result) {
  const Stopwatch reading;
  CiJob job = prepare_job(config, {&control, &report});
  result.timing.integrals = reading.seconds();
  result.warnings = job.warnings;
  describe_system(config, job, result.system);
  if (job.molecule) {
    result.molecule = describe_molecule(*config.molecule);
    add_scf(job.molecule->scf, job.molecule->history, *config.molecule, *result.molecule);
    print_scf(report, *result.molecule, job.molecule->scf.energy);
  }
  print_system(report, result.system);
  return job;
}

CiProblem set_up_rows(const CiConfig& config, const RunControl& control, std::ostream& report,
                      CiResult& result, const Checkpoint* checkpoint) {
  CiProblem problem;
  const std::int64_t memory = memory_limit(config);

  problem.job = set_up_job(config, control, report, result);

  const Stopwatch spanning;
  problem.space = build_space(problem.job, memory);
  result.timing.space = spanning.seconds();
  describe_space(problem.job, *problem.space, result.space);
  warn_if_small(config, *problem.space, result.warnings);
  print_space(report, result.space, result.system);
  report.flush();
  if (checkpoint != nullptr) {
    validate(checkpoint->header, problem.job.integrals_hash, result.space.hash, result.space.dimension,
             config.checkpoint_file);
  }

  if (config.guess && checkpoint == nullptr) problem.guess = read_guess(*config.guess, *problem.space);

  const Stopwatch counting;
  problem.tables = std::make_unique<IntegralTables>(problem.job.active.integrals, config.threshold);
  problem.rows = make_row_source(*problem.space, *problem.tables);
  {
    ProgressLine progress(control, "Counting nonzeros");
    BuildOptions options;
    options.progress = progress.callback();
    options.stop = control.stop;
    problem.plan.row_lengths = count_rows(*problem.rows, options);
  }
  problem.count_seconds = counting.seconds();
  return problem;
}

CiProblem set_up(const CiConfig& config, const RunControl& control, std::ostream& report, CiResult& result,
                 const Checkpoint* checkpoint) {
  CiProblem problem = set_up_rows(config, control, report, result, checkpoint);
  const Stopwatch planning;
  problem.plan = make_plan(config, problem.job, std::move(problem.plan.row_lengths),
                           table_bytes(*problem.tables, *problem.space), memory_limit(config));
  problem.diagonal = diagonal(problem.job.active.integrals, *problem.space);
  problem.count_seconds += planning.seconds();
  return problem;
}

std::vector<double> read_guess(const std::filesystem::path& file, const Space<string_words>& space) {
  const CiResult earlier = read_result(file, true);
  const auto roots = earlier.states.energy.size();
  if (earlier.states.vectors.size() == 0) {
    throw InputError(fmt::format(
        "solver.guess: {} holds no vectors; it was written with output.vectors = false", file.string()));
  }
  if (earlier.system.n_orbitals != space.num_orbitals() || earlier.space.words != string_words) {
    throw InputError(fmt::format("solver.guess: {} has {} active orbitals, this job has {}", file.string(),
                                 earlier.system.n_orbitals, space.num_orbitals()));
  }
  const auto n = static_cast<std::size_t>(space.size());
  const auto old = static_cast<std::size_t>(earlier.space.dimension);
  std::vector<double> vectors(n * roots, 0.0);
  for (std::size_t i = 0; i < old; ++i) {
    Determinant<string_words> d;
    d.alpha.words[0] = earlier.space.alpha[i];
    d.beta.words[0] = earlier.space.beta[i];
    const std::int64_t row = space.find(d);
    if (row < 0) continue;
    for (std::size_t k = 0; k < roots; ++k) {
      vectors[k * n + static_cast<std::size_t>(row)] = earlier.states.vectors[k * old + i];
    }
  }
  for (std::size_t k = 0; k < roots; ++k) {
    const std::span<double> vector(vectors.data() + k * n, n);
    double norm = 0.0;
    for (const double c : vector) norm += c * c;
    if (norm == 0.0) {
      throw InputError(fmt::format("solver.guess: root {} of {} has no determinant of this job's space",
                                   k + 1, file.string()));
    }
    for (double& c : vector) c /= std::sqrt(norm);
  }
  return vectors;
}

void describe_states(const CiConfig& config, const CiProblem& problem, std::span<const double> vectors,
                     CiResult& result) {
  constexpr int most_leading = 5;
  constexpr double least_weight = 0.01;
  constexpr double spin_tolerance = 0.1;  // of 2S + 1; spin-incomplete spaces deviate by less
  const auto n = static_cast<std::size_t>(problem.space->size());
  auto& states = result.states;
  for (std::size_t k = 0; k < states.energy.size(); ++k) {
    states.irrep_name.push_back(states.irrep[k] == 0 ? "mixed"
                                                     : problem.job.point_group.irrep_name(states.irrep[k]));
    auto& leading = states.leading.emplace_back();
    for (const LeadingDeterminant& d :
         leading_determinants(vectors.subspan(k * n, n), most_leading, least_weight)) {
      leading.push_back({occupation_text(problem.space->determinant(d.row), problem.space->num_orbitals()),
                         d.coefficient, d.coefficient * d.coefficient});
    }
    const double found = multiplicity_of(states.s_squared[k]);
    if (config.multiplicity && std::abs(found - *config.multiplicity) > spin_tolerance) {
      result.warnings.push_back(
          fmt::format("root {} has multiplicity {:.2f}, not the {} asked for (states.multiplicity "
                      "sets Ms = S here, so higher spins appear too)",
                      k + 1, found, *config.multiplicity));
    }
  }
}

}  // namespace cisolve

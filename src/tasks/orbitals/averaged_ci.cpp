// SPDX-License-Identifier: MIT
#include "tasks/orbitals/averaged_ci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/problem/followed_roots.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve {
namespace {

// Vectors over orbitals that hardly turned are good ones: a larger model space saves products, but diagonalising it anew
// for each set of orbitals takes longer (C2, CAS(8,8): two thirds of all time with 200 rows).
constexpr std::int64_t model_rows = 32;

void add_scaled(double factor, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += factor * x[k];
}

}  // namespace

CiJob with_integrals(CiJob job, const std::shared_ptr<const ActiveIntegrals>& integrals) {
  job.active = integrals;
  job.integrals_hash = hash(integrals->integrals);
  if (!job.selection.references.empty()) {
    const auto& first = job.selection.references.front();
    job.reference_energy = matrix_element(integrals->integrals, first, first);
  }
  return job;
}

void adopt_orbitals(const Matrix& coefficients, const std::vector<double>& energies,
                    std::vector<CiJob>& jobs) {
  std::shared_ptr<MoleculeSolution> solution;
  if (jobs.front().molecule) {
    solution = std::make_shared<MoleculeSolution>(*jobs.front().molecule);
    solution->scf.orbitals.coefficients = coefficients;
    solution->scf.orbitals.energies = energies;
  }
  for (CiJob& job : jobs) {
    job.molecule = solution;
    job.start.reset();
  }
}

AveragedCi::AveragedCi(const RunContext& context, const std::vector<CiJob>& jobs)
    : context_(context), jobs_(jobs), resources_(resources_of(context.config)) {
  for (const CiJob& job : jobs) {
    bases_.push_back(make_job_basis(context.config, job));
    require_averaged_states(context.config, job, bases_.back()->size());
  }
}

void require_averaged_states(const CiConfig& config, const CiJob& job, std::int64_t found) {
  if (found >= config.count) return;
  throw InputError(fmt::format("orbitals.optimise: {} states of {} are to be averaged, but it has {}",
                               config.count, sector_name(job), found));
}

AveragedStates AveragedCi::solve(const std::shared_ptr<const ActiveIntegrals>& integrals,
                                 std::span<const SectorVectors> start, double tolerance,
                                 bool with_two) const {
  const int n = integrals->integrals.num_orbitals;
  const std::size_t count = n;
  AveragedStates states;
  states.densities = {Matrix(n, n), std::vector<double>(with_two ? count * count * count * count : 0)};
  CiConfig config = context_.config;
  config.tolerance = tolerance;
  for (std::size_t k = 0; k < jobs_.size(); ++k)
    add_sector(k, with_integrals(jobs_[k], integrals), config, start, with_two, states);
  return states;
}

void AveragedCi::add_sector(std::size_t number, CiJob job, const CiConfig& config,
                            std::span<const SectorVectors> start, bool with_two,
                            AveragedStates& states) const {
  std::ostream nobody(nullptr);
  CiResult aside;  // times and warnings: the last CI has its own
  const RunContext quiet{config, context_.control, nobody, aside};
  SectorProblem planned =
      plan_sector(quiet, job, bases_[number]->over({job.active, &job.active->integrals}), resources_);
  const Basis& basis = *planned.problem.basis;
  SectorContext sector_start;
  CiResult::Sector sector;
  sector.space = {basis.summary(), {}, {}};
  if (!start.empty() && !start[number].values.empty()) {
    const SectorVectors& given = start[number];
    validate_space(given.space_hash, given.dimension, sector.space.hash, basis.size(), "the checkpoint");
    sector_start.guess = given.values;
    sector_start.model_rows = model_rows;
  }
  const SolverStatus status = solve_sector(quiet, sector_start, job, planned, sector);
  if (status == SolverStatus::interrupted) throw Interrupted("interrupted while orbitals were optimised");
  context_.result.timing.hamiltonian += aside.timing.hamiltonian;
  context_.result.timing.transfer += aside.timing.transfer;
  context_.result.timing.solve += aside.timing.solve;
  states.products += sector.solver.num_applications;
  if (status != SolverStatus::converged) states.unconverged.push_back(sector_name(job));

  const int wanted = config.count;
  require_averaged_states(config, job, std::ssize(sector.roots));
  const auto energy_of = [&](int root) { return sector.roots[static_cast<std::size_t>(root)].energy; };
  constexpr double degenerate = 1e-5;  // hartree
  const bool last_counts =
      config.orbitals->weights[(number + 1) * static_cast<std::size_t>(wanted) - 1] > 0.0;
  if (last_counts && std::ssize(sector.roots) > wanted &&
      energy_of(wanted) - energy_of(wanted - 1) < degenerate)
    states.cut.push_back(sector_name(job));
  const std::size_t rows = basis.size();
  std::vector<int> numbers(static_cast<std::size_t>(wanted));
  std::iota(numbers.begin(), numbers.end(), 0);
  Array<double> buffer;
  std::vector<double> vectors;
  if (config.orbitals->follow && sector_start.guess.size() >= rows * numbers.size()) {
    const int found = static_cast<int>(sector.roots.size());
    const auto all = sector.vectors->view(0, found, buffer);
    numbers = followed_roots(all, found, sector_start.guess, numbers.size(), rows);
    for (const int root : numbers) {
      const auto one = all.subspan(static_cast<std::size_t>(root) * rows, rows);
      vectors.insert(vectors.end(), one.begin(), one.end());
    }
  } else {
    const auto all = sector.vectors->view(0, wanted, buffer);
    vectors.assign(all.begin(), all.end());
  }
  buffer = {};
  const DensityMatrices one = basis.density_matrices(vectors, wanted);
  for (int root = 0; root < wanted; ++root) {
    const auto k = static_cast<std::size_t>(root);
    const double weight = config.orbitals->weights[number * static_cast<std::size_t>(wanted) + k];
    if (weight == 0.0) continue;
    states.energy += weight * sector.roots[static_cast<std::size_t>(numbers[k])].energy;
    const Matrix& own = one(root, root);
    for (int q = 0; q < own.columns(); ++q) {
      for (int p = 0; p < own.rows(); ++p) states.densities.one(p, q) += weight * own(p, q);
    }
    if (!with_two) continue;
    add_scaled(weight,
               spin_summed(basis.two_particle_density(std::span(vectors).subspan(k * rows, rows),
                                                      bytes_for_pair_sums)),
               states.densities.two);
  }
  auto& energies = states.energies.emplace_back();
  for (const int root : numbers) energies.push_back(sector.roots[static_cast<std::size_t>(root)].energy);
  states.vectors.push_back({sector.space.hash, basis.size(), std::move(vectors)});
}

}  // namespace cisolve

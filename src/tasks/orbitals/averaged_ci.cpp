// SPDX-License-Identifier: MIT
#include "tasks/orbitals/averaged_ci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
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

AveragedCi::AveragedCi(const RunContext& context, const std::vector<CiJob>& jobs)
    : context_(context), jobs_(jobs), resources_(resources_of(context.config)) {
  for (const CiJob& job : jobs) require_states(job, make_job_basis(context.config, job)->size());
}

void AveragedCi::require_states(const CiJob& job, std::int64_t found) const {
  if (found >= context_.config.count) return;
  throw InputError(fmt::format("orbitals.optimise: {} states of {} are to be averaged, but it has {}",
                               context_.config.count, sector_name(job), found));
}

AveragedStates AveragedCi::solve(const std::shared_ptr<const ActiveIntegrals>& integrals,
                                 std::span<const SectorVectors> start, double tolerance) const {
  const int n = integrals->integrals.num_orbitals;
  const std::size_t count = n;
  AveragedStates states;
  states.densities = {Matrix(n, n), std::vector<double>(count * count * count * count)};
  CiConfig config = context_.config;
  config.tolerance = tolerance;
  for (std::size_t k = 0; k < jobs_.size(); ++k)
    add_sector(k, with_integrals(jobs_[k], integrals), config, start, states);
  return states;
}

void AveragedCi::add_sector(std::size_t number, CiJob job, const CiConfig& config,
                            std::span<const SectorVectors> start, AveragedStates& states) const {
  std::ostream nobody(nullptr);
  CiResult aside;  // times and warnings: the last CI has its own
  const RunContext quiet{config, context_.control, nobody, aside};
  SectorProblem planned = plan_sector(quiet, job, make_job_basis(config, job), resources_);
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
  require_states(job, std::ssize(sector.roots));
  Array<double> buffer;
  const auto vectors = sector.vectors->view(0, wanted, buffer);
  const DensityMatrices one = basis.density_matrices(vectors, wanted);
  const std::size_t rows = basis.size();
  // No share of what is free: the order of sums, and so their last bits, follow from it.
  constexpr std::int64_t bytes = std::int64_t{512} << 20;
  for (int root = 0; root < wanted; ++root) {
    const auto k = static_cast<std::size_t>(root);
    const double weight = config.orbitals->weights[number * static_cast<std::size_t>(wanted) + k];
    if (weight == 0.0) continue;
    states.energy += weight * sector.roots[k].energy;
    const Matrix& own = one(root, root);
    for (int q = 0; q < own.columns(); ++q) {
      for (int p = 0; p < own.rows(); ++p) states.densities.one(p, q) += weight * own(p, q);
    }
    add_scaled(weight, spin_summed(basis.two_particle_density(vectors.subspan(k * rows, rows), bytes)),
               states.densities.two);
  }
  auto& energies = states.energies.emplace_back();
  for (int root = 0; root < wanted; ++root)
    energies.push_back(sector.roots[static_cast<std::size_t>(root)].energy);
  states.vectors.push_back({sector.space.hash, basis.size(), {vectors.begin(), vectors.end()}});
}

}  // namespace cisolve

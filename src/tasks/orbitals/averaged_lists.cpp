// SPDX-License-Identifier: MIT
#include "tasks/orbitals/averaged_lists.hpp"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>

#include "cisolve/core/error.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/selected/rounds.hpp"

namespace cisolve {
namespace {

/// What natural orbitals are taken of: they need no E2.
CiConfig shorter(CiConfig config) {
  SelectionConfig& selection = *config.selection;
  selection.determinants = std::min(selection.determinants, config.orbitals->determinants);
  selection.perturbation = SelectionConfig::Perturbation::none;
  selection.criterion =
      SelectionCriterion::perturbation;  // by numbers: a threshold would not end where it should
  selection.epsilon.clear();
  return config;
}

void add_density(double weight, const Matrix& own, Matrix& sum) {
  for (int q = 0; q < own.columns(); ++q) {
    for (int p = 0; p < own.rows(); ++p) sum(p, q) += weight * own(p, q);
  }
}

}  // namespace

AveragedStates average_over_lists(const RunContext& context, const std::vector<CiJob>& jobs) {
  const CiConfig config = shorter(context.config);
  RunControl control = context.control;
  control.take_checkpoint_request = nullptr;  // there is nothing to be kept yet
  const Resources resources = resources_of(config);
  const int n = jobs.front().num_orbitals();
  AveragedStates states;
  states.densities = {Matrix(n, n), {}};
  std::span<const double> weights = config.orbitals->weights;
  for (const CiJob& job : jobs) {
    std::ostream nobody(nullptr);
    CiResult aside;  // times and warnings: the last CI has its own
    const RunContext quiet{config, control, nobody, aside};
    const auto list = make_sector_list(quiet, job, {}, resources);
    CiResult::Selection reached;
    reached.num_roots = config.count;
    const SolverStatus status = grow_list(quiet, *list, reached, [](const auto&, const auto&) {});
    if (status == SolverStatus::interrupted) throw Interrupted("interrupted while orbitals were optimised");
    context.result.timing.solve += aside.timing.solve;
    for (const std::string& warning : aside.warnings) context.warn("natural orbitals: " + warning);
    require_averaged_states(config, job, std::ssize(list->energies()));
    const DensityMatrices one = list->density_matrices();
    for (int k = 0; k < config.count; ++k) {
      const double weight = weights[static_cast<std::size_t>(k)];
      states.energy += weight * list->energies()[k];
      add_density(weight, one(k, k), states.densities.one);
    }
    weights = weights.subspan(static_cast<std::size_t>(config.count));
  }
  return states;
}

}  // namespace cisolve

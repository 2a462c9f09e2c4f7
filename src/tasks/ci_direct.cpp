// SPDX-License-Identifier: MIT
#include "tasks/ci_direct.hpp"

#include <cmath>
#include <vector>

#include "cisolve/hamiltonian/spin_rows.hpp"
#include "tasks/progress_line.hpp"

namespace cisolve {
namespace {

SpinParity parity_of(int twice_s) { return twice_s / 2 % 2 == 0 ? SpinParity::even : SpinParity::odd; }

/// The parity of the spin that is asked for, if the space can be restricted to it.
SpinParity wanted_parity(const CiJob& job, const ProductSpace<string_words>& space) {
  if (!job.multiplicity || job.ms2 != 0) return SpinParity::none;
  const SpinParity parity = parity_of(*job.multiplicity - 1);
  return parity_dimension(space, parity) > 0 ? parity : SpinParity::none;
}

/// Leaves out the spins that the product's parity already excludes.
void drop_other_parity(SpinParity parity, std::unique_ptr<SpinStructure>& spin) {
  if (parity == SpinParity::none || !spin) return;
  std::erase_if(spin->others, [&](double s_squared) {
    const auto twice_s = static_cast<int>(std::lround(std::sqrt(1.0 + 4.0 * s_squared))) - 1;
    return parity_of(twice_s) != parity;
  });
  if (spin->others.empty()) spin.reset();
}

/// Which states the wanted spin is to be told from by S^2; null where nothing says so cheaply enough.
std::unique_ptr<SpinStructure> affordable_spin(const CiProblem& problem, const Space<string_words>& space) {
  const CiJob& job = *problem.job;
  if (!job.multiplicity || !job.spin_complete) return nullptr;
  if (RowSample(SpinRowSource<string_words>(space)).nonzeros() > most_spin_nonzeros) return nullptr;
  return problem.basis->spin_structure(problem.diagonal);
}

}  // namespace

void set_up_direct(const CiConfig& config, CiProblem& problem, CiResult& result) {
  const Stopwatch planning;
  const auto& space = dynamic_cast<const ProductSpace<string_words>&>(*problem.basis->determinants());
  const std::int64_t memory = memory_limit(config);
  problem.diagonal = string_diagonal(space, *problem.tables);
  problem.spin = affordable_spin(problem, space);
  require_states_of_spin(config, problem, result);
  const SpinParity parity = wanted_parity(*problem.job, space);
  drop_other_parity(parity, problem.spin);
  const AuxiliaryBytes auxiliary = auxiliary_bytes(config, problem);
  problem.direct = std::make_unique<DirectProduct>(space, *problem.tables, problem.diagonal, parity);
  problem.plan = make_direct_plan(config, *problem.direct, auxiliary);
  if (problem.plan.host_bytes > memory && problem.spin) {
    problem.plan.host_bytes -= auxiliary.spin;
    problem.spin.reset();
    problem.spin_row_lengths = {};
  }
  require_direct_memory(*problem.job, problem.plan, space.size(), memory);
  problem.count_seconds += planning.seconds();
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/orbitals/natural.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/transformation.hpp"
#include "core/stopwatch.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/files/resolved_input.hpp"
#include "tasks/orbitals/averaged_ci.hpp"
#include "tasks/orbitals/averaged_lists.hpp"
#include "tasks/orbitals/final_orbitals.hpp"
#include "tasks/orbitals/orbital_roles.hpp"
#include "tasks/orbitals/record.hpp"
#include "tasks/orbitals/report.hpp"
#include "tasks/orbitals/start.hpp"

namespace cisolve {
namespace {

class NaturalOrbitalCycles {
public:
  NaturalOrbitalCycles(const RunContext& context, std::vector<CiJob>& jobs, const OptimisationStart& start)
      : context_(context), config_(*context.config.orbitals), jobs_(jobs), start_(start),
        origin_(jobs.front().start), functions_(origin_->functions), orbitals_(orbitals_of(jobs)) {
    orbitals_.subspaces.assign(orbitals_.irreps.size(), 0);
    for (const int p : config_.fixed) orbitals_.subspaces[static_cast<std::size_t>(p - 1)] = p;
    record_.type = "natural";
    record_.weights = config_.weights;
    record_.start_integrals_hash = jobs.front().integrals_hash;
    record_.gradient = record_.lowest_hessian_eigenvalue = std::numeric_limits<double>::quiet_NaN();
    count_classes();
  }

  OptimisedOrbitals operator()() {
    const Stopwatch all;
    const double before = seconds_of_ci();
    const bool resumes = start_.checkpoint != nullptr && may_resume();
    if (resumes) {
      take(start_.checkpoint->header.orbitals->reached);
    } else {
      print_optimisation_heading(context_.report, context_.result.system, record_);
      for (int cycle = 1; cycle <= config_.cycles; ++cycle) turn();
      record_.converged = are_converged_;
    }
    print_optimised(context_.report, context_.result, record_, context_.control.verbose);
    OptimisedOrbitals result;
    result.of_checkpoint = resumes;
    result.kept = resumes ? start_.checkpoint->header.orbitals
                          : std::make_shared<const CheckpointOrbitals>(CheckpointOrbitals{record_, nullptr});
    context_.result.orbitals = std::move(record_);
    context_.result.timing.integrals += all.seconds() - (seconds_of_ci() - before);
    return result;
  }

private:
  double seconds_of_ci() const {
    const auto& timing = context_.result.timing;
    return timing.hamiltonian + timing.transfer + timing.solve;
  }

  void count_classes() {
    record_.n_inactive = static_cast<int>(orbitals_.of(OrbitalClass::inactive).size());
    record_.n_active = static_cast<int>(orbitals_.of(OrbitalClass::active).size());
  }

  /// A CI, and its natural orbitals in place of those that it was over.
  void turn() {
    const AveragedStates states = solve();
    if (!states.unconverged.empty()) {
      are_converged_ = false;
      context_.warn(
          fmt::format("the CI whose natural orbitals are taken was not converged ({}); raise "
                      "solver.max_iterations (now {})",
                      states.unconverged.front(), context_.config.max_iterations));
    }
    record_.energy = states.energy;
    record_.history_energy.push_back(states.energy);
    for (auto* history : {&record_.history_gradient, &record_.history_step, &record_.history_radius})
      history->push_back(std::numeric_limits<double>::quiet_NaN());
    record_.history_refused.push_back(0);
    record_.history_ci_products.push_back(states.products);
    record_.history_hessian_products.push_back(0);
    print_optimisation_iteration(context_.report, record_, record_.history_energy.size() - 1);
    context_.report.flush();

    const Matrix fock = averaged_fock(functions_, orbitals_, states.densities.one);
    FinalSet natural = natural_set(orbitals_, fock, states.densities.one, occupation_ranks(jobs_));
    describe(natural, states.densities.one, jobs_.front().active->integrals.irreps, record_);
    orbitals_ = std::move(natural.orbitals);
    adopt(leave_out(natural.occupations));
  }

  AveragedStates solve() const {
    if (context_.config.selection) return average_over_lists(context_, jobs_);
    return AveragedCi(context_, jobs_)
        .solve(jobs_.front().active, {}, std::min(context_.config.tolerance, most_tolerance), false);
  }

  /// Makes empty what is active, empty in all references, and holds less than the input wants.
  /// @param occupations  of all orbitals
  /// @returns those left out, numbers among the active ones
  std::vector<int> leave_out(const std::vector<double>& occupations) {
    const std::vector<int> active = orbitals_.of(OrbitalClass::active);
    std::vector<int> left_out;
    record_.natural_occupations.clear();
    for (std::size_t u = 0; u < active.size(); ++u) {
      const auto p = static_cast<std::size_t>(active[u]);
      const int number = static_cast<int>(u);
      if (occupations[p] < config_.natural_threshold && is_empty_reference_orbital(jobs_, number)) {
        left_out.push_back(number);
        orbitals_.classes[p] = OrbitalClass::empty;
        record_.occupations[p] = 0.0;
      } else {
        record_.natural_occupations.push_back(occupations[p]);
      }
    }
    std::ranges::sort(record_.natural_occupations, std::greater<>());
    count_classes();
    return left_out;
  }

  /// Gives the jobs the orbitals as they are now.
  void adopt(const std::vector<int>& left_out) {
    if (context_.control.stop_requested()) throw Interrupted("interrupted while natural orbitals were made");
    const ScfOrbitals orbitals{orbitals_.coefficients, record_.energies, orbitals_.irreps, {}};
    TransformationConfig transformation;
    transformation.max_bytes = memory_limit(context_.config) / 2;
    const auto active = std::make_shared<const ActiveIntegrals>(
        transform_integrals(functions_, orbitals, orbitals_.of(OrbitalClass::inactive),
                            orbitals_.of(OrbitalClass::empty), transformation));
    for (CiJob& job : jobs_) job = with_integrals(without_orbitals(std::move(job), left_out), active);
    adopt_orbitals(orbitals_.coefficients, record_.energies, jobs_);
    describe_system(context_.config, jobs_.front(), context_.result.system);
    context_.result.integrals = {active, &active->integrals};
  }

  /// Whether the checkpoint has what this job would make.
  bool may_resume() const {
    const auto& held = start_.checkpoint->header.orbitals;
    if (!held || held->reached.type != "natural" || !held->reached.converged) return false;
    const CiResult::Orbitals& there = held->reached;
    if (there.start_integrals_hash != jobs_.front().integrals_hash || there.weights != config_.weights)
      return false;
    if (std::ssize(there.coefficients) !=
            std::ptrdiff_t{orbitals_.coefficients.rows()} * orbitals_.coefficients.columns() ||
        there.occupations.size() != orbitals_.classes.size())
      return false;
    const ResolvedInput input(start_.checkpoint->header.resolved_input, start_.checkpoint_source);
    return input.natural_cycles() == config_.cycles &&
           input.natural_threshold() == config_.natural_threshold &&
           (!context_.config.selection || input.natural_determinants() == config_.determinants) &&
           std::ranges::equal(input.fixed_orbitals(), config_.fixed);
  }

  void take(const CiResult::Orbitals& reached) {
    record_ = reached;
    std::ranges::copy(reached.coefficients, orbitals_.coefficients.data());
    // Those left out are the only active ones that hold nothing.
    const std::vector<int> active = orbitals_.of(OrbitalClass::active);
    std::vector<int> left_out;
    for (std::size_t u = 0; u < active.size(); ++u) {
      const auto p = static_cast<std::size_t>(active[u]);
      if (config_.natural_threshold == 0.0 || reached.occupations[p] != 0.0) continue;
      left_out.push_back(static_cast<int>(u));
      orbitals_.classes[p] = OrbitalClass::empty;
    }
    adopt(left_out);
    print_optimisation_heading(context_.report, context_.result.system, record_, start_.checkpoint_source,
                               true);
  }

  static constexpr double most_tolerance = 1e-6;  // hartree, of residuals: occupations err by their square

  const RunContext& context_;
  const OrbitalsConfig& config_;
  std::vector<CiJob>& jobs_;
  const OptimisationStart& start_;
  const std::shared_ptr<const StartOrbitals> origin_;
  const FunctionIntegrals& functions_;
  ClassifiedOrbitals orbitals_;
  CiResult::Orbitals record_;
  bool are_converged_ = true;  ///< the CIs whose natural orbitals were taken
};

}  // namespace

OptimisedOrbitals replace_by_natural_orbitals(const RunContext& context, std::vector<CiJob>& jobs,
                                              const OptimisationStart& start) {
  return NaturalOrbitalCycles(context, jobs, start)();
}

}  // namespace cisolve

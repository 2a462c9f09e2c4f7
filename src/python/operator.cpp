// SPDX-License-Identifier: MIT
#include "python/operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/plan.hpp"
#include "cisolve/problem/resources.hpp"

namespace cisolve::python {
namespace {

constexpr int usual_roots = 8;  // that an operator is planned for before anybody asks

/// A device's context takes longer than a small problem.
constexpr std::int64_t least_for_device = 20'000;

Resources resources_of(const OperatorSettings& settings, std::int64_t size) {
  const bool is_small = settings.device == DeviceChoice::automatic && size < least_for_device;
  Resources resources = available_resources(is_small ? DeviceChoice::cpu : settings.device);
  if (settings.memory > 0) resources.memory = settings.memory;
  if (!resources.device_required || !resources.devices.empty()) return resources;
  throw InputError(
      fmt::format("device: \"cuda\" was asked for, but {}; use \"cpu\" or \"auto\"",
                  is_built_for_devices() ? "no CUDA device is visible" : "cisolve was built without CUDA"));
}

}  // namespace

DeviceChoice device_of(const std::string& name) {
  if (name == "auto") return DeviceChoice::automatic;
  if (name == "cpu") return DeviceChoice::cpu;
  if (name == "cuda") return DeviceChoice::cuda;
  throw InputError(fmt::format("device: found '{}'; it must be \"auto\", \"cpu\" or \"cuda\"", name));
}

std::shared_ptr<const Integrals> integrals_over(const Hamiltonian& hamiltonian, const Space& space) {
  const Integrals& of_space = *space.basis->definition().integrals;
  if (of_space.num_orbitals != hamiltonian.num_orbitals()) {
    throw InputError(fmt::format("space: it is over {} orbitals, the Hamiltonian over {}",
                                 of_space.num_orbitals, hamiltonian.num_orbitals()));
  }
  if (of_space.irreps == hamiltonian.integrals->irreps) return hamiltonian.integrals;
  if (!std::ranges::all_of(of_space.irreps, [](int irrep) { return irrep == 0; }))
    throw InputError(
        "space: its orbitals have other irreps than the Hamiltonian's; make both from one Hamiltonian");
  auto without = std::make_shared<Integrals>(*hamiltonian.integrals);
  without->irreps = of_space.irreps;
  return without;
}

Operator::Operator(const Hamiltonian& hamiltonian, const Space& space, OperatorSettings settings,
                   std::stop_token stop)
    : integrals_(integrals_over(hamiltonian, space)), space_(space), settings_(std::move(settings)),
      of_all_(make_solver(std::nullopt, usual_roots, std::move(stop))) {}

Operator::Solver Operator::make_solver(std::optional<int> multiplicity, int num_roots,
                                       std::stop_token stop) const {
  const ThreadScope threads(settings_.threads);
  Solver solver;
  solver.problem =
      std::make_unique<Problem>(space_.basis->over(integrals_, multiplicity), settings_.threshold);
  solver.planned_roots = num_roots;
  PlanOptions options;
  options.storage = settings_.storage;
  options.solver.num_roots = static_cast<int>(std::min<std::int64_t>(num_roots, space_.size()));
  Plan plan = make_plan(*solver.problem, options, resources_of(settings_, space_.size()), {.stop = stop});
  solver.finder = make_root_finder(*solver.problem, std::move(plan), {.stop = stop});
  // Diagonalising the usual one would take longer than all else in a small space.
  constexpr std::int64_t of_rows = 40, fewest = 24, small = 8'000;
  if (space_.size() < small) solver.finder->limit_model_space(std::max(space_.size() / of_rows, fewest));
  return solver;
}

Operator::Solver& Operator::solver_for(std::optional<int> multiplicity, int num_roots, std::stop_token stop) {
  const bool has_own_spin = space_.basis->kind() == FunctionKind::csf;
  Solver& solver = multiplicity && !has_own_spin ? by_spin_[*multiplicity] : of_all_;
  if (solver.planned_roots < num_roots)
    solver = make_solver(multiplicity, std::max(num_roots, usual_roots), std::move(stop));
  return solver;
}

void Operator::apply(std::span<const double> x, std::span<double> y) const {
  const std::lock_guard lock(mutex_);
  const ThreadScope threads(settings_.threads);
  finder().apply(x, y);
}

void Operator::apply_there(const double* x, int columns, double* y) const {
  const std::lock_guard lock(mutex_);
  const ThreadScope threads(settings_.threads);
  finder().apply_there(x, columns, y);
}

FoundStates Operator::find(const WantedStates& wanted, StateSearchOptions options, std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  const ThreadScope threads(settings_.threads);
  Solver& solver =
      solver_for(wanted.follow ? std::nullopt : wanted.multiplicity, wanted.count, std::move(stop));
  if (solver.problem->spin && solver.problem->spin->dimension == 0)
    throw EmptySpaceError(
        fmt::format("multiplicity: the space holds no state of multiplicity {}", *wanted.multiplicity));
  return find_states(*solver.problem->basis, *solver.finder, wanted, std::move(options));
}

}  // namespace cisolve::python

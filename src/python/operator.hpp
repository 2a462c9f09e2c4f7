// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "cisolve/problem/root_finder.hpp"
#include "cisolve/problem/state_search.hpp"
#include "python/hamiltonian.hpp"
#include "python/space.hpp"

namespace cisolve::python {

/// "auto", "cpu" or "cuda". @throws InputError
DeviceChoice device_of(const std::string& name);

/// Integrals as a space has their orbitals: without irreps where that has none.
/// @throws InputError  the space is over other orbitals
std::shared_ptr<const Integrals> integrals_over(const Hamiltonian& hamiltonian, const Space& space);

/// Where and how H is applied.
struct OperatorSettings {
  std::string storage = "auto";
  DeviceChoice device = DeviceChoice::automatic;
  int threads = 0;
  std::int64_t memory = 0;  ///< bytes; 0: usual_memory()
  double threshold = 0.0;   ///< hartree
};

/// H over a space, ready to be applied and solved: cisolve.Operator. One thread at a time works with it.
class Operator {
public:
  /// @throws InputError  the space is over other orbitals
  /// @throws DoesNotFit, Interrupted
  Operator(const Hamiltonian& hamiltonian, const Space& space, OperatorSettings settings,
           std::stop_token stop);

  const Space& space() const { return space_; }
  const OperatorSettings& settings() const { return settings_; }
  const Problem& problem() const { return *of_all_.problem; }
  const RootFinder& finder() const { return *of_all_.finder; }

  /// y = H x, [size x any]
  void apply(std::span<const double> x, std::span<double> y) const;
  void apply_there(const double* x, int columns, double* y) const;

  /// The lowest states.
  FoundStates find(const WantedStates& wanted, StateSearchOptions options, std::stop_token stop);

private:
  /// A problem and what solves it, for as many roots as planned.
  struct Solver {
    std::unique_ptr<Problem> problem;  ///< that the finder refers to
    std::unique_ptr<RootFinder> finder;
    int planned_roots = 0;
  };

  Solver make_solver(std::optional<int> multiplicity, int num_roots, std::stop_token stop) const;
  Solver& solver_for(std::optional<int> multiplicity, int num_roots, std::stop_token stop);

  std::shared_ptr<const Integrals> integrals_;
  Space space_;
  OperatorSettings settings_;
  mutable std::mutex mutex_;
  Solver of_all_;                  ///< for states of any spin
  std::map<int, Solver> by_spin_;  ///< by multiplicity
};

void bind_operator(nanobind::module_& module);

}  // namespace cisolve::python

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cisolve/problem/basis.hpp"

namespace cisolve {

/// A configuration-interaction problem, ready to be planned (make_plan) and solved (make_root_finder): eigenstates of
/// H among the states of one irrep and spin.
///
///     const BasisDefinition definition{...};                       // integrals, functions, spin
///     const Problem problem(make_basis(definition, memory));
///     Plan plan = make_plan(problem, {.storage = "auto"}, available_resources());
///     const auto finder = make_root_finder(problem, std::move(plan));
///     const Roots roots = finder->solve({});
struct Problem {
  /// @param threshold  hartree; elements of H of at most this magnitude are left out
  explicit Problem(std::unique_ptr<Basis> functions, double threshold = 0.0)
      : basis(std::move(functions)),
        tables(std::make_shared<const IntegralTables>(*basis->definition().integrals, threshold)),
        spin(basis->spin_structure()) {}

  /// With tables of the same integrals that are there already.
  Problem(std::unique_ptr<Basis> functions, std::shared_ptr<const IntegralTables> shared)
      : basis(std::move(functions)), tables(std::move(shared)), spin(basis->spin_structure()) {}

  std::unique_ptr<Basis> basis;
  std::shared_ptr<const IntegralTables> tables;
  std::optional<SpinStructure> spin;  ///< where roots of other spins have to be told from those wanted
};

}  // namespace cisolve

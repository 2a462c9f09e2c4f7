// SPDX-License-Identifier: MIT
#include "cisolve/problem/problem.hpp"

#include <utility>

namespace cisolve {

Problem::Problem(std::unique_ptr<Basis> functions, double threshold)
    : basis(std::move(functions)),
      tables(std::make_unique<IntegralTables>(*basis->definition().integrals, threshold)),
      spin(basis->spin_structure()) {}

}  // namespace cisolve

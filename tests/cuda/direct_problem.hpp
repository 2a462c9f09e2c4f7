// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::test {

/// A space and its direct product on the host, which ranks plan from.
struct DirectProblem {
  explicit DirectProblem(const SpaceShape& s, SpinParity parity = SpinParity::none)
      : integrals(s.integrals()), tables(integrals, 0.0), space(s.selection(integrals)),
        diagonal(string_diagonal(space, tables)), host(space, tables, diagonal, parity) {}

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
  Array<double> diagonal;
  cisolve::DirectProduct host;
};

}  // namespace cisolve::test

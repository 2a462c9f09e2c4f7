// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "cisolve/problem/basis.hpp"

namespace cisolve::python {

/// Determinants or CSFs that wavefunctions are expanded in, without integrals: cisolve.Space.
struct Space {
  std::shared_ptr<const Basis> basis;  ///< over integrals that are zero

  std::int64_t size() const { return basis->size(); }
  /// Of determinants alpha and beta electrons; of CSFs those of the determinants that they are expanded in.
  std::pair<int, int> electrons() const;
  int num_orbitals() const { return basis->definition().integrals->num_orbitals; }
};

void bind_space(nanobind::module_& module);

}  // namespace cisolve::python

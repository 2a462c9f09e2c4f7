// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/integrals/point_group.hpp"

namespace cisolve::python {

/// Integrals with what is known of their symmetry and electrons: cisolve.Hamiltonian.
struct Hamiltonian {
  std::shared_ptr<const Integrals> integrals;
  PointGroup point_group = {};
  std::optional<int> electrons = {};  ///< of the file that they came from
  std::optional<int> ms2 = {};

  int num_orbitals() const { return integrals->num_orbitals; }
};

void bind_hamiltonian(nanobind::module_& module);

}  // namespace cisolve::python

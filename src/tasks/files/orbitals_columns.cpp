// SPDX-License-Identifier: MIT
#include "tasks/files/result_columns.hpp"

namespace cisolve {

std::span<const Column<CiResult::Orbitals>> orbitals_columns() {
  using O = CiResult::Orbitals;
  static constexpr Column<O> columns[] = {
      {"type", &O::type, "",
       "\"casscf\": the averaged energy was minimised; \"natural\": natural orbitals of a CI"},
      {"n_inactive", &O::n_inactive, "", "orbitals that are doubly occupied in all determinants"},
      {"n_active", &O::n_active, "", "orbitals of the CI"},
      {"n_functions", &O::num_functions, "", "basis functions"},
      {"energy", &O::energy, "hartree",
       "averaged with the weights, when the iterations ended; natural: of the CI that they are natural for"},
      {"gradient", &O::gradient, "hartree",
       "largest element of the orbital gradient there; natural: NaN, as the next"},
      {"lowest_hessian_eigenvalue", &O::lowest_hessian_eigenvalue, "hartree",
       "of the orbital Hessian with fixed density matrices; below -1e-4 with a warning"},
      {"converged", &O::converged, "", "1: gradient and change of the energy were below their tolerances"},
      {.name = "start_integrals_hash",
       .member = &O::start_integrals_hash,
       .description = "as integrals_hash, of the orbitals of the SCF or of orbitals.file",
       .may_be_absent = true},
  };
  return columns;
}

std::span<const ArrayColumn<CiResult::Orbitals>> orbitals_arrays() {
  using O = CiResult::Orbitals;
  constexpr auto per_orbital = [](const O& o) { return Hdf5Shape{o.energies.size()}; };
  static constexpr ArrayColumn<O> columns[] = {
      {"energies", &O::energies, nullptr, "hartree", "diagonal of the Fock matrix of the averaged density"},
      {"occupations", &O::occupations, per_orbital, "1", "diagonal of the averaged density matrix"},
      {"irreps", &O::irreps, per_orbital, "", "Molpro numbers from 1"},
      {"coefficients", &O::coefficients,
       [](const O& o) {
         return Hdf5Shape{o.energies.size(), static_cast<std::uint64_t>(o.num_functions)};
       },
       "1", "an orbital per row, over the basis functions as in /molecule/orbital_coefficients"},
      {"natural_occupations", &O::natural_occupations,
       [](const O& o) { return Hdf5Shape{static_cast<std::uint64_t>(o.n_active)}; }, "1",
       "eigenvalues of the averaged density matrix of the active orbitals, descending"},
      {"weights", &O::weights, nullptr, "1", "of the roots in the average, sector after sector"},
  };
  return columns;
}

std::span<const ArrayColumn<CiResult::Orbitals>> orbitals_history() {
  using O = CiResult::Orbitals;
  constexpr auto per_iteration = [](const O& o) { return Hdf5Shape{o.history_energy.size()}; };
  static constexpr ArrayColumn<O> columns[] = {
      {"energy", &O::history_energy, nullptr, "hartree", "averaged, of the orbitals kept; 0 is the start"},
      {"gradient", &O::history_gradient, per_iteration, "hartree", "largest element, of the orbitals kept"},
      {"step", &O::history_step, per_iteration, "1", "norm of the rotation that was tried"},
      {"radius", &O::history_radius, per_iteration, "1", "largest norm that was allowed"},
      {"refused", &O::history_refused, per_iteration, "", "1: the energy would have risen"},
      {"ci_products", &O::history_ci_products, per_iteration, "1",
       "products of H with a vector, all sectors"},
      {"hessian_products", &O::history_hessian_products, per_iteration, "1",
       "products of the orbital Hessian with a vector"},
  };
  return columns;
}

}  // namespace cisolve

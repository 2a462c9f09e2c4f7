// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/problem/certificate.hpp"
#include "cisolve/problem/functions.hpp"
#include "cisolve/tasks/files/column.hpp"

namespace cisolve {

/// What is known of an eigenstate besides its vector. A value is declared here, as a member and its row in one of
/// the tables below, and nowhere else: files, docs/output.md and tests follow.
struct Root {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  double energy = 0.0, residual_norm = 0.0, s_squared = 0.0;
  bool converged = false;
  int irrep = 0;  ///< 1-based; 0: mixed
  std::string irrep_name;
  double reference_weight = none, davidson_q = none, renormalised_q = none, pople_q = none;
  double second_order = none, second_order_error = none, variance = none;
  double extrapolated_energy = none, extrapolated_error = none;
  double angular_momentum = none;
  std::string term = {};
  int state = 0;  ///< of a scan that follows its states, from 1; 0: none
  std::vector<LeadingConfiguration> leading = {};

  std::vector<double> dipole = {}, transition_dipole = {}, oscillator_strength = {};
  std::vector<double> quadrupole = {}, mulliken_charges = {}, spin_populations = {};
  std::vector<double> natural_occupations = {};
  double unpaired_electrons = none, odd_electrons = none;

  std::optional<Certificate> certificate = {};  ///< none in files of earlier programs
};

/// Columns that every root has.
inline std::span<const Column<Root>> root_columns() {
  static constexpr Column<Root> columns[] = {
      {"energy", &Root::energy, "hartree", "total energies, ascending"},
      {"residual_norm", &Root::residual_norm, "hartree", "norm of H c - E c"},
      {"converged", &Root::converged, "", "1: the residual norm is below the tolerance",
       "`solver.tolerance`"},
      {"s_squared", &Root::s_squared, "hbar^2", "expectation value of S^2"},
      {"irrep", &Root::irrep, "", "Molpro number from 1; 0: mixed"},
      {"irrep_name", &Root::irrep_name, "", "names of the irreps; numbers if the point group is unknown"},
      {.name = "reference_weight",
       .member = &Root::reference_weight,
       .unit = "1",
       .description = "weight of the reference space, c0^2",
       .may_be_absent = true},
      {.name = "davidson_q",
       .member = &Root::davidson_q,
       .unit = "hartree",
       .description = "Davidson correction, to be added to the energy; NaN: none",
       .details =
           "an estimate for higher excitations (docs/theory.md); none where c0^2 is 0.5 or less, or no "
           "reference is in the space; 0 in full CI, which has no higher excitations",
       .may_be_absent = true},
      {.name = "renormalised_q",
       .member = &Root::renormalised_q,
       .unit = "hartree",
       .description = "renormalised Davidson correction; NaN: none",
       .may_be_absent = true},
      {.name = "pople_q",
       .member = &Root::pople_q,
       .unit = "hartree",
       .description = "Pople correction; NaN: none",
       .may_be_absent = true},
      {.name = "second_order",
       .member = &Root::second_order,
       .unit = "hartree",
       .description = "what determinants outside of a selected list bring to second order; NaN: not summed",
       .details = "Epstein-Nesbet, to be added to the energy",
       .may_be_absent = true},
      {.name = "second_order_error",
       .member = &Root::second_order_error,
       .unit = "hartree",
       .description = "standard error of that; 0: all were summed",
       .may_be_absent = true},
      {.name = "variance",
       .member = &Root::variance,
       .unit = "hartree^2",
       .description = "sum of |H_ac|^2 over determinants outside of a selected list; NaN: not summed",
       .may_be_absent = true},
      {.name = "extrapolated_energy",
       .member = &Root::extrapolated_energy,
       .unit = "hartree",
       .description = "where the energy goes as second_order goes to zero; NaN: too few rounds",
       .may_be_absent = true},
      {.name = "extrapolated_error",
       .member = &Root::extrapolated_error,
       .unit = "hartree",
       .description = "estimated error of that",
       .may_be_absent = true},
      {.name = "angular_momentum",
       .member = &Root::angular_momentum,
       .unit = "hbar^2",
       .description = "atoms: <L^2>; linear molecules: <Lz^2> about the axis; else NaN",
       .details = "of the 500 heaviest determinants of the root",
       .may_be_absent = true},
      {.name = "term",
       .member = &Root::term,
       .description = "term symbol of atoms and linear molecules, \"3Sigma_g-\"; '': none",
       .details = "from the value above, S^2 and the irrep; \"?\" at its end: not certain",
       .may_be_absent = true},
      {.name = "state",
       .member = &Root::state,
       .description =
           "of a scan that follows its states: the root of the point done first that goes on in it; 0: none",
       .may_be_absent = true},
  };
  return columns;
}

/// Columns that roots have besides, from one-particle density matrices, unless they are not wanted.
inline std::span<const Column<Root>> occupation_columns() {
  static constexpr Column<Root> columns[] = {
      {.name = "natural_occupations",
       .member = &Root::natural_occupations,
       .unit = "1",
       .description = "of active orbitals, descending",
       .shape = "n_orbitals"},
      {.name = "unpaired_electrons",
       .member = &Root::unpaired_electrons,
       .unit = "1",
       .description = "sum of min(n, 2 - n) over the natural occupations n",
       .details = "M. Head-Gordon, doi:10.1016/S0009-2614(03)00422-6",
       .may_be_absent = true},
      {.name = "odd_electrons",
       .member = &Root::odd_electrons,
       .unit = "1",
       .description = "sum of n (2 - n) over the natural occupations n",
       .details = "K. Takatsuka, T. Fueno, K. Yamaguchi, doi:10.1007/BF00549017",
       .may_be_absent = true},
  };
  return columns;
}

/// Columns that a molecule's roots have besides those.
inline std::span<const Column<Root>> property_columns() {
  static constexpr Column<Root> columns[] = {
      {.name = "dipole",
       .member = &Root::dipole,
       .unit = "e bohr",
       .description = "nuclei and frozen core included, in the frame of the calculation",
       .shape = "3"},
      {.name = "transition_dipole",
       .member = &Root::transition_dipole,
       .unit = "e bohr",
       .description = "between two roots, 0 where of different multiplicities; dipoles on the diagonal",
       .shape = "nroots, 3",
       .per_pair = true},
      {.name = "oscillator_strength",
       .member = &Root::oscillator_strength,
       .unit = "1",
       .description = "from the first root to the second, 0 where of different multiplicities; length form",
       .shape = "nroots",
       .per_pair = true},
      {.name = "quadrupole",
       .member = &Root::quadrupole,
       .unit = "e bohr^2",
       .description = "second moments xx, xy, xz, yy, yz, zz of all charges, not made traceless",
       .details = "nuclei and frozen core included, about the centre of nuclear charge",
       .shape = "6",
       .may_be_absent = true},
      {.name = "mulliken_charges",
       .member = &Root::mulliken_charges,
       .unit = "e",
       .description = "of the atoms, frozen core included",
       .shape = "atoms"},
      {.name = "spin_populations",
       .member = &Root::spin_populations,
       .unit = "1",
       .description = "Mulliken's, alpha less beta electrons of the atoms, for the Ms of the sector",
       .shape = "atoms",
       .may_be_absent = true},
  };
  return columns;
}

/// Columns of `Root::certificate`.
inline std::span<const Column<Certificate>> certificate_columns() {
  static constexpr Column<Certificate> columns[] = {
      {"passed", &Certificate::passed, "", "1: all that was checked holds"},
      {"failure", &Certificate::failure, "", "what does not hold, in words; '': nothing"},
      {.name = "residual_norm",
       .member = &Certificate::residual_norm,
       .unit = "hartree",
       .description = "norm of H c - E c by the Slater-Condon rules",
       .details = "an estimate where not all rows were checked"},
      {.name = "residual_in_rows",
       .member = &Certificate::residual_in_rows,
       .unit = "hartree",
       .description = "the part of it in the rows checked, which is no estimate"},
      {.name = "rows_checked",
       .member = &Certificate::rows_checked,
       .description = "rows of H that were computed for it",
       .details =
           "those of the largest coefficients, and others drawn at random; of CSFs without a threshold, rows "
           "of the determinants in them"},
      {"energy", &Certificate::energy, "hartree", "<c|H|c>/<c|c> likewise; NaN unless all rows were checked"},
      {"norm_error", &Certificate::norm_error, "1", "distance of the vector's norm from 1"},
      {"orthogonality_error", &Certificate::orthogonality_error, "1",
       "largest overlap with another root of the sector"},
      {.name = "s_squared",
       .member = &Certificate::s_squared,
       .unit = "hbar^2",
       .description = "<S^2>; of roots closer than 1e-4 hartree the eigenvalues of S^2 among them",
       .details = "in the order of <S^2> of each; an estimate where not all rows were looked at"},
      {.name = "spin_deviation",
       .member = &Certificate::spin_deviation,
       .unit = "hbar^2",
       .description =
           "norm of (S^2 - S(S+1)) c for the spin asked for, in the rows checked; NaN: none was, or "
           "the space is not spin-complete"},
      {"probe_starts", &Certificate::probe_starts, "",
       "vectors that a look for missed roots began with; 0: nobody looked"},
      {"probe_products", &Certificate::probe_products, "", "products of H with a vector that it took"},
      {"probe_energy", &Certificate::probe_energy, "hartree",
       "lowest Ritz value that it reached, orthogonal to all roots found; NaN: nobody looked"},
      {"symmetry_purity", &Certificate::symmetry_purity, "1",
       "weight in functions of the root's irrep, by the orbitals they occupy"},
      {.name = "density_energy",
       .member = &Certificate::density_energy,
       .unit = "hartree",
       .description = "energy of the root's density matrices; NaN: there are no two-particle ones",
       .may_be_absent = true},
      {.name = "density_error",
       .member = &Certificate::density_error,
       .unit = "1",
       .description = "largest error of tr D = n of a spin, and of sum_r G[p,q,r,r] = (N - 1) D[p,q]; NaN: "
                      "there are none",
       .may_be_absent = true},
  };
  return columns;
}

/// Columns of the configurations in `Root::leading`.
inline std::span<const Column<LeadingConfiguration>> leading_columns() {
  static constexpr Column<LeadingConfiguration> columns[] = {
      {"occupation", &LeadingConfiguration::occupation, "",
       "2, 0, u (alpha, or step S + 1/2), d (beta, or step S - 1/2) per active orbital, padded with ''"},
      {"coefficient", &LeadingConfiguration::coefficient, "1",
       "coefficient in the normalised eigenvector, padded with NaN"},
      {"weight", &LeadingConfiguration::weight, "1", "coefficient squared, padded with NaN"},
      {.name = "replacement",
       .member = &LeadingConfiguration::replacement,
       .description = "what is replaced in the first reference of the sector, \"5b1(a) -> 2a2(a)\"",
       .details = "orbitals by label, or by number of the file where its point group is unknown; ^2 both "
                  "electrons, (a), (b) spin; of CSFs without spins, open shells with several couplings by "
                  "their steps",
       .may_be_absent = true},
  };
  return columns;
}

}  // namespace cisolve

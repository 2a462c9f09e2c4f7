// SPDX-License-Identifier: MIT
#include "tasks/files/result_columns.hpp"

namespace cisolve {

std::span<const Column<CiResult::Molecule>> molecule_columns() {
  using M = CiResult::Molecule;
  static constexpr Column<M> columns[] = {
      {"basis", &M::basis, "", "name of the set; of several, each with its elements or atoms"},
      {"functions", &M::functions, "",
       "\"cartesian\", \"spherical\", \"cartesian d, spherical f\", or \"mixed\""},
      {"n_functions", &M::num_functions, "", "basis functions"},
      {"n_dependent", &M::num_dependent, "", "combinations left out as linearly dependent"},
      {"charge", &M::charge, "e", "of the molecule"},
      {"multiplicity", &M::multiplicity, "", "of the SCF state"},
      {"point_group", &M::point_group, "", "of the calculation"},
      {"largest_point_group", &M::largest_group, "", "of the geometry"},
      {"reoriented", &M::reoriented, "", "1: the axes are not those given"},
      {"method", &M::method, "", "\"RHF\", \"ROHF\" or \"UHF\"; \"file\": no SCF was done"},
      {.name = "orbitals_file",
       .member = &M::orbitals_file,
       .description = "where the orbitals came from in place of an SCF; \"\": an SCF",
       .may_be_absent = true},
      {.name = "from_guess",
       .member = &M::from_guess,
       .description = "1: the SCF began with the orbitals of another point of a scan",
       .may_be_absent = true},
      {.name = "search",
       .member = &M::search,
       .description = "how the SCF came down from the state first found, in words; may be empty",
       .may_be_absent = true},
      {.name = "carried_energy",
       .member = &M::carried_energy,
       .unit = "hartree",
       .description = "of the SCF state that the orbitals of another point of a scan led to",
       .may_be_absent = true},
      {.name = "fresh_energy",
       .member = &M::fresh_energy,
       .unit = "hartree",
       .description = "of the SCF state that superposed atomic densities led to",
       .may_be_absent = true},
      {.name = "restricted_energy",
       .member = &M::restricted_energy,
       .unit = "hartree",
       .description = "with UHF: of the lowest RHF or ROHF state found",
       .may_be_absent = true},
      {.name = "s_squared",
       .member = &M::s_squared,
       .unit = "hbar^2",
       .description = "with UHF: <S^2> of the determinant",
       .may_be_absent = true},
      {"nuclear_repulsion", &M::nuclear_repulsion, "hartree",
       "between the nuclei, with their interaction with point charges and field"},
      {"stability_checked", &M::stability_checked, "", "1: the next value was computed"},
      {"lowest_hessian_eigenvalue", &M::lowest_eigenvalue, "hartree",
       "of the orbital Hessian / 4 (UHF: / 2); below -1e-4 with a warning"},
  };
  return columns;
}

std::span<const ArrayColumn<CiResult::Molecule>> molecule_arrays() {
  using M = CiResult::Molecule;
  constexpr auto per_atom = [](const M& m) { return Hdf5Shape{m.labels.size()}; };
  constexpr auto per_orbital = [](const M& m) { return Hdf5Shape{m.orbital_energies.size()}; };
  static constexpr ArrayColumn<M> columns[] = {
      {"labels", &M::labels, nullptr, "", "of the atoms, as given"},
      {"charges", &M::charges, per_atom, "e", "nuclear charges; 0: a ghost"},
      {"coordinates", &M::coordinates,
       [](const M& m) {
         return Hdf5Shape{m.labels.size(), 3};
       },
       "bohr", "in the frame of the calculation"},
      {"origin", &M::origin, [](const M&) { return Hdf5Shape{3}; }, "bohr",
       "of that frame, in the axes given"},
      {"axes", &M::axes,
       [](const M&) {
         return Hdf5Shape{3, 3};
       },
       "1", "x, y, z of that frame, one per row, in the axes given"},
      {.name = "point_charges",
       .member = &M::point_charges,
       .unit = "e",
       .description = "around the molecule",
       .may_be_absent = true},
      {.name = "point_charge_positions",
       .member = &M::point_charge_positions,
       .shape =
           [](const M& m) {
             return Hdf5Shape{m.point_charges.size(), 3};
           },
       .unit = "bohr",
       .description = "in the frame of the calculation",
       .may_be_absent = true},
      {.name = "field",
       .member = &M::field,
       .unit = "hartree/(e bohr)",
       .description = "uniform electric field, in the frame of the calculation; empty: none",
       .may_be_absent = true},
      {.name = "bond_lengths",
       .member = &M::bond_lengths,
       .unit = "bohr",
       .description = "between atoms up to 1.3 times the sum of their covalent radii apart",
       .may_be_absent = true},
      {.name = "bond_atoms",
       .member = &M::bond_atoms,
       .shape =
           [](const M& m) {
             return Hdf5Shape{m.bond_lengths.size(), 2};
           },
       .description = "the two atoms of each bond, from 1",
       .may_be_absent = true},
      {"doubly_occupied", &M::doubly_occupied, nullptr, "", "orbitals per irrep; with UHF those of beta"},
      {"singly_occupied", &M::singly_occupied, [](const M& m) { return Hdf5Shape{m.doubly_occupied.size()}; },
       "", "orbitals per irrep; with UHF what alpha has more"},
      {"orbital_energies", &M::orbital_energies, nullptr, "hartree",
       "of all orbitals; with UHF these and the next are alpha's"},
      {"occupations", &M::occupations, per_orbital, "", "2, 1 or 0 in the SCF state"},
      {"orbital_irreps", &M::orbital_irreps, per_orbital, "", "Molpro numbers from 1"},
      {"orbital_coefficients", &M::coefficients,
       [](const M& m) {
         return Hdf5Shape{m.orbital_energies.size(), static_cast<std::uint64_t>(m.num_functions)};
       },
       "1",
       "an orbital per row, over the basis functions: by atom, in the order of the basis set; Cartesian xx, "
       "xy, xz, yy, yz, zz, all normalised as xx; spherical by m = -l .. l"},
      {.name = "orbital_labels",
       .member = &M::orbital_labels,
       .description = "\"5b1\": the fifth orbital of its irrep",
       .may_be_absent = true},
      {.name = "orbital_contributions",
       .member = &M::orbital_contributions,
       .description = "atoms and shells with the largest Loewdin populations, \"O 2p 0.81, H2+H3 1s 0.17\"",
       .may_be_absent = true},
      {.name = "beta_orbital_energies",
       .member = &M::beta_energies,
       .unit = "hartree",
       .description =
           "with UHF, of beta orbitals: at the places of alpha's, of the same irreps; else empty, as "
           "the next",
       .may_be_absent = true},
      {.name = "beta_occupations",
       .member = &M::beta_occupations,
       .description = "1 or 0 in the SCF state",
       .may_be_absent = true},
      {.name = "beta_orbital_coefficients",
       .member = &M::beta_coefficients,
       .shape =
           [](const M& m) {
             const bool is_there = !m.beta_energies.empty();
             return Hdf5Shape{m.beta_energies.size(),
                              static_cast<std::uint64_t>(is_there ? m.num_functions : 0)};
           },
       .unit = "1",
       .description = "as orbital_coefficients",
       .may_be_absent = true},
      {.name = "beta_orbital_contributions",
       .member = &M::beta_contributions,
       .description = "as orbital_contributions",
       .may_be_absent = true},
      {"scf_energies", &M::scf_energies, nullptr, "hartree", "per iteration"},
      {"scf_gradients", &M::scf_gradients, [](const M& m) { return Hdf5Shape{m.scf_energies.size()}; },
       "hartree", "largest element of the orbital gradient, per iteration"},
  };
  return columns;
}

std::span<const Column<CiResult::System>> system_columns() {
  using S = CiResult::System;
  static constexpr Column<S> columns[] = {
      {"integrals_file", &S::integrals_file, "", "where the integrals came from; \"\": a molecule"},
      {"integrals_hash", &S::integrals_hash, "", "hash of the active integrals"},
      {"n_orbitals", &S::n_orbitals, "", "active, after freezing"},
      {"n_electrons", &S::n_electrons, "", "active, after freezing"},
      {"ms2", &S::ms2, "", "n_alpha - n_beta"},
      {"n_frozen_core", &S::n_frozen_core, "", "frozen orbitals that are doubly occupied"},
      {"n_frozen_virtual", &S::n_frozen_virtual, "", "frozen orbitals that are empty"},
      {"core_energy", &S::core_energy, "hartree", "nuclear repulsion and frozen orbitals"},
      {"reference_energy", &S::reference_energy, "hartree",
       "diagonal element of the first reference, whether it is in the space or not"},
      {"scf_energy", &S::scf_energy, "hartree", "of the determinant of the orbitals; only of a molecule"},
      {"point_group", &S::point_group, "", "\"unknown\" for a file that does not say"},
      {.name = "orbitals",
       .member = &S::orbitals,
       .description = "\"restricted\": those of both spins; \"unrestricted\"; \"spinors\"",
       .may_be_absent = true},
      {.name = "spin_overlap_source",
       .member = &S::spin_overlap_source,
       .description = "of spin_overlap: \"file\", \"integrals\", \"basis functions\"; \"\": there is none",
       .may_be_absent = true},
  };
  return columns;
}

std::span<const ArrayColumn<CiResult::System>> system_arrays() {
  using S = CiResult::System;
  constexpr auto per_orbital = [](const S& s) { return Hdf5Shape{static_cast<std::uint64_t>(s.n_orbitals)}; };
  static constexpr ArrayColumn<S> columns[] = {
      {"orbital_irreps", &S::orbital_irreps, per_orbital, "",
       "irreps of the active orbitals, Molpro numbers from 1"},
      {"active_orbitals", &S::active_orbitals, per_orbital, "",
       "numbers of the active orbitals in the file, from 1"},
      {.name = "orbital_labels",
       .member = &S::orbital_labels,
       .description = "\"5b1\" of each active orbital, frozen ones counted; none where the group is unknown",
       .may_be_absent = true},
      {.name = "core_orbitals",
       .member = &S::core_orbitals,
       .description = "numbers of the frozen core orbitals in the file, from 1",
       .may_be_absent = true},
      {.name = "left_out_orbitals",
       .member = &S::left_out_orbitals,
       .description = "likewise, of empty orbitals that no determinant of level 0 occupies",
       .may_be_absent = true},
      {.name = "cas_orbitals",
       .member = &S::cas_orbitals,
       .description = "likewise, of the references' CAS",
       .may_be_absent = true},
      {.name = "max_holes_orbitals",
       .member = &S::max_holes_orbitals,
       .description = "likewise, of space.max_holes",
       .may_be_absent = true},
      {.name = "max_particles_orbitals",
       .member = &S::max_particles_orbitals,
       .description = "likewise, of space.max_particles",
       .may_be_absent = true},
      {.name = "spin_overlap",
       .member = &S::spin_overlap,
       .shape =
           [](const S& s) {
             const auto n = static_cast<std::uint64_t>(s.n_orbitals);
             return Hdf5Shape{s.spin_overlap_source.empty() ? 0 : n, n};
           },
       .unit = "1",
       .description = "<p alpha|q beta> of the active orbitals, where the spins have orbitals of their own",
       .may_be_absent = true},
  };
  return columns;
}

std::span<const Column<CiResult::Sector>> sector_columns() {
  using S = CiResult::Sector;
  static constexpr Column<S> columns[] = {
      {"irrep", &S::irrep, "", "Molpro number from 1; 0: all"},
      {"multiplicity", &S::multiplicity, "", "0: every S >= |Ms|"},
      {"ms2", &S::ms2, "", "n_alpha - n_beta"},
  };
  return columns;
}

std::span<const Column<CiResult::Space>> space_columns() {
  using S = CiResult::Space;
  static constexpr Column<S> columns[] = {
      {"basis", &S::basis, "", "\"determinant\" or \"csf\""},
      {"dimension", &S::dimension, "", "of the space"},
      {"reference_dimension", &S::reference_dimension, "", "of the references in it, may be 0"},
      {"excitation_level", &S::excitation_level, "", "-1: full CI"},
      {"irrep", &S::irrep, "", "Molpro number from 1; 0: all"},
      {"spin_complete", &S::spin_complete, "", "1: the space is closed under spin"},
      {"reference", &S::reference, "",
       "occupation of the first reference: 2, 0, u, d per active orbital; with CSFs 2, 1, 0"},
      {.name = "reference_origin",
       .member = &S::reference_origin,
       .description = "what the references are, in words; \"\": the first orbitals, or as listed",
       .may_be_absent = true},
      {"hash", &S::hash, "", "hash of what defines the space"},
      {"words", &S::words, "", "64-bit words per string"},
  };
  return columns;
}

std::span<const Column<CiResult::Selection>> selection_columns() {
  using S = CiResult::Selection;
  static constexpr Column<S> columns[] = {
      {"criterion", &S::criterion, "", "\"perturbation\", \"heat-bath\" or \"amplitude\""},
      {"end", &S::end, "", "why the list grew no more, in words"},
      {"num_roots", &S::num_roots, "", "that were followed"},
      {"stage", &S::stage, "", "number of the last threshold, from 0"},
      {.name = "followed",
       .member = &S::followed,
       .description = "determinants up to which roots continue those before, by overlap",
       .may_be_absent = true},
  };
  return columns;
}

std::span<const ArrayColumn<CiResult::Selection>> selection_arrays() {
  using S = CiResult::Selection;
  constexpr auto per_root = [](const S& s) {
    return Hdf5Shape{s.determinants.size(), static_cast<std::uint64_t>(s.num_roots)};
  };
  constexpr auto per_pass = [](const S& s) { return Hdf5Shape{s.determinants.size()}; };
  static constexpr ArrayColumn<S> columns[] = {
      {"determinants", &S::determinants, nullptr, "", "of each pass"},
      {"epsilon", &S::epsilon, per_pass, "hartree", "threshold of the pass; NaN: by number"},
      {"nonzeros", &S::nonzeros, per_pass, "", "of the matrix, both triangles"},
      {"externals", &S::externals, per_pass, "", "determinants outside that were summed over; 0: none were"},
      {"energy", &S::energy, per_root, "hartree", "of the roots, ascending; NaN: there were fewer"},
      {"second_order", &S::second_order, per_root, "hartree", "E2 of the roots; NaN: not summed"},
      {"second_order_error", &S::second_order_error, per_root, "hartree", "standard error of that"},
      {"variance", &S::variance, per_root, "hartree^2", "sum of |H_ac|^2 over determinants outside"},
      {"seconds", &S::seconds, per_pass, "second", "since the growth began"},
  };
  return columns;
}

std::span<const Column<CiResult::Hamiltonian>> hamiltonian_columns() {
  using H = CiResult::Hamiltonian;
  static constexpr Column<H> columns[] = {
      {"storage", &H::storage, "",
       "storage format; \"direct\", or of a selected list \"list\": nothing was stored"},
      {"device", &H::device, "", "where it was"},
      {.name = "ranks",
       .member = &H::ranks,
       .description = "that had the rows of vectors among them, each a device or some processors",
       .may_be_absent = true},
      {"rows", &H::rows, "", "of the matrix; direct: that it would have"},
      {"nonzeros", &H::nonzeros, "", "of the matrix, both triangles; direct: that it would have"},
      {"ell_width", &H::ell_width, "",
       "of the hybrid format: width of its ELL part (BOUNDARY); of several ranks the largest"},
      {"tail_nonzeros", &H::tail_nonzeros, "", "of the hybrid format: nonzeros beyond"},
      {"bytes", &H::bytes, "", "memory as stored; direct: string tables and work vectors"},
      {"csr_bytes", &H::csr_bytes, "", "what CSR would take"},
      {"ell_bytes", &H::ell_bytes, "", "what ELL would take; direct: 0, not counted"},
      {"sparsity", &H::sparsity, "", "share of zeros, 0 to 1, of the matrix"},
      {"reference_sparsity", &H::reference_sparsity, "",
       "of the columns of the references; NaN where there are none, and direct"},
      {"expansion_sparsity", &H::expansion_sparsity, "",
       "of the other columns; NaN where there are none, and direct"},
      {"build_seconds", &H::build_seconds, "second", "time to build"},
  };
  return columns;
}

std::span<const Column<CiResult::Solver>> solver_columns() {
  using S = CiResult::Solver;
  static constexpr Column<S> columns[] = {
      {"status", &S::status, "", "converged, not converged, stagnated, interrupted"},
      {.name = "start",
       .member = &S::start,
       .description = "where the start vectors came from, in words; of each sector",
       .details = "of a point of a scan: how many roots of the point before it, or why none",
       .may_be_absent = true},
      {"num_applications", &S::num_applications, "", "products of H with a vector"},
  };
  return columns;
}

std::span<const Column<CiResult::Timing>> timing_columns() {
  using T = CiResult::Timing;
  static constexpr Column<T> columns[] = {
      {"integrals", &T::integrals}, {"space", &T::space}, {"hamiltonian", &T::hamiltonian},
      {"transfer", &T::transfer},   {"solve", &T::solve}, {"analysis", &T::analysis},
      {"total", &T::total},
  };
  return columns;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/export/exported_orbitals.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "tasks/export/result_states.hpp"

namespace cisolve {
namespace {

/// A molecule with the orbitals of the CI: where they were optimised, they stand in the places of the SCF's.
CiResult::Molecule with_orbitals_of_ci(const CiResult& result) {
  CiResult::Molecule molecule = *result.molecule;
  if (result.orbitals) {
    molecule.coefficients = result.orbitals->coefficients;
    molecule.orbital_energies = result.orbitals->energies;
  }
  return molecule;
}

/// Adds `factor` times an orbital of the molecule to one of the set.
void add(const CiResult::Molecule& molecule, int orbital, double factor, Matrix& to, int column) {
  const double* from = molecule.coefficients.data() +
                       static_cast<std::size_t>(orbital) * static_cast<std::size_t>(molecule.num_functions);
  for (int f = 0; f < molecule.num_functions; ++f) to(f, column) += factor * from[f];
}

ExportedOrbitals orbitals_of_run(const CiResult& result, const CiResult::Molecule& molecule,
                                 const ResultMolecule& parts) {
  ExportedOrbitals set;
  set.what = !result.orbitals                     ? "SCF orbitals"
             : result.orbitals->type == "natural" ? "natural orbitals"
                                                  : "CASSCF orbitals";
  const int n = static_cast<int>(molecule.orbital_energies.size());
  set.coefficients = Matrix(molecule.num_functions, n);
  for (int p = 0; p < n; ++p) {
    add(molecule, p, 1.0, set.coefficients, p);
    set.irreps.push_back(molecule.orbital_irreps[p] - 1);
    set.occupations.push_back(molecule.occupations[p]);
  }
  if (result.orbitals) set.occupations = result.orbitals->occupations;
  set.energies = molecule.orbital_energies;
  set.core = parts.core;
  set.active = parts.active;
  return set;
}

/// Frozen core, natural orbitals, frozen virtuals; natural orbitals have no energies.
ExportedOrbitals natural_set(const CiResult::Molecule& molecule, const ResultMolecule& parts,
                             const NaturalOrbitals& natural) {
  ExportedOrbitals set;
  const int n = static_cast<int>(molecule.orbital_energies.size());
  set.coefficients = Matrix(molecule.num_functions, n);
  const auto begin_next = [&](int irrep, double energy, double occupation) {
    set.irreps.push_back(irrep);
    set.energies.push_back(energy);
    set.occupations.push_back(occupation);
    return static_cast<int>(set.irreps.size()) - 1;
  };
  const auto add_frozen = [&](const std::vector<int>& orbitals, double occupation) {
    for (const int p : orbitals) {
      const int column = begin_next(molecule.orbital_irreps[p] - 1, molecule.orbital_energies[p], occupation);
      add(molecule, p, 1.0, set.coefficients, column);
    }
  };
  add_frozen(parts.core, 2.0);
  for (int k = 0; k < natural.coefficients.rows(); ++k) {
    const int column = begin_next(natural.irreps[k], 0.0, natural.occupations[k]);
    set.active.push_back(column);
    for (int p = 0; p < natural.coefficients.columns(); ++p)
      add(molecule, parts.active[p], natural.coefficients(k, p), set.coefficients, column);
  }
  add_frozen(parts.virtuals, 0.0);
  set.core.resize(parts.core.size());
  std::iota(set.core.begin(), set.core.end(), 0);
  return set;
}

}  // namespace

ExportedOrbitals exported_orbitals(const ExportedResult& from, const ResultMolecule& parts,
                                   const ExportOptions& options) {
  const CiResult::Molecule molecule = with_orbitals_of_ci(from.result);
  if (!options.natural) return orbitals_of_run(from.result, molecule, parts);
  if (!molecule.beta_energies.empty()) {
    throw InputError(fmt::format(
        "--natural: the orbitals of {} are UHF's; natural orbitals are made of ones that both spins "
        "share",
        from.file.string()));
  }
  const auto roots = chosen_roots(from.result, options, from.file);
  NaturalOrbitals natural = natural_orbitals_of(from.result, roots, from.file);
  ExportedOrbitals set = natural_set(molecule, parts, natural);
  set.what = "natural orbitals of " + states_text(roots, options);
  set.natural = std::move(natural);
  return set;
}

ExportedOrbitals exported_active_orbitals(const ExportedResult& from, const ExportOptions& options) {
  ExportedOrbitals set;
  set.what = "orbitals of the run";
  set.irreps = active_irreps(from.result);
  set.active.resize(set.irreps.size());
  std::iota(set.active.begin(), set.active.end(), 0);
  if (!options.natural) return set;
  const auto roots = chosen_roots(from.result, options, from.file);
  set.natural = natural_orbitals_of(from.result, roots, from.file);
  set.what = "natural orbitals of " + states_text(roots, options);
  set.irreps = set.natural->irreps;
  set.occupations = set.natural->occupations;
  return set;
}

}  // namespace cisolve

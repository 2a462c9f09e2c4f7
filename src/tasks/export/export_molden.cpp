// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/molecule/molden.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_molecule.hpp"
#include "tasks/export/result_states.hpp"
#include "tasks/export/text_output.hpp"

namespace cisolve {
namespace {

/// Orbitals over the basis functions.
struct OrbitalSet {
  Matrix coefficients;  ///< [functions x orbitals]
  std::vector<int> irreps;
  std::vector<double> energies, occupations;
};

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

OrbitalSet scf_orbitals(const CiResult::Molecule& molecule) {
  OrbitalSet set;
  const int n = static_cast<int>(molecule.orbital_energies.size());
  set.coefficients = Matrix(molecule.num_functions, n);
  for (int p = 0; p < n; ++p) {
    add(molecule, p, 1.0, set.coefficients, p);
    set.irreps.push_back(molecule.orbital_irreps[p] - 1);
    set.occupations.push_back(molecule.occupations[p]);
  }
  set.energies = molecule.orbital_energies;
  return set;
}

/// Frozen core, natural orbitals, frozen virtuals; natural orbitals have no energies.
OrbitalSet natural_set(const CiResult::Molecule& molecule, const ResultMolecule& parts,
                       const NaturalOrbitals& natural) {
  OrbitalSet set;
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
    for (int p = 0; p < natural.coefficients.columns(); ++p)
      add(molecule, parts.active[p], natural.coefficients(k, p), set.coefficients, column);
  }
  add_frozen(parts.virtuals, 0.0);
  return set;
}

/// Where the file's coordinates are, for its title.
std::string frame_text(const CiResult::Molecule& molecule) {
  return molecule.reoriented ? "frame of the calculation: centre of nuclear charge, axes turned"
                             : "frame of the calculation: centre of nuclear charge, axes as given";
}

}  // namespace

std::string export_molden(const ExportedResult& from, const std::filesystem::path& file,
                          const ExportOptions& options) {
  const CiResult& result = from.result;
  const ResultMolecule parts = molecule_of(result, from.file, "Molden files");
  const CiResult::Molecule molecule = with_orbitals_of_ci(result);
  OrbitalSet set;
  std::string what = "SCF orbitals";
  if (options.natural) {
    const auto roots = chosen_roots(result, options, from.file);
    set = natural_set(molecule, parts, natural_orbitals_of(result, roots, from.file));
    what = "natural orbitals of " + states_text(roots, options);
  } else {
    set = scf_orbitals(molecule);
    if (result.orbitals) {
      set.occupations = result.orbitals->occupations;
      what = "CASSCF orbitals";
    }
  }
  const PointGroup group = PointGroup::parse(molecule.point_group);
  MoldenOrbitals orbitals{
      .title = fmt::format("cisolve {}: {} ({}){}{}", result.version, what, frame_text(molecule),
                           result.title.empty() ? "" : ": ", result.title),
      .geometry = parts.geometry,
      .basis = parts.basis,
      .coefficients = std::move(set.coefficients),
      .symmetries = orbital_labels(set.irreps, group),
      .energies = std::move(set.energies),
      .occupations = std::move(set.occupations)};
  std::string text;
  try {
    text = molden_text(orbitals);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", from.file.string(), error.what()));
  }
  TextOutput out(file);
  out.write(text);
  out.commit();
  return fmt::format("{} {}", orbitals.occupations.size(), what);
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/molecule/molden.hpp"
#include "tasks/export/exported_orbitals.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_molecule.hpp"
#include "tasks/export/text_output.hpp"

namespace cisolve {
namespace {

/// Appends the beta orbitals of UHF to those of alpha.
void add_beta(const CiResult::Molecule& molecule, MoldenOrbitals& orbitals) {
  if (molecule.beta_energies.empty()) return;
  orbitals.num_alpha = orbitals.coefficients.columns();
  Matrix both(orbitals.coefficients.rows(), 2 * orbitals.num_alpha);
  const auto size = static_cast<std::ptrdiff_t>(molecule.coefficients.size());
  std::ranges::copy(molecule.coefficients, both.data());
  std::ranges::copy(molecule.beta_coefficients, both.data() + size);
  orbitals.coefficients = std::move(both);
  const std::vector<std::string> symmetries = orbitals.symmetries;
  orbitals.symmetries.insert(orbitals.symmetries.end(), symmetries.begin(), symmetries.end());
  orbitals.energies.insert(orbitals.energies.end(), molecule.beta_energies.begin(),
                           molecule.beta_energies.end());
  orbitals.occupations.insert(orbitals.occupations.end(), molecule.beta_occupations.begin(),
                              molecule.beta_occupations.end());
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
  const CiResult::Molecule& molecule = *result.molecule;
  ExportedOrbitals set = exported_orbitals(from, parts, options);
  const PointGroup group = PointGroup::parse(molecule.point_group);
  MoldenOrbitals orbitals{
      .title = fmt::format("cisolve {}: {} ({}){}{}", result.version, set.what, frame_text(molecule),
                           result.title.empty() ? "" : ": ", result.title),
      .geometry = parts.geometry,
      .basis = parts.basis,
      .coefficients = std::move(set.coefficients),
      .symmetries = orbital_labels(set.irreps, group),
      .energies = std::move(set.energies),
      .occupations = std::move(set.occupations)};
  add_beta(molecule, orbitals);
  std::string text;
  try {
    text = molden_text(orbitals);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", from.file.string(), error.what()));
  }
  TextOutput out(file);
  out.write(text);
  out.commit();
  return orbitals.num_alpha > 0 ? fmt::format("{} {} of each spin", orbitals.num_alpha, set.what)
                                : fmt::format("{} {}", orbitals.occupations.size(), set.what);
}

}  // namespace cisolve

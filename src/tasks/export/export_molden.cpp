// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/orbital_labels.hpp"
#include "cisolve/molecule/molden.hpp"
#include "tasks/export/exported_orbitals.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_molecule.hpp"
#include "tasks/export/text_output.hpp"

namespace cisolve {
namespace {

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
  std::string text;
  try {
    text = molden_text(orbitals);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", from.file.string(), error.what()));
  }
  TextOutput out(file);
  out.write(text);
  out.commit();
  return fmt::format("{} {}", orbitals.occupations.size(), set.what);
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/units.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

Markup geometry(const CiResult::Molecule& molecule) {
  Table table("Coordinates from the centre of nuclear charge, in the frame of the calculation",
              {{"atom", false}, {"x/bohr"}, {"y/bohr"}, {"z/bohr"}, {"x/Å"}, {"y/Å"}, {"z/Å"}});
  const std::vector<std::string> names = atom_names(molecule.labels, molecule.charges);
  for (std::size_t a = 0; a < names.size(); ++a) {
    std::vector<Markup> row = {names[a]};
    for (const double unit : {1.0, units::bohr_in_angstrom}) {
      for (std::size_t k = 0; k < 3; ++k) row.emplace_back(fixed(molecule.coordinates[3 * a + k] * unit, 6));
    }
    table.add(row);
  }
  return table.markup();
}

Markup bonds(const CiResult::Molecule& molecule) {
  constexpr std::size_t most = 40;
  if (molecule.bond_lengths.empty() || molecule.bond_lengths.size() > most) return {};
  const std::vector<std::string> names = atom_names(molecule.labels, molecule.charges);
  std::string text = "Bonds:";
  for (std::size_t k = 0; k < molecule.bond_lengths.size(); ++k) {
    text += fmt::format("{} {}–{} {} Å", k == 0 ? "" : ",",
                        names[static_cast<std::size_t>(molecule.bond_atoms[2 * k]) - 1],
                        names[static_cast<std::size_t>(molecule.bond_atoms[2 * k + 1]) - 1],
                        fixed(molecule.bond_lengths[k] * units::bohr_in_angstrom, 4));
  }
  return paragraph(text + ".");
}

/// What the orbitals of a table have: of both spins, of alpha or of beta.
struct Orbitals {
  std::string name;
  const std::vector<std::int32_t>& occupations;
  const std::vector<double>& energies;
  const std::vector<std::string>& contributions;
};

Markup orbitals_table(const CiResult::Molecule& molecule, const Orbitals& of) {
  constexpr std::size_t beyond = 5;  // empty orbitals worth a line
  const PointGroup group = PointGroup::parse(molecule.point_group);
  const std::size_t count = of.occupations.size();
  std::size_t shown = count;
  while (shown > 0 && of.occupations[shown - 1] == 0) --shown;
  shown = std::min(shown + beyond, count);
  const bool is_named = molecule.orbital_labels.size() == count,
             is_described = of.contributions.size() == count;
  std::vector<Table::Column> columns = {
      {of.name}, {is_named ? "label" : "irrep", false}, {"occupation"}, {"energy/hartree"}, {"energy/eV"}};
  if (is_described) columns.push_back({"contributions (Löwdin)", false});
  Table table(shown == count ? "Orbitals"
                             : fmt::format("Orbitals: occupied, and the lowest {} of {} empty ones", beyond,
                                           count - shown + beyond),
              columns);
  for (std::size_t k = 0; k < shown; ++k) {
    std::vector<Markup> row = {
        std::to_string(k + 1),
        is_named ? molecule.orbital_labels[k] : group.irrep_name(molecule.orbital_irreps[k]),
        std::to_string(of.occupations[k]), fixed(of.energies[k], 6),
        fixed(of.energies[k] * units::hartree_in_ev, 3)};
    if (is_described) row.emplace_back(of.contributions[k]);
    table.add(row);
  }
  return table.markup();
}

Markup scf(const CiResult& result) {
  const CiResult::Molecule& molecule = *result.molecule;
  Fields fields;
  const bool is_given = !molecule.orbitals_file.empty();
  fields.add("Method", is_given ? "orbitals of " + molecule.orbitals_file : molecule.method);
  if (result.system.scf_energy)
    fields.add(is_given ? "Determinant's energy" : "Energy",
               fixed(*result.system.scf_energy, 10) + " hartree");
  fields.add("Nuclear repulsion", fixed(molecule.nuclear_repulsion, 10) + " hartree");
  if (molecule.s_squared) fields.add("<S²>", fixed(*molecule.s_squared, 6));
  if (molecule.stability_checked)
    fields.add("Lowest Hessian value", fixed(molecule.lowest_eigenvalue, 4) + " hartree");
  fields.add("Lower state", molecule.search);
  return fields.markup();
}

}  // namespace

Section molecule_section(const CiResult& result) {
  Section section{"molecule", "Geometry and SCF orbitals"};
  if (!result.molecule) return section;
  const CiResult::Molecule& molecule = *result.molecule;
  Fields fields;
  fields.add("Basis set", fmt::format("{}, {} functions ({})", molecule.basis, molecule.num_functions,
                                      molecule.functions));
  fields.add("Point group",
             molecule.point_group + (molecule.largest_group != molecule.point_group
                                         ? fmt::format(" (the geometry has {})", molecule.largest_group)
                                         : ""));
  if (!molecule.point_charges.empty())
    fields.add("Point charges", std::to_string(molecule.point_charges.size()));
  if (molecule.field.size() == 3)
    fields.add("Electric field", fmt::format("({}, {}, {}) hartree/(e bohr)", fixed(molecule.field[0], 6),
                                             fixed(molecule.field[1], 6), fixed(molecule.field[2], 6)));
  section.body = fields.markup() + geometry(molecule) + bonds(molecule);
  const bool is_unrestricted = !molecule.beta_energies.empty();
  section.body += subsection(molecule.orbitals_file.empty() ? "SCF" : "Orbitals", scf(result));
  section.body += orbitals_table(molecule, {is_unrestricted ? "alpha" : "orbital", molecule.occupations,
                                            molecule.orbital_energies, molecule.orbital_contributions});
  if (is_unrestricted)
    section.body += orbitals_table(
        molecule, {"beta", molecule.beta_occupations, molecule.beta_energies, molecule.beta_contributions});
  return section;
}

}  // namespace cisolve::page

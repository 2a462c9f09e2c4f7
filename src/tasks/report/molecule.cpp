// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "cisolve/core/units.hpp"
#include "cisolve/integrals/point_group.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;

/// "3 A1, 1 B1"; "none".
std::string occupation(const std::vector<std::int32_t>& orbitals, const PointGroup& group) {
  std::string text;
  for (std::size_t k = 0; k < orbitals.size(); ++k) {
    if (orbitals[k] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", orbitals[k],
                        group.irrep_name(static_cast<int>(k) + 1));
  }
  return text.empty() ? "none" : text;
}

/// "x, y, z = the input's z, x, y", where the axes were only renamed; else the vectors.
std::string axes_text(const std::vector<double>& axes) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    text += fmt::format("{}{} = ({}, {}, {})", i == 0 ? "" : "; ", "xyz"[i], fixed(axes[3 * i], 4),
                        fixed(axes[3 * i + 1], 4), fixed(axes[3 * i + 2], 4));
  }
  return text;
}

/// The atoms in bohr and angstrom.
void print_coordinates(std::ostream& out, const CiResult::Molecule& molecule) {
  out << "\n  Coordinates from the centre of nuclear charge\n"
      << fmt::format("  {:<6}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "atom", "x/bohr", "y/bohr", "z/bohr",
                     "x/angstrom", "y/angstrom", "z/angstrom");
  const std::vector<std::string> names = atom_names(molecule.labels, molecule.charges);
  for (std::size_t a = 0; a < names.size(); ++a) {
    std::string line = "  " + names[a];
    for (const double unit : {1.0, units::bohr_in_angstrom}) {
      for (std::size_t k = 0; k < 3; ++k) {
        // A long label takes room of the first number.
        const bool is_first = unit == 1.0 && k == 0;
        const std::size_t width = is_first ? 18 - std::min<std::size_t>(names[a].size(), 18) : 12;
        line += fmt::format("{:>{}}", fixed(molecule.coordinates[3 * a + k] * unit, 6), width);
      }
    }
    out << line << '\n';
  }
}

/// Whether two bonds are between the same elements and of one length.
bool are_alike(const CiResult::Molecule& molecule, std::size_t a, std::size_t b) {
  constexpr double same = 1e-4;  // bohr
  const auto elements = [&](std::size_t bond) {
    return std::minmax({molecule.charges[molecule.bond_atoms[2 * bond] - 1],
                        molecule.charges[molecule.bond_atoms[2 * bond + 1] - 1]});
  };
  return elements(a) == elements(b) && std::abs(molecule.bond_lengths[a] - molecule.bond_lengths[b]) < same;
}

/// "O-H2 0.9578 (2 alike)": by the first of those that are alike.
std::string bonds_text(const CiResult::Molecule& molecule) {
  const std::vector<std::string> names = atom_names(molecule.labels, molecule.charges);
  std::string text;
  for (std::size_t k = 0; k < molecule.bond_lengths.size(); ++k) {
    std::size_t before = 0, count = 0;
    for (std::size_t other = 0; other < molecule.bond_lengths.size(); ++other) {
      if (are_alike(molecule, k, other)) ++(other < k ? before : count);
    }
    if (before > 0) continue;
    text += fmt::format("{}{}-{} {}{}", text.empty() ? "" : ", ", names[molecule.bond_atoms[2 * k] - 1],
                        names[molecule.bond_atoms[2 * k + 1] - 1],
                        fixed(molecule.bond_lengths[k] * units::bohr_in_angstrom, 4),
                        count > 1 ? fmt::format(" ({} alike)", count) : "");
  }
  return text;
}

/// Table of the occupied orbitals and the lowest empty ones, or of all; what files of earlier programs lack is left
/// out.
void print_orbitals(std::ostream& out, const CiResult::Molecule& molecule, bool all) {
  constexpr std::size_t beyond = 5;  // empty orbitals worth a line
  const PointGroup group = PointGroup::parse(molecule.point_group);
  const std::size_t count = molecule.occupations.size();
  std::size_t shown = 0;
  while (shown < count && molecule.occupations[shown] > 0) ++shown;
  shown = all ? count : std::min(shown + beyond, count);
  const bool is_named = molecule.orbital_labels.size() == count;
  const bool is_described = molecule.orbital_contributions.size() == count;
  out << fmt::format("\n{:>9}{:>6}{:>16}  {}{}\n", "orbital", "occ.", "energy/hartree",
                     is_named ? "label" : "irrep", is_described ? " contributions (Loewdin)" : "");
  for (std::size_t k = 0; k < shown; ++k) {
    const std::string name =
        is_named ? molecule.orbital_labels[k] : group.irrep_name(molecule.orbital_irreps[k]);
    const std::string numbers = fmt::format("{:>9}{:>6}{:>16}  ", k + 1, molecule.occupations[k],
                                            fixed(molecule.orbital_energies[k], 6));
    if (is_described) {
      report::print_wrapped(out, numbers + fmt::format("{:<6}", name), molecule.orbital_contributions[k]);
    } else {
      out << numbers << name << '\n';
    }
  }
  if (shown == count) return;
  out << (count - shown == 1 ? std::string("        1 more is empty; -v lists it\n")
                             : fmt::format("{:>9} more are empty; -v lists them\n", count - shown));
}

void print_surroundings(std::ostream& out, const CiResult::Molecule& molecule) {
  if (!molecule.point_charges.empty()) {
    const double sum = std::accumulate(molecule.point_charges.begin(), molecule.point_charges.end(), 0.0);
    print_field(out, "point charges",
                fmt::format("{}, together {} e", molecule.point_charges.size(), fixed(sum, 4)));
  }
  if (molecule.field.size() == 3) {
    print_field(out, "electric field",
                fmt::format("({}, {}, {}) hartree/(e bohr)", fixed(molecule.field[0], 6),
                            fixed(molecule.field[1], 6), fixed(molecule.field[2], 6)));
  }
}

}  // namespace

void print_molecule(std::ostream& out, const CiResult::Molecule& molecule) {
  out << "\nMolecule\n";
  print_field(
      out, "basis",
      fmt::format("{}, {} functions ({})", molecule.basis, molecule.num_functions, molecule.functions));
  print_field(out, "charge, multiplicity", fmt::format("{}, {}", molecule.charge, molecule.multiplicity));
  const bool lower = molecule.largest_group != molecule.point_group;
  print_field(out, "point group",
              molecule.point_group +
                  (lower ? fmt::format(" (the geometry has {})", molecule.largest_group) : std::string()));
  print_surroundings(out, molecule);
  print_field(out, "axes", molecule.reoriented ? "turned: " + axes_text(molecule.axes) : "as given");
  if (!molecule.bond_lengths.empty()) print_field(out, "bonds/angstrom", bonds_text(molecule));
  print_coordinates(out, molecule);
}

void print_scf_heading(std::ostream& out) {
  out << fmt::format("\nSCF iterations\n{:>6}{:>22}{:>17}{:>17}\n", "iter", "energy/hartree", "change",
                     "gradient");
}

void print_scf_iteration(std::ostream& out, const ScfIteration& iteration) {
  out << fmt::format("{:>6}{:>22}{:>17}{:>17}\n", iteration.number, fixed(iteration.energy, 10),
                     fmt::format("{:.2e}", iteration.change), fmt::format("{:.2e}", iteration.gradient));
}

void print_scf(std::ostream& out, const CiResult::Molecule& molecule, double energy, bool all_orbitals) {
  const PointGroup group = PointGroup::parse(molecule.point_group);
  if (molecule.orbitals_file.empty()) {
    out << "\nSCF\n";
    print_field(out, "method", fmt::format("{}, converged", molecule.method));
  } else {
    out << "\nOrbitals\n";
    print_field(out, "of", molecule.orbitals_file);
  }
  if (molecule.from_guess) print_field(out, "began with", "orbitals of another geometry");
  if (!molecule.search.empty()) print_field(out, "lower state", molecule.search);
  print_field(out, molecule.orbitals_file.empty() ? "energy" : "determinant's energy",
              fixed(energy, 10) + " hartree");
  print_field(out, "nuclear repulsion", fixed(molecule.nuclear_repulsion, 10) + " hartree");
  print_field(out, "doubly occupied", occupation(molecule.doubly_occupied, group));
  print_field(out, "singly occupied", occupation(molecule.singly_occupied, group));
  if (molecule.num_dependent > 0) {
    print_field(out, "linearly dependent",
                fmt::format("{} combinations of functions left out", molecule.num_dependent));
  }
  if (molecule.stability_checked) {
    print_field(out, "lowest Hessian value", fixed(molecule.lowest_eigenvalue, 4) + " hartree");
  }
  print_orbitals(out, molecule, all_orbitals);
}

}  // namespace cisolve

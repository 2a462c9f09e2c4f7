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

/// What the orbitals of a table have: of both spins, of alpha or of beta.
struct OrbitalColumns {
  std::string_view heading;  ///< of the first column
  const std::vector<std::int32_t>& occupations;
  const std::vector<double>& energies;
  const std::vector<std::string>& contributions;
};

/// Table of the occupied orbitals and the lowest empty ones, or of all; what files of earlier programs lack is left
/// out.
void print_orbitals(std::ostream& out, const CiResult::Molecule& molecule, const OrbitalColumns& columns,
                    bool all) {
  constexpr std::size_t beyond = 5;  // empty orbitals worth a line
  const PointGroup group = PointGroup::parse(molecule.point_group);
  const std::size_t count = columns.occupations.size();
  std::size_t shown = count;  // up to the last that is occupied
  while (shown > 0 && columns.occupations[shown - 1] == 0) --shown;
  shown = all ? count : std::min(shown + beyond, count);
  const bool is_named = molecule.orbital_labels.size() == count;
  const bool is_described = columns.contributions.size() == count;
  out << fmt::format("\n{:>9}{:>6}{:>16}  {}{}\n", columns.heading, "occ.", "energy/hartree",
                     is_named ? "label" : "irrep", is_described ? " contributions (Loewdin)" : "");
  for (std::size_t k = 0; k < shown; ++k) {
    const std::string name =
        is_named ? molecule.orbital_labels[k] : group.irrep_name(molecule.orbital_irreps[k]);
    const std::string numbers =
        fmt::format("{:>9}{:>6}{:>16}  ", k + 1, columns.occupations[k], fixed(columns.energies[k], 6));
    if (is_described) {
      report::print_wrapped(out, numbers + fmt::format("{:<6}", name), columns.contributions[k]);
    } else {
      out << numbers << name << '\n';
    }
  }
  if (shown == count) return;
  out << (count - shown == 1 ? std::string("        1 more is empty; -v lists it\n")
                             : fmt::format("{:>9} more are empty; -v lists them\n", count - shown));
}

/// Occupied orbitals of each spin, <S^2>, and how far the state came down from the restricted one.
void print_spins(std::ostream& out, const CiResult::Molecule& molecule, double energy) {
  const PointGroup group = PointGroup::parse(molecule.point_group);
  constexpr double same = 1e-7;  // hartree
  const char* restricted = molecule.multiplicity == 1 ? "RHF" : "ROHF";
  if (molecule.restricted_energy) {
    const double below = *molecule.restricted_energy - energy;
    const bool is_same = std::abs(below) < same;
    print_field(out, fmt::format("below {}", restricted),
                is_same ? std::string("no: it is the same state, both spins have the same orbitals")
                        : fixed(below, 6) + " hartree");
  }
  const double s = 0.5 * (molecule.multiplicity - 1);
  if (molecule.s_squared) {
    print_field(out, "<S^2>",
                fmt::format("{}, of a pure spin {}", fixed(*molecule.s_squared, 6), fixed(s * (s + 1.0), 2)));
  }
  std::vector<std::int32_t> alpha = molecule.doubly_occupied;
  for (std::size_t k = 0; k < alpha.size(); ++k) alpha[k] += molecule.singly_occupied[k];
  print_field(out, "alpha occupied", occupation(alpha, group));
  print_field(out, "beta occupied", occupation(molecule.doubly_occupied, group));
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
  const bool is_unrestricted = !molecule.beta_energies.empty();
  if (is_unrestricted) {
    print_spins(out, molecule, energy);
  } else {
    print_field(out, "doubly occupied", occupation(molecule.doubly_occupied, group));
    print_field(out, "singly occupied", occupation(molecule.singly_occupied, group));
  }
  if (molecule.num_dependent > 0) {
    print_field(out, "linearly dependent",
                fmt::format("{} combinations of functions left out", molecule.num_dependent));
  }
  if (molecule.stability_checked) {
    print_field(out, "lowest Hessian value", fixed(molecule.lowest_eigenvalue, 4) + " hartree");
  }
  print_orbitals(out, molecule,
                 {is_unrestricted ? "alpha" : "orbital", molecule.occupations, molecule.orbital_energies,
                  molecule.orbital_contributions},
                 all_orbitals);
  if (!is_unrestricted) return;
  print_orbitals(out, molecule,
                 {"beta", molecule.beta_occupations, molecule.beta_energies, molecule.beta_contributions},
                 all_orbitals);
}

}  // namespace cisolve

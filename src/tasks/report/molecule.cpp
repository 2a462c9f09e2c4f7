// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "cisolve/integrals/point_group.hpp"
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

}  // namespace

CiResult::Molecule describe_molecule(const MoleculeConfig& config) {
  CiResult::Molecule molecule;
  for (const Atom& atom : config.frame.geometry.atoms) {
    molecule.labels.push_back(atom.label);
    molecule.charges.push_back(atom.charge);
    molecule.coordinates.insert(molecule.coordinates.end(), atom.position.begin(), atom.position.end());
  }
  molecule.charge = config.charge;
  molecule.multiplicity = config.multiplicity;
  molecule.basis = config.basis_name;
  molecule.functions = config.functions == FunctionType::cartesian ? "cartesian" : "spherical";
  molecule.num_functions = config.basis.num_functions;
  molecule.point_group = config.frame.group.name();
  molecule.largest_group = config.frame.largest_group;
  molecule.reoriented = config.frame.reoriented;
  molecule.origin.assign(config.frame.origin.begin(), config.frame.origin.end());
  for (const Position& axis : config.frame.axes)
    molecule.axes.insert(molecule.axes.end(), axis.begin(), axis.end());
  return molecule;
}

void add_scf(const ScfResult& scf, const std::vector<ScfIteration>& history, const MoleculeConfig& config,
             CiResult::Molecule& molecule) {
  molecule.method = config.multiplicity == 1 ? "RHF" : "ROHF";
  molecule.from_guess = scf.from_guess;
  molecule.nuclear_repulsion = scf.nuclear_repulsion;
  molecule.num_dependent = scf.num_dependent;
  molecule.stability_checked = config.scf.check_stability;
  molecule.lowest_eigenvalue = scf.lowest_eigenvalue;
  molecule.doubly_occupied.assign(scf.doubly_occupied.begin(), scf.doubly_occupied.end());
  molecule.singly_occupied.assign(scf.singly_occupied.begin(), scf.singly_occupied.end());
  molecule.orbital_energies = scf.orbitals.energies;
  molecule.occupations.assign(scf.orbitals.occupations.begin(), scf.orbitals.occupations.end());
  for (const int irrep : scf.orbitals.irreps) molecule.orbital_irreps.push_back(irrep + 1);
  const Matrix& c = scf.orbitals.coefficients;
  molecule.coefficients.assign(
      c.data(), c.data() + static_cast<std::size_t>(c.rows()) * static_cast<std::size_t>(c.columns()));
  for (const ScfIteration& iteration : history) {
    molecule.scf_energies.push_back(iteration.energy);
    molecule.scf_gradients.push_back(iteration.gradient);
  }
}

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
  print_field(out, "axes", molecule.reoriented ? "turned: " + axes_text(molecule.axes) : "as given");
  out << fmt::format("\n  {:<8}{:>16}{:>16}{:>16}\n", "atom", "x/bohr", "y/bohr", "z/bohr");
  for (std::size_t a = 0; a < molecule.labels.size(); ++a) {
    out << fmt::format("  {:<8}{:>16}{:>16}{:>16}\n", molecule.labels[a],
                       fixed(molecule.coordinates[3 * a], 8), fixed(molecule.coordinates[3 * a + 1], 8),
                       fixed(molecule.coordinates[3 * a + 2], 8));
  }
}

void print_scf_heading(std::ostream& out) {
  out << fmt::format("\nSCF iterations\n{:>6}{:>22}{:>17}{:>17}\n", "iter", "energy/hartree", "change",
                     "gradient");
}

void print_scf_iteration(std::ostream& out, const ScfIteration& iteration) {
  out << fmt::format("{:>6}{:>22}{:>17}{:>17}\n", iteration.number, fixed(iteration.energy, 10),
                     fmt::format("{:.2e}", iteration.change), fmt::format("{:.2e}", iteration.gradient));
}

void print_scf(std::ostream& out, const CiResult::Molecule& molecule, double energy) {
  const PointGroup group = PointGroup::parse(molecule.point_group);
  out << "\nSCF\n";
  print_field(out, "method", fmt::format("{}, converged", molecule.method));
  if (molecule.from_guess) print_field(out, "began with", "orbitals of another geometry");
  print_field(out, "energy", fixed(energy, 10) + " hartree");
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
  constexpr std::size_t beyond = 5;  // empty orbitals worth a line
  std::size_t shown = 0;
  while (shown < molecule.occupations.size() && molecule.occupations[shown] > 0) ++shown;
  shown = std::min(shown + beyond, molecule.occupations.size());
  out << fmt::format("\n{:>9}{:>12}{:>18}  {}\n", "orbital", "occupation", "energy/hartree", "irrep");
  for (std::size_t k = 0; k < shown; ++k) {
    out << fmt::format("{:>9}{:>12}{:>18}  {}\n", k + 1, molecule.occupations[k],
                       fixed(molecule.orbital_energies[k], 6), group.irrep_name(molecule.orbital_irreps[k]));
  }
}

namespace {

/// Where each root is, and how it is reached from the first.
void print_dipoles(std::ostream& out, const CiResult& result) {
  constexpr double debye = 2.541746473;  // e bohr in debye, CODATA 2018
  out << fmt::format("{:>6}{:>14}{:>14}{:>14}{:>16}\n", "root", "dipole x", "y", "z/(e bohr)", "size/debye");
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const std::vector<double>& d = result.root(k).dipole;
    out << fmt::format("{:>6}{:>14}{:>14}{:>14}{:>16}\n", k + 1, fixed(d[0], 6), fixed(d[1], 6),
                       fixed(d[2], 6), fixed(debye * std::hypot(d[0], d[1], d[2]), 5));
  }
  if (result.roots.size() == 1) return;
  out << fmt::format("\n{:>8}{:>14}{:>14}{:>14}{:>14}\n", "1 ->", "transition x", "y", "z/(e bohr)",
                     "strength");
  const Root& first = result.root(0);
  for (std::size_t k = 1; k < result.roots.size(); ++k) {
    // Nothing is known between roots of different sectors.
    const bool known = result.roots[k].sector == result.roots[0].sector;
    const std::size_t at = result.roots[k].root;
    const auto number = [known](const std::vector<double>& values, std::size_t i) {
      return known ? fixed(values[i], 6) : std::string("-");
    };
    out << fmt::format("{:>8}{:>14}{:>14}{:>14}{:>14}\n", k + 1, number(first.transition_dipole, 3 * at),
                       number(first.transition_dipole, 3 * at + 1),
                       number(first.transition_dipole, 3 * at + 2), number(first.oscillator_strength, at));
  }
}

}  // namespace

void print_properties(std::ostream& out, const CiResult& result) {
  out << "\nProperties\n";
  print_dipoles(out, result);
  constexpr double visible = 5e-4;  // of an occupation, from 0 and 2
  out << "\n  natural occupations and Mulliken charges\n";
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    std::string numbers;
    for (const double n : root.natural_occupations) {
      if (n > visible && n < 2.0 - visible) numbers += (numbers.empty() ? "" : " ") + fixed(n, 3);
    }
    std::string charges;
    for (std::size_t a = 0; a < result.molecule->labels.size(); ++a) {
      charges += fmt::format("{}{} {:+.3f}", a == 0 ? "" : ", ", result.molecule->labels[a],
                             root.mulliken_charges[a]);
    }
    report::print_wrapped(out, fmt::format("{:>6}  ", k + 1), numbers.empty() ? "all 2 or 0" : numbers);
    report::print_wrapped(out, "        ", charges);
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <ostream>
#include <set>

#include "cisolve/core/units.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::signed_fixed;

/// Only the dipole of a neutral molecule is the same about every point.
void print_dipole_origin(std::ostream& out, const CiResult::Molecule& molecule) {
  if (molecule.charge == 0) return;
  std::string origin;
  for (std::size_t k = 0; k < 3; ++k) {
    origin += (k == 0 ? "" : ", ") + fixed(molecule.origin[k] * units::bohr_in_angstrom, 6);
  }
  report::print_wrapped(
      out, "  ",
      fmt::format("The dipole of an ion depends on the point that it is taken about: here the centre of "
                  "nuclear charge, ({}) angstrom in the axes given.",
                  origin));
  out << '\n';
}

/// Of the sector that a root belongs to; 0: not known beforehand.
int multiplicity_of(const CiResult& result, std::size_t k) {
  return result.sectors[result.roots[k].sector].multiplicity;
}

/// How roots of its multiplicity are reached from one root, as far as they are known.
/// @return whether some are not known
bool print_transitions(std::ostream& out, const CiResult& result, std::size_t from) {
  const Root& lower = result.root(from);
  bool is_first_row = true, some_unknown = false;
  for (std::size_t k = from + 1; k < result.roots.size(); ++k) {
    if (multiplicity_of(result, k) != multiplicity_of(result, from)) continue;
    if (!std::isfinite(lower.oscillator_strength[k])) {
      some_unknown = true;
      continue;
    }
    if (is_first_row) {
      out << fmt::format("\n{:>8}{:>14}{:>14}{:>14}{:>14}\n", fmt::format("{} ->", from + 1), "transition x",
                         "y", "z/(e bohr)", "strength");
    }
    is_first_row = false;
    const double* dipole = lower.transition_dipole.data() + 3 * k;
    out << fmt::format("{:>8}{:>14}{:>14}{:>14}{:>14}\n", k + 1, fixed(dipole[0], 6), fixed(dipole[1], 6),
                       fixed(dipole[2], 6), fixed(lower.oscillator_strength[k], 6));
  }
  return some_unknown;
}

/// From the lowest root of each multiplicity: others are not reached by light.
void print_transitions(std::ostream& out, const CiResult& result) {
  std::set<int> done;
  bool some_unknown = false;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    if (done.insert(multiplicity_of(result, k)).second)
      some_unknown = print_transitions(out, result, k) || some_unknown;
  }
  if (some_unknown) out << "\n  Transitions between some roots of different irreps are not known.\n";
  if (done.size() > 1) out << "\n  Between roots of different multiplicities they vanish.\n";
}

void print_dipoles(std::ostream& out, const CiResult& result) {
  constexpr double debye = 2.541746473;  // e bohr in debye, CODATA 2018
  out << fmt::format("{:>6}{:>14}{:>14}{:>14}{:>16}\n", "root", "dipole x", "y", "z/(e bohr)", "size/debye");
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const std::vector<double>& d = result.root(k).dipole;
    out << fmt::format("{:>6}{:>14}{:>14}{:>14}{:>16}\n", k + 1, fixed(d[0], 6), fixed(d[1], 6),
                       fixed(d[2], 6), fixed(debye * std::hypot(d[0], d[1], d[2]), 5));
  }
  print_transitions(out, result);
}

/// Natural occupations that are neither 0 nor 2, and what the atoms of a molecule hold.
void print_occupations(std::ostream& out, const CiResult& result) {
  constexpr double visible = 5e-4;  // of an occupation, from 0 and 2
  std::vector<std::string> atoms;
  if (result.molecule) atoms = atom_names(result.molecule->labels, result.molecule->charges);
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    std::string numbers;
    for (const double n : root.natural_occupations) {
      if (n > visible && n < 2.0 - visible) numbers += (numbers.empty() ? "" : " ") + fixed(n, 3);
    }
    if (numbers.empty()) numbers = "all 2 or 0";
    report::print_wrapped(out, fmt::format("{:>6}  ", k + 1), numbers);
    if (root.unpaired_electrons > visible)
      out << fmt::format("        {} unpaired electrons\n", fixed(root.unpaired_electrons, 3));
    if (atoms.empty() || root.mulliken_charges.size() != atoms.size()) continue;  // files of other programs
    std::string charges;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
      charges +=
          fmt::format("{}{} {}", a == 0 ? "" : ", ", atoms[a], signed_fixed(root.mulliken_charges[a], 3));
    }
    report::print_wrapped(out, "        ", charges);
  }
}

}  // namespace

void print_properties(std::ostream& out, const CiResult& result) {
  if (result.root(0).dipole.empty() || !result.molecule) {
    out << "\nNatural occupations\n";
    print_occupations(out, result);
    return;
  }
  out << "\nProperties\n";
  print_dipole_origin(out, *result.molecule);
  print_dipoles(out, result);
  out << "\n  natural occupations and Mulliken charges\n";
  print_occupations(out, result);
}

}  // namespace cisolve

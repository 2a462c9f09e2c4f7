// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <ostream>

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

/// How roots of its sector are reached from the first root: nothing is known between different sectors.
void print_transitions(std::ostream& out, const CiResult& result) {
  const Root& first = result.root(0);
  bool is_first_row = true, has_others = false;
  for (std::size_t k = 1; k < result.roots.size(); ++k) {
    if (result.roots[k].sector != result.roots[0].sector) {
      has_others = true;
      continue;
    }
    if (is_first_row) {
      out << fmt::format("\n{:>8}{:>14}{:>14}{:>14}{:>14}\n", "1 ->", "transition x", "y", "z/(e bohr)",
                         "strength");
    }
    is_first_row = false;
    const std::size_t at = result.roots[k].root;
    out << fmt::format("{:>8}{:>14}{:>14}{:>14}{:>14}\n", k + 1, fixed(first.transition_dipole[3 * at], 6),
                       fixed(first.transition_dipole[3 * at + 1], 6),
                       fixed(first.transition_dipole[3 * at + 2], 6),
                       fixed(first.oscillator_strength[at], 6));
  }
  if (has_others)
    out << "\n  Transitions from root 1 to roots of other irreps and spins are not calculated.\n";
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

}  // namespace

void print_properties(std::ostream& out, const CiResult& result) {
  out << "\nProperties\n";
  print_dipole_origin(out, *result.molecule);
  print_dipoles(out, result);
  constexpr double visible = 5e-4;  // of an occupation, from 0 and 2
  const std::vector<std::string> atoms = atom_names(result.molecule->labels, result.molecule->charges);
  out << "\n  natural occupations and Mulliken charges\n";
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    std::string numbers;
    for (const double n : root.natural_occupations) {
      if (n > visible && n < 2.0 - visible) numbers += (numbers.empty() ? "" : " ") + fixed(n, 3);
    }
    std::string charges;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
      charges +=
          fmt::format("{}{} {}", a == 0 ? "" : ", ", atoms[a], signed_fixed(root.mulliken_charges[a], 3));
    }
    report::print_wrapped(out, fmt::format("{:>6}  ", k + 1), numbers.empty() ? "all 2 or 0" : numbers);
    report::print_wrapped(out, "        ", charges);
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/molden.hpp"
#include "molecule/molden_functions.hpp"
#include "molecule/text_lines.hpp"

namespace cisolve {
namespace {

void require_sizes(const MoldenOrbitals& orbitals) {
  const auto n = static_cast<std::size_t>(orbitals.coefficients.columns());
  if (orbitals.coefficients.rows() != orbitals.basis.num_functions || orbitals.symmetries.size() != n ||
      orbitals.energies.size() != n || orbitals.occupations.size() != n)
    throw DimensionError("molden_text: coefficients, symmetries, energies and occupations do not agree");
}

void write_atoms(const Geometry& geometry, std::string& text) {
  text += "[Atoms] (AU)\n";
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    const Atom& atom = geometry.atoms[a];
    const auto& [x, y, z] = atom.position;
    text += fmt::format("{:<3} {:5} {:4} {:24.16E} {:24.16E} {:24.16E}\n", atom_symbol(atom), a + 1,
                        atom.charge, x, y, z);
  }
}

void write_shells(const MoldenOrbitals& orbitals, std::string& text) {
  text += "[GTO]\n";
  for (std::size_t a = 0; a < orbitals.geometry.atoms.size(); ++a) {
    text += fmt::format("{:5} 0\n", a + 1);
    for (const GaussianShell& shell : orbitals.basis.shells) {
      if (shell.atom != static_cast<int>(a)) continue;
      const double norm = std::sqrt(detail::contraction_overlap(shell, shell));
      const char letter = detail::shell_letters[shell.angular_momentum];
      text += fmt::format(" {} {:4} 1.00\n", static_cast<char>(letter - 'A' + 'a'), shell.exponents.size());
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        text += fmt::format("{:24.16E} {:24.16E}\n", shell.exponents[k], shell.coefficients[k] / norm);
    }
    text += "\n";
  }
}

/// Shells are Cartesian unless the file says otherwise.
void write_kinds(const GaussianBasis& basis, std::string& text) {
  const auto has_spherical = [&](int l) {
    return std::ranges::any_of(basis.shells, [&](const GaussianShell& shell) {
      return shell.spherical && shell.angular_momentum == l;
    });
  };
  const bool d = has_spherical(2), f = has_spherical(3), g = has_spherical(4);
  if (d) text += fmt::format("[{}]\n", f || g ? "5D7F" : "5D");
  if (f && !d) text += "[7F]\n";
  if (g) text += "[9G]\n";
}

void write_orbitals(const MoldenOrbitals& orbitals, std::string& text) {
  text += "[MO]\n";
  for (int k = 0; k < orbitals.coefficients.columns(); ++k) {
    const bool is_beta = orbitals.num_alpha > 0 && k >= orbitals.num_alpha;
    text += fmt::format(" Sym= {}\n Ene= {:.16E}\n Spin= {}\n Occup= {:.16E}\n", orbitals.symmetries[k],
                        orbitals.energies[k], is_beta ? "Beta" : "Alpha", orbitals.occupations[k]);
    int number = 0;
    for (const GaussianShell& shell : orbitals.basis.shells) {
      for (const auto& [ours, factor] : detail::molden_functions(shell.angular_momentum, shell.spherical)) {
        text += fmt::format("{:5} {:24.16E}\n", ++number,
                            orbitals.coefficients(shell.first_function + ours, k) / factor);
      }
    }
  }
}

/// Its own line, whatever the title holds.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

std::string molden_obstacle(const GaussianBasis& basis, const Geometry& geometry) {
  for (const GaussianShell& one : basis.shells) {
    const char letter = detail::shell_letters[static_cast<std::size_t>(one.angular_momentum)];
    if (one.angular_momentum > detail::molden_largest_angular_momentum)
      return fmt::format("there is a shell {} on {}; the Molden format has no order of functions beyond g",
                         letter, geometry.atoms[static_cast<std::size_t>(one.atom)].label);
    const auto is_other = [&](const GaussianShell& shell) {
      return shell.angular_momentum == one.angular_momentum && shell.spherical != one.spherical;
    };
    if (std::ranges::any_of(basis.shells, is_other))
      return fmt::format(
          "shells {} are Cartesian on some atoms and spherical on others; the Molden format has one "
          "kind for all",
          letter);
  }
  return {};
}

std::string molden_text(const MoldenOrbitals& orbitals) {
  require_sizes(orbitals);
  const std::string obstacle = molden_obstacle(orbitals.basis, orbitals.geometry);
  if (!obstacle.empty()) throw InputError(obstacle);
  std::string text;
  text += fmt::format("[Molden Format]\n[Title]\n {}\n", one_line(orbitals.title));
  write_atoms(orbitals.geometry, text);
  write_shells(orbitals, text);
  write_kinds(orbitals.basis, text);
  write_orbitals(orbitals, text);
  return text;
}

}  // namespace cisolve

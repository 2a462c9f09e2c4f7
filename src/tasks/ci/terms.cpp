// SPDX-License-Identifier: MIT
#include "tasks/ci/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>

#include "cisolve/analysis/one_body_norm.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/units.hpp"
#include "cisolve/molecule/angular_momentum.hpp"

namespace cisolve {
namespace {

constexpr AxisOperation inversion = 7;

bool has(const SymmetryFrame& frame, AxisOperation operation) {
  return std::ranges::find(frame.operations, operation) != frame.operations.end();
}

/// Whether functions of an irrep keep their sign under an operation of the group.
bool is_even(const SymmetryFrame& frame, int irrep, AxisOperation operation) {
  int parity = 0;
  while (irrep_of_parity(frame, parity) != irrep - 1) ++parity;
  return std::popcount(static_cast<unsigned>(parity & operation)) % 2 == 0;
}

/// "g" or "u" by the inversion; empty where the group lacks it.
std::string gerade(const SymmetryFrame& frame, int irrep) {
  if (irrep == 0 || !has(frame, inversion)) return "";
  return is_even(frame, irrep, inversion) ? "g" : "u";
}

/// "+" or "-" by a reflection in a plane that holds the axis; empty where the group lacks it.
std::string sigma_sign(const SymmetryFrame& frame, int irrep) {
  constexpr double in_plane = 1e-6;
  const auto axis = linear_axis(frame.geometry);
  if (irrep == 0 || !axis) return "";
  for (std::size_t k = 0; k < 3; ++k) {
    const AxisOperation reflection = 1 << k;
    if (std::abs((*axis)[k]) < in_plane && has(frame, reflection))
      return is_even(frame, irrep, reflection) ? "+" : "-";
  }
  return "";
}

std::string spin_text(double s_squared) {
  constexpr double pure = 0.05;  // of 2S + 1: spin contamination leaves no doubt
  const double multiplicity = multiplicity_of(s_squared);
  const double whole = std::round(multiplicity);
  return std::abs(multiplicity - whole) < pure ? fmt::format("{:.0f}", whole) : "";
}

std::string atomic_term(int l, const TermNumbers& numbers, const SymmetryFrame& frame) {
  constexpr std::string_view letters = "SPDFGHIKLMNO";
  if (l >= std::ssize(letters)) return "";
  return letters[static_cast<std::size_t>(l)] + std::string(gerade(frame, numbers.irrep) == "u" ? "o" : "");
}

/// Whether Lambda is odd where the irrep changes sign under the rotation by 180 degrees about the axis, and even where
/// it does not.
bool fits_irrep(int lambda, int irrep, const SymmetryFrame& frame) {
  constexpr double along = 1e-6;
  const auto axis = linear_axis(frame.geometry);
  AxisOperation rotation = 0;
  for (std::size_t k = 0; axis && k < 3; ++k) {
    if (std::abs((*axis)[k]) < along) rotation |= 1 << k;
  }
  if (irrep == 0 || std::popcount(static_cast<unsigned>(rotation)) != 2 || !has(frame, rotation)) return true;
  return is_even(frame, irrep, rotation) == (lambda % 2 == 0);
}

std::string linear_term(int lambda, const TermNumbers& numbers, const SymmetryFrame& frame) {
  constexpr std::string_view names[] = {"Sigma", "Pi", "Delta", "Phi", "Gamma"};
  if (lambda >= std::ssize(names) || !fits_irrep(lambda, numbers.irrep, frame)) return "";
  const std::string parity = gerade(frame, numbers.irrep);
  return std::string(names[lambda]) + (parity.empty() ? "" : "_" + parity) +
         (lambda == 0 ? sigma_sign(frame, numbers.irrep) : "");
}

/// (r x grad) over the active orbitals, about each axis that counts.
std::vector<Matrix> active_rotations(const CiConfig& config, const CiJob& job) {
  const MoleculeConfig& molecule = *config.molecule;
  const std::vector<int>& active = job.active->active_orbitals;
  const int n = static_cast<int>(active.size());
  std::vector<Matrix> rotations;
  for (const Matrix& all : rotation_matrices(
           {molecule.basis, molecule.frame.geometry, job.molecule->scf.orbitals.coefficients})) {
    Matrix& rotation = rotations.emplace_back(n, n);
    for (int q = 0; q < n; ++q) {
      for (int p = 0; p < n; ++p) rotation(p, q) = all(active[p], active[q]);
    }
  }
  return rotations;
}

/// Whether orbitals that belong together by the symmetry of an atom or a linear molecule have one energy.
bool orbitals_are_symmetric(const CiConfig& config, const CiJob& job) {
  constexpr double mixing = 1e-4, degenerate = 1e-5;  // of 1; hartree, as ScfConfig::degeneracy
  const MoleculeConfig& molecule = *config.molecule;
  const ScfOrbitals& orbitals = job.molecule->scf.orbitals;
  for (const Matrix& r :
       rotation_matrices({molecule.basis, molecule.frame.geometry, orbitals.coefficients})) {
    for (int q = 0; q < r.columns(); ++q) {
      for (int p = 0; p < q; ++p) {
        const bool are_apart = std::abs(orbitals.energies[p] - orbitals.energies[q]) > degenerate;
        if (are_apart && std::abs(r(p, q)) > mixing) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::string term_symbol(const TermNumbers& numbers, const SymmetryFrame& frame, const TermConfig& config) {
  const double value = std::max(0.0, numbers.angular_momentum);
  const bool is_atom = is_free_atom(frame.geometry);
  const double number = is_atom ? 0.5 * (std::sqrt(1.0 + 4.0 * value) - 1.0) : std::sqrt(value);
  const double whole = std::round(number);
  const double off = std::abs(value - whole * (is_atom ? whole + 1.0 : whole));
  if (!(off <= config.likely)) return "";
  const int l = static_cast<int>(whole);
  const std::string term = is_atom ? atomic_term(l, numbers, frame) : linear_term(l, numbers, frame);
  if (term.empty()) return "";
  return spin_text(numbers.s_squared) + term + (off <= config.sure ? "" : "?");
}

void add_terms(const CiConfig& config, const CiJob& job, const Basis& basis, CiResult::Sector& sector) {
  if (!job.molecule || sector.roots.empty() || job.molecule->is_unrestricted()) return;
  const std::vector<Matrix> rotations = active_rotations(config, job);
  if (rotations.empty()) return;
  constexpr double least_weight = 1e-8;
  const TermConfig term;
  Array<double> buffer;
  for (std::size_t k = 0; k < sector.roots.size(); ++k) {
    Root& root = sector.roots[k];
    const auto psi =
        basis.heaviest(sector.vectors->view(static_cast<int>(k), 1, buffer), term.determinants, least_weight);
    root.angular_momentum = 0.0;
    for (const Matrix& rotation : rotations) root.angular_momentum += one_body_norm(psi, rotation);
    root.term =
        term_symbol({root.angular_momentum, root.s_squared, root.irrep}, config.molecule->frame, term);
  }
}

TermComponents compare_components(const CiConfig& config, const CiJob& job, const CiResult& result) {
  constexpr double spin_width = 0.1;                         // of 2S + 1
  std::map<std::string, std::map<int, std::size_t>> lowest;  // number of the root, by term and irrep
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const double multiplicity = multiplicity_of(root.s_squared);
    const double whole = std::round(multiplicity);
    if (root.term.empty() || root.term.find("Sigma") != std::string::npos || root.irrep == 0 ||
        std::abs(multiplicity - whole) > spin_width)
      continue;
    // Whatever the digits in front: S need not be pure where the components are not degenerate.
    const std::size_t letter = root.term.find_first_not_of("0123456789");
    const std::string term = root.term.substr(letter, root.term.find('?') - letter);
    lowest[fmt::format("{:.0f}{}", whole, term)].try_emplace(root.irrep, k);
  }
  TermComponents found;
  found.all_together = std::ranges::any_of(lowest, [](const auto& entry) { return entry.second.size() > 1; });
  for (const auto& [term, roots] : lowest) {
    std::vector<std::size_t> numbers;
    for (const auto& [irrep, k] : roots) numbers.push_back(k);
    const auto [first, last] = std::ranges::minmax(numbers);  // roots ascend
    const double apart = result.root(last).energy - result.root(first).energy;
    if (apart < ClusterConfig{}.width) continue;
    found.all_together = false;
    found.warnings.push_back(fmt::format(
        "roots {} ({}) and {} ({}) are components of one {} term, but {:.2g} eV apart: {}", first + 1,
        result.root(first).irrep_name, last + 1, result.root(last).irrep_name, term,
        apart * units::hartree_in_ev,
        orbitals_are_symmetric(config, job)
            ? "their references, active or frozen orbitals are not the same but for the direction; a CAS of "
              "whole degenerate sets, for all irreps, keeps them together"
            : "the SCF state is one component of a degenerate term, and its orbitals have not the full "
              "symmetry; those of a state that fills degenerate sets evenly have it"));
  }
  return found;
}

}  // namespace cisolve

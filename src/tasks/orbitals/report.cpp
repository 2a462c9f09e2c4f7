// SPDX-License-Identifier: MIT
#include "tasks/orbitals/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;

constexpr double full = 1.999, vacant = 0.001;  // occupations that ask for no active orbital

std::string occupation_list(const std::vector<double>& occupations) {
  std::string text;
  for (const double n : occupations) text += (text.empty() ? "" : " ") + fixed(n, 5);
  return text;
}

bool is_natural_set(const CiResult::Orbitals& orbitals) { return orbitals.type == "natural"; }

/// By their labels, or by their numbers.
std::string active_orbitals(const CiResult::System& system) {
  return system.orbital_labels.empty() ? fmt::format("{}", fmt::join(system.active_orbitals, " "))
                                       : fmt::format("{}", fmt::join(system.orbital_labels, " "));
}

/// Table of the active orbitals, or of all.
void print_orbitals(std::ostream& out, const CiResult& result, const CiResult::Orbitals& orbitals, bool all) {
  const CiResult::System& system = result.system;
  const auto is_in = [](const std::vector<std::int32_t>& numbers, std::size_t p) {
    return std::ranges::find(numbers, static_cast<std::int32_t>(p) + 1) != numbers.end();
  };
  const bool is_named = result.molecule && result.molecule->orbital_labels.size() == orbitals.energies.size();
  out << fmt::format("\n{:>9}{:>10}{:>12}{:>16}  {}\n", "orbital", "", "occ.", "energy/hartree",
                     is_named ? "label" : "");
  for (std::size_t p = 0; p < orbitals.energies.size(); ++p) {
    const bool is_active = is_in(system.active_orbitals, p);
    if (!all && !is_active) continue;
    out << fmt::format("{:>9}{:>10}{:>12}{:>16}  {}\n", p + 1,
                       is_active                        ? "active"
                       : is_in(system.core_orbitals, p) ? "inactive"
                                                        : "empty",
                       fixed(orbitals.occupations[p], 5), fixed(orbitals.energies[p], 6),
                       is_named ? result.molecule->orbital_labels[p] : "");
  }
  if (!all) out << "          -v lists inactive and empty ones, too\n";
}

}  // namespace

void print_optimisation_heading(std::ostream& out, const CiResult::System& system,
                                const CiResult::Orbitals& orbitals, const std::string& source, bool taken) {
  const bool is_natural = is_natural_set(orbitals);
  out << (is_natural ? "\nNatural orbitals\n" : "\nOrbital optimisation (CASSCF)\n");
  print_field(out, "inactive orbitals", std::to_string(orbitals.n_inactive));
  print_field(out, "active orbitals", active_orbitals(system));
  print_field(out, "weights", fmt::format("{:.4g}", fmt::join(orbitals.weights, " ")));
  if (!source.empty()) print_field(out, taken ? "taken from" : "goes on from", source);
  if (taken) return;
  if (is_natural) {
    out << fmt::format("{:>6}{:>20}{:>11}{:>12}\n", "cycle", "energy/hartree", "change", "CI products");
    return;
  }
  out << fmt::format("{:>6}{:>20}{:>11}{:>11}{:>9}{:>12}{:>10}\n", "iter", "energy/hartree", "change",
                     "gradient", "step", "CI products", "Hessian");
}

void print_optimisation_iteration(std::ostream& out, const CiResult::Orbitals& orbitals, std::size_t number) {
  const bool refused = orbitals.history_refused[number] != 0;
  const double change =
      number == 0 ? 0.0 : orbitals.history_energy[number] - orbitals.history_energy[number - 1];
  if (is_natural_set(orbitals)) {
    out << fmt::format("{:>6}{:>20.10f}{:>11}{:>12}\n", number + 1, orbitals.history_energy[number],
                       number == 0 ? "" : fmt::format("{:.1e}", change),
                       orbitals.history_ci_products[number]);
    return;
  }
  out << fmt::format("{:>6}{:>20.10f}{:>11}{:>11.1e}{:>9.1e}{:>12}{:>10}\n", number,
                     orbitals.history_energy[number],
                     number == 0 ? ""
                     : refused   ? "refused"
                                 : fmt::format("{:.1e}", change),
                     orbitals.history_gradient[number], orbitals.history_step[number],
                     orbitals.history_ci_products[number], orbitals.history_hessian_products[number]);
}

void print_optimised(std::ostream& out, const CiResult& result, const CiResult::Orbitals& orbitals,
                     bool all) {
  if (is_natural_set(orbitals)) {
    out << '\n';
    print_field(out, "energy before",
                fixed(orbitals.energy, 10) + " hartree, averaged, of the CI they are natural for");
    print_field(out, "left in the CI",
                fmt::format("{} orbitals: {}", orbitals.n_active, active_orbitals(result.system)));
    print_field(out, "occupations", occupation_list(orbitals.natural_occupations));
    print_orbitals(out, result, orbitals, all);
    return;
  }
  const std::size_t iterations = orbitals.history_energy.size() - 1;
  out << '\n';
  print_field(out, orbitals.converged ? "converged" : "not converged",
              fmt::format("after {} iteration{}", iterations, iterations == 1 ? "" : "s"));
  print_field(out, "averaged energy", fixed(orbitals.energy, 10) + " hartree");
  print_field(out, "orbital gradient", fmt::format("{:.1e} hartree", orbitals.gradient));
  print_field(out, "lowest eigenvalue",
              fixed(orbitals.lowest_hessian_eigenvalue, 4) + " hartree, of the orbital Hessian");
  print_field(out, "natural occupations", occupation_list(orbitals.natural_occupations));
  print_field(out, "core energy",
              fixed(result.system.core_energy, 10) + " hartree, nuclei and inactive orbitals");
  print_orbitals(out, result, orbitals, all);
}

std::vector<std::string> optimisation_warnings(const CiResult::Orbitals& orbitals,
                                               std::span<const std::string> names, const CiConfig& config) {
  constexpr double saddle = -1e-4;  // hartree; what vanishes by symmetry comes out with either sign
  std::vector<std::string> warnings;
  if (!orbitals.converged) {
    warnings.push_back(
        fmt::format("the orbitals are not converged: gradient {:.1e} hartree after {} iterations; --restart "
                    "goes on; raise orbitals.max_iterations (now {}), or look at the active space",
                    orbitals.gradient, orbitals.history_energy.size() - 1, config.orbitals->max_iterations));
  }
  if (orbitals.lowest_hessian_eigenvalue < saddle) {
    warnings.push_back(fmt::format(
        "the lowest eigenvalue of the orbital Hessian is {:.4f} hartree: the orbitals are at a saddle "
        "point, and other ones have a lower energy",
        orbitals.lowest_hessian_eigenvalue));
  }
  const bool is_cas = is_active_space(config) && !config.max_holes && !config.max_particles;
  for (std::size_t k = 0; is_cas && k < orbitals.natural_occupations.size(); ++k) {
    const double n = orbitals.natural_occupations[k];
    if (n < full && n > vacant) continue;
    warnings.push_back(fmt::format(
        "the active natural orbital {} holds {:.5f} electrons: it is all but {} and does not belong into the "
        "active space",
        names.empty() ? fmt::format("number {}", k + 1) : "that is mostly " + names[k], n,
        n >= full ? "full" : "empty"));
  }
  return warnings;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

Markup iterations_table(const CiResult::Orbitals& orbitals) {
  const bool is_natural = orbitals.type == "natural";
  std::vector<Table::Column> columns = {{is_natural ? "cycle" : "iteration"}, {"energy/hartree"}, {"change"}};
  if (!is_natural) columns.insert(columns.end(), {{"gradient"}, {"step"}});
  columns.push_back({"CI products"});
  Table table("Averaged energy by iteration", columns);
  for (std::size_t k = 0; k < orbitals.history_energy.size(); ++k) {
    const bool is_refused = orbitals.history_refused[k] != 0;
    std::vector<Markup> row = {
        std::to_string(is_natural ? k + 1 : k), fixed(orbitals.history_energy[k], 10),
        k == 0       ? "-"
        : is_refused ? "refused"
                     : fmt::format("{:.1e}", orbitals.history_energy[k] - orbitals.history_energy[k - 1])};
    if (!is_natural) {
      row.emplace_back(fmt::format("{:.1e}", orbitals.history_gradient[k]));
      row.emplace_back(fmt::format("{:.1e}", orbitals.history_step[k]));
    }
    row.emplace_back(std::to_string(orbitals.history_ci_products[k]));
    table.add(row);
  }
  return table.markup();
}

Markup iterations_plot(const CiResult::Orbitals& orbitals) {
  PlotSeries above{.name = "energy above the last", .points = {}},
      gradient{.name = "largest gradient", .points = {}, .colour = 1};
  for (std::size_t k = 0; k < orbitals.history_energy.size(); ++k) {
    const auto iteration = static_cast<double>(k);
    const double energy = orbitals.history_energy[k] - orbitals.history_energy.back();
    constexpr double rounding = 1e-12;  // hartree: of the last iterations the difference is nothing else
    if (energy > rounding) above.points.push_back({iteration, energy});
    gradient.points.push_back({iteration, orbitals.history_gradient[k]});
  }
  return draw({.title = "Energy above the last, and largest element of the orbital gradient, by iteration",
               .caption = "Averaged energy above that of the last iteration, and the largest element of the "
                          "orbital gradient.",
               .x = {.label = "iteration", .is_counted = true},
               .y = {.label = "hartree", .is_logarithmic = true},
               .series = {std::move(above), std::move(gradient)}});
}

Markup active_table(const CiResult& result) {
  const CiResult::Orbitals& orbitals = *result.orbitals;
  const bool is_named = result.molecule && result.molecule->orbital_labels.size() == orbitals.energies.size();
  Table table("Active orbitals: diagonals of the averaged density and Fock matrices",
              {{"orbital", false}, {"occupation"}, {"energy/hartree"}});
  for (const std::int32_t number : result.system.active_orbitals) {
    const auto p = static_cast<std::size_t>(number) - 1;
    if (p >= orbitals.energies.size()) continue;
    table.add({is_named ? result.molecule->orbital_labels[p] : std::to_string(number),
               fixed(orbitals.occupations[p], 5), fixed(orbitals.energies[p], 6)});
  }
  return table.markup();
}

}  // namespace

Section optimisation_section(const CiResult& result) {
  if (!result.orbitals || result.orbitals->history_energy.empty())
    return {"orbitals", "Orbital optimisation"};
  const CiResult::Orbitals& orbitals = *result.orbitals;
  const bool is_natural = orbitals.type == "natural";
  Section section{"orbitals", is_natural ? "Natural orbitals" : "Orbital optimisation (CASSCF)"};
  Fields fields;
  if (!is_natural)
    fields.add("Converged", orbitals.converged ? Markup("yes") : element("span", {{"class", "bad"}}, "no"));
  fields.add(is_natural ? "Energy before" : "Averaged energy", fixed(orbitals.energy, 10) + " hartree");
  if (!is_natural) {
    fields.add("Orbital gradient", fmt::format("{:.1e} hartree", orbitals.gradient));
    fields.add("Lowest eigenvalue",
               fixed(orbitals.lowest_hessian_eigenvalue, 4) + " hartree, of the orbital Hessian");
  }
  fields.add("Orbitals", fmt::format("{} inactive, {} active", orbitals.n_inactive, orbitals.n_active));
  fields.add("Weights", fmt::format("{:.4g}", fmt::join(orbitals.weights, " ")));
  std::string occupations;
  for (const double n : orbitals.natural_occupations)
    occupations += (occupations.empty() ? "" : " ") + fixed(n, 5);
  fields.add("Natural occupations", occupations);
  section.body = fields.markup() +
                 (is_natural ? Markup() : element("div", {{"class", "figures"}}, iterations_plot(orbitals))) +
                 iterations_table(orbitals) + active_table(result);
  return section;
}

}  // namespace cisolve::page

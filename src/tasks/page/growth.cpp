// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

std::size_t at(const CiResult::Selection& selection, std::size_t pass, std::size_t root) {
  return pass * static_cast<std::size_t>(selection.num_roots) + root;
}

/// Energies against E2, and a dashed line from the last to where it goes.
void add_root(std::vector<PlotSeries>& series, const CiResult::Sector& sector, std::size_t root,
              std::size_t colour) {
  const CiResult::Selection& selection = *sector.selection;
  const std::string name = root < sector.roots.size() ? state_name(sector.roots[root]) : "";
  PlotSeries grown{.name = fmt::format("root {}{}{}", root + 1, name.empty() ? "" : ", ", name),
                   .points = {},
                   .colour = colour};
  for (std::size_t pass = 0; pass < selection.determinants.size(); ++pass) {
    const double e2 = selection.second_order[at(selection, pass, root)],
                 energy = selection.energy[at(selection, pass, root)];
    if (!std::isfinite(e2) || !std::isfinite(energy)) continue;
    grown.points.push_back(
        {e2, energy,
         fmt::format("{} determinants: E = {}, E2 = {}", format_count(selection.determinants[pass]),
                     fixed(energy, 8), fixed(e2, 8))});
  }
  if (grown.points.empty()) return;
  std::ranges::stable_sort(grown.points, {}, &PlotPoint::x);
  PlotSeries limit{.name = {}, .points = {grown.points.back()}, .colour = colour, .is_dashed = true};
  limit.points.front().label.clear();
  series.push_back(std::move(grown));
  if (root >= sector.roots.size() || std::isnan(sector.roots[root].extrapolated_energy)) return;
  const Root& found = sector.roots[root];
  limit.points.push_back({0.0, found.extrapolated_energy,
                          fmt::format("extrapolated: {} ± {:.1e}", fixed(found.extrapolated_energy, 6),
                                      found.extrapolated_error),
                          found.extrapolated_error});
  series.push_back(std::move(limit));
}

Markup passes_table(const CiResult::Selection& selection) {
  Table table(
      "Growth of the list, by pass",
      {{"pass"}, {"ε"}, {"determinants"}, {"nonzeros"}, {"lowest E/hartree"}, {"E2/hartree"}, {"seconds"}});
  for (std::size_t pass = 0; pass < selection.determinants.size(); ++pass) {
    const double epsilon = selection.epsilon[pass], e2 = selection.second_order[at(selection, pass, 0)];
    table.add({std::to_string(pass + 1), std::isnan(epsilon) ? "-" : fmt::format("{:.2g}", epsilon),
               format_count(selection.determinants[pass]), format_count(selection.nonzeros[pass]),
               fixed(selection.energy[at(selection, pass, 0)], 10), std::isnan(e2) ? "-" : fixed(e2, 8),
               fixed(selection.seconds[pass], 1)});
  }
  return table.markup();
}

Markup growth_of(const CiResult::Sector& sector) {
  const CiResult::Selection& selection = *sector.selection;
  std::vector<PlotSeries> by_correction;
  PlotSeries by_size{.name = {}, .points = {}};
  for (std::size_t root = 0; root < static_cast<std::size_t>(selection.num_roots); ++root)
    add_root(by_correction, sector, root, root);
  for (std::size_t pass = 0; pass < selection.determinants.size(); ++pass)
    by_size.points.push_back(
        {static_cast<double>(selection.determinants[pass]), selection.energy[at(selection, pass, 0)]});
  const Markup figures =
      draw({.title = "Energy against the second-order correction E2, with the extrapolation to E2 = 0",
            .caption =
                "Energy against E2; dashed: to the extrapolated energy at E2 = 0, with its estimated error.",
            .x = {.label = "E2/hartree", .high = 0.0},
            .y = {.label = "energy/hartree"},
            .series = std::move(by_correction)}) +
      draw({.title = "Lowest energy by the number of determinants",
            .caption = "Lowest energy by the number of determinants.",
            .x = {.label = "determinants", .is_logarithmic = true},
            .y = {.label = "energy/hartree"},
            .series = {std::move(by_size)}});
  const Markup end =
      selection.end.empty() ? Markup() : element("p", {{"class", "note"}}, "Ended: " + selection.end + ".");
  return element("div", {{"class", "figures"}}, figures) + passes_table(selection) + end;
}

}  // namespace

Section growth_section(const CiResult& result) {
  Section section{"selection", "Selection"};
  for (const CiResult::Sector& sector : result.sectors) {
    if (!sector.selection || sector.selection->determinants.empty()) continue;
    const Markup body = growth_of(sector);
    section.body += result.sectors.size() > 1 ? subsection(sector_name(sector, result.system), body) : body;
  }
  return section;
}

}  // namespace cisolve::page

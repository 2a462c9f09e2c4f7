// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

constexpr double rounding = 1e-13;  // hartree: below, differences of energies are nothing else

/// What a root of a sector is called in the legend: sectors where there are several, else roots.
std::string line_name(const CiResult& result, std::size_t sector, std::size_t root) {
  if (result.sectors.size() > 1) return root == 0 ? sector_name(result.sectors[sector], result.system) : "";
  return fmt::format("root {}", root + 1);
}

struct Lines {
  std::vector<PlotSeries> residuals, energies;
};

/// Of a tracked root: its residual norm, and its energy above that of its last iteration.
void add_lines(Lines& lines, const CiResult& result, std::size_t sector, std::size_t root) {
  const std::vector<IterationRecord>& history = result.sectors[sector].solver.history;
  const std::size_t colour = result.sectors.size() > 1 ? sector : root;
  PlotSeries residual{
      .name = line_name(result, sector, root), .points = {}, .colour = colour, .is_dashed = colour >= 8};
  PlotSeries energy = residual;
  const auto last = std::find_if(history.rbegin(), history.rend(),
                                 [&](const auto& record) { return record.energies.size() > root; });
  if (last == history.rend()) return;
  const double reached = last->energies[root];
  for (const IterationRecord& record : history) {
    const auto iteration = static_cast<double>(record.iteration);
    const std::string label =
        fmt::format("{}, iteration {}", line_name(result, sector, root), record.iteration);
    if (root < record.residual_norms.size())
      residual.points.push_back({iteration, record.residual_norms[root],
                                 fmt::format("{}: {:.2e}", label, record.residual_norms[root])});
    if (root < record.energies.size() && record.energies[root] - reached > rounding)
      energy.points.push_back({iteration, record.energies[root] - reached,
                               fmt::format("{}: {}", label, report::fixed(record.energies[root], 10))});
  }
  lines.residuals.push_back(std::move(residual));
  if (!energy.points.empty()) lines.energies.push_back(std::move(energy));
}

Markup solver_plots(const CiResult& result) {
  const auto has_several = [](const CiResult::Sector& sector) { return sector.solver.history.size() > 1; };
  if (std::ranges::none_of(result.sectors, has_several)) return {};  // one point says nothing
  Lines lines;
  constexpr std::size_t most = 64;  // lines: beyond, nothing can be told apart
  for (std::size_t sector = 0; sector < result.sectors.size(); ++sector) {
    std::size_t tracked = 0;
    for (const IterationRecord& record : result.sectors[sector].solver.history)
      tracked = std::max(tracked, record.residual_norms.size());
    for (std::size_t root = 0; root < tracked && lines.residuals.size() < most; ++root)
      add_lines(lines, result, sector, root);
  }
  return draw({.title = "Residual norms of the tracked roots by iteration of the Davidson solver",
               .caption = "Residual norms ‖H c − E c‖ of all roots that were tracked.",
               .x = {.label = "iteration", .is_counted = true},
               .y = {.label = "residual norm/" + result.energy_unit(), .is_logarithmic = true},
               .series = std::move(lines.residuals)}) +
         draw({.title = "Energies above those of the last iteration, by iteration of the Davidson solver",
               .caption = "Energies above those of the last iteration.",
               .x = {.label = "iteration", .is_counted = true},
               .y = {.label = "E − E(last)/" + result.energy_unit(), .is_logarithmic = true},
               .series = std::move(lines.energies)});
}

Markup scf_plot(const CiResult& result) {
  if (!result.molecule) return {};
  PlotSeries gradient{.name = "gradient", .points = {}, .colour = 1},
      energy{.name = "energy above the last", .points = {}};
  const std::vector<double>&energies = result.molecule->scf_energies,
        &gradients = result.molecule->scf_gradients;
  for (std::size_t k = 0; k < energies.size() && k < gradients.size(); ++k) {
    const auto iteration = static_cast<double>(k + 1);
    gradient.points.push_back({iteration, gradients[k]});
    if (energies[k] - energies.back() > rounding)
      energy.points.push_back({iteration, energies[k] - energies.back()});
  }
  return draw({.title = "Energy above the last and gradient of the SCF by iteration",
               .caption = "SCF: energy above that of the last iteration, and gradient.",
               .x = {.label = "iteration", .is_counted = true},
               .y = {.label = "hartree", .is_logarithmic = true},
               .series = {std::move(energy), std::move(gradient)}});
}

Markup solver_table(const CiResult& result) {
  Table table(
      "Davidson solver",
      {{"sector", false}, {"status", false}, {"iterations"}, {"products of H"}, {"start vectors", false}});
  for (const CiResult::Sector& sector : result.sectors) {
    if (sector.solver.status.empty() || sector.hamiltonian.rows == 0) continue;
    table.add({sector_name(sector, result.system), sector.solver.status,
               std::to_string(sector.solver.history.size()), format_count(sector.solver.num_applications),
               sector.solver.start});
  }
  return table.markup();
}

}  // namespace

Section convergence_section(const CiResult& result) {
  Section section{"convergence", "Convergence"};
  const Markup figures = solver_plots(result) + scf_plot(result);
  section.body =
      (figures.empty() ? Markup() : element("div", {{"class", "figures"}}, figures)) + solver_table(result);
  return section;
}

}  // namespace cisolve::page

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/core/number_text.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

std::vector<std::pair<std::string, double>> phases(const CiResult::Timing& timing) {
  std::vector<std::pair<std::string, double>> found = {
      {"integrals", timing.integrals}, {"space", timing.space}, {"Hamiltonian", timing.hamiltonian},
      {"transfer", timing.transfer},   {"solve", timing.solve}, {"analysis", timing.analysis}};
  double others = timing.total;
  for (const auto& [name, seconds] : found) others -= seconds;
  found.emplace_back("other", std::max(0.0, others));
  return found;
}

/// Bars, the longest as long as there is room for.
Markup timing_bars(const CiResult::Timing& timing) {
  if (!(timing.total > 0.0)) return {};
  const auto parts = phases(timing);
  constexpr double width = 440.0, label = 92.0, room = 210.0, per_bar = 23.0;
  const double longest =
      std::max(std::ranges::max(parts, {}, &std::pair<std::string, double>::second).second, 1e-12);
  Markup content;
  double y = 4.0;
  for (const auto& [name, seconds] : parts) {
    const double size = room * seconds / longest;
    content += svg_text(label - 8.0, y + 13.0, "end", name);
    content += void_element("rect", {{"class", "s1"},
                                     {"x", place(label)},
                                     {"y", place(y)},
                                     {"width", place(std::max(size, 0.5))},
                                     {"height", "16"}});
    content +=
        svg_text(label + size + 8.0, y + 13.0, "start",
                 fmt::format("{} s, {} %", fixed(seconds, 2), fixed(100.0 * seconds / timing.total, 1)));
    y += per_bar;
  }
  return element(
      "figure", {},
      svg("plot", fmt::format("Time by phase; total {} s", fixed(timing.total, 2)), width, y + 2.0, content) +
          element("figcaption", {}, fmt::format("Time by phase; total {} s.", fixed(timing.total, 2))));
}

Markup hamiltonian_table(const CiResult& result) {
  Table table("Hamiltonian matrix", {{"sector", false},
                                     {"storage", false},
                                     {"device", false},
                                     {"rows"},
                                     {"nonzeros"},
                                     {"zeros"},
                                     {"memory"},
                                     {"as CSR"},
                                     {"time to build"}});
  for (const CiResult::Sector& sector : result.sectors) {
    const CiResult::Hamiltonian& h = sector.hamiltonian;
    if (h.rows == 0) continue;
    table.add({sector_name(sector, result.system), h.storage, h.device, format_count(h.rows),
               format_count(h.nonzeros), std::isnan(h.sparsity) ? "-" : fixed(100.0 * h.sparsity, 3) + " %",
               format_bytes(h.bytes), format_bytes(h.csr_bytes), fixed(h.build_seconds, 2) + " s"});
  }
  return table.markup();
}

std::string levels_text(const CiResult::Space& space) {
  std::string text;
  for (std::size_t level = 0; level < space.level_counts.size(); ++level)
    text += fmt::format("{}{}: {}", level == 0 ? "" : ", ", level, format_count(space.level_counts[level]));
  return text;
}

Markup spaces_table(const CiResult& result) {
  Table table("Spaces", {{"sector", false},
                         {"basis", false},
                         {"dimension"},
                         {"references"},
                         {"spin-complete", false},
                         {"by excitation level", false}});
  for (const CiResult::Sector& sector : result.sectors) {
    const CiResult::Space& space = sector.space;
    if (space.dimension == 0) continue;
    table.add({sector_name(sector, result.system), space.basis == "csf" ? "CSF" : space.basis,
               format_count(space.dimension), format_count(space.reference_dimension),
               space.spin_complete ? "yes" : "no", levels_text(space)});
  }
  return table.markup();
}

}  // namespace

Section resources_section(const CiResult& result) {
  return {"resources", "Space, Hamiltonian and time",
          spaces_table(result) + hamiltonian_table(result) + timing_bars(result.timing)};
}

}  // namespace cisolve::page

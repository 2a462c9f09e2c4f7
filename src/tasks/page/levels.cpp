// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cisolve/core/units.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

struct Level {
  double energy;  ///< eV above the lowest root
  std::string term;
};

using Group = std::pair<std::string, std::string>;  // multiplicity, irrep

constexpr double height = 360.0, top = 16.0, floor_at = 318.0, left = 58.0;
constexpr double plain_width = 108.0, width_with_terms = 150.0, level_width = 40.0, label_distance = 13.5;

/// Degenerate levels of a column share a label.
std::vector<Level> merged(std::vector<Level> levels) {
  constexpr double same = 5e-4;  // eV, with the digits of the label
  std::vector<Level> found;
  for (Level& level : levels) {
    if (!found.empty() && level.energy - found.back().energy < same) {
      if (found.back().term != level.term) found.back().term += ", " + level.term;
    } else {
      found.push_back(std::move(level));
    }
  }
  return found;
}

/// A column of levels with their labels, which keep a distance.
Markup column(const std::vector<Level>& all, double x, std::size_t colour, double per_ev) {
  const std::vector<Level> levels = merged(all);
  std::vector<double> wanted;
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    wanted.push_back(floor_at - level->energy * per_ev);
  const std::vector<double> labels = spread(wanted, label_distance, top, floor_at + 4.0);
  Markup content;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Level& level = levels[levels.size() - 1 - k];
    const std::string kind = fmt::format("level s{}", colour % 8 + 1);
    content += svg_line(kind, x, wanted[k], x + level_width, wanted[k]);
    content += svg_line("leader", x + level_width, wanted[k], x + level_width + 8.0, labels[k]);
    content +=
        svg_text(x + level_width + 10.0, labels[k] + 4.0, "start",
                 report::fixed(level.energy, 3) + (level.term.empty() ? "" : "  " + level.term), "small");
  }
  return content;
}

Markup energy_axis(double highest, double per_ev, double right, const std::string& unit) {
  Markup content;
  for (const auto& [value, text] : ticks(0.0, highest, false)) {
    const double y = floor_at - value * per_ev;
    content += svg_line("grid", left, y, right, y) + svg_text(left - 6.0, y + 4.0, "end", text);
  }
  return content + svg_line("axis", left, top, left, floor_at) +
         element("text",
                 {{"transform", fmt::format("translate(13 {}) rotate(-90)", place(0.5 * (top + floor_at)))},
                  {"text-anchor", "middle"}},
                 "energy/" + unit);
}

}  // namespace

Section levels_section(const CiResult& result) {
  Section section{"levels", "Energy levels"};
  if (result.roots.size() < 2) return section;
  const std::string unit = result.lattice ? result.lattice->unit : "eV";
  std::map<Group, std::vector<Level>> groups;
  double highest = 0.0;
  bool with_terms = false;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const double energy =
        (root.energy - result.root(0).energy) * (result.lattice ? 1.0 : units::hartree_in_ev);
    if (!std::isfinite(energy)) continue;
    highest = std::max(highest, energy);
    groups[{multiplicity_text(root), root.irrep_name}].push_back({energy, pretty_term(root.term)});
    with_terms = with_terms || !root.term.empty();
  }
  if (!(highest > 0.0)) return section;
  const double per_ev = (floor_at - top - 6.0) / highest;
  const double column_width = with_terms ? width_with_terms : plain_width;
  const double right = left + 12.0 + column_width * static_cast<double>(groups.size());
  Markup content = energy_axis(highest, per_ev, right, unit);
  std::string read = fmt::format("Energy levels in {} above the lowest root.", unit);
  std::map<std::string, std::size_t> colours;  // by multiplicity
  double x = left + 14.0;
  for (const auto& [group, levels] : groups) {
    const std::size_t colour = colours.try_emplace(group.first, colours.size()).first->second;
    content += column(levels, x, colour, per_ev);
    const std::string name = pretty_state(group.first, group.second);
    content += svg_text(x + 0.5 * level_width, floor_at + 26.0, "middle", name);
    read += fmt::format(" {}:", name);
    for (const Level& level : levels) read += " " + report::fixed(level.energy, 3);
    read += '.';
    x += column_width;
  }
  const Markup picture = svg("levels", read, right + 6.0, height, content);
  section.body = element(
      "figure", {},
      element("div",
              {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", "Energy levels"}},
              picture) +
          element(
              "figcaption", {},
              fmt::format("Roots by multiplicity and irrep; energies in {} above the lowest root.", unit)));
  return section;
}

}  // namespace cisolve::page

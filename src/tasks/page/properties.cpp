// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/units.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;
using report::signed_fixed;

constexpr double visible = 5e-4;  // of an occupation, from 0 and 2, as in the report

/// Bars between 0 and 2, of the occupations that are neither, and of one full and one empty orbital beside them.
Markup bars(const std::vector<double>& occupations) {
  constexpr std::size_t most = 40;
  std::vector<double> shown;
  for (std::size_t k = 0; k < occupations.size() && shown.size() < most; ++k) {
    const bool is_last_full = occupations[k] >= 2.0 - visible &&
                              (k + 1 == occupations.size() || occupations[k + 1] < 2.0 - visible);
    const bool is_first_empty = occupations[k] <= visible && k > 0 && occupations[k - 1] > visible;
    if ((occupations[k] > visible && occupations[k] < 2.0 - visible) || is_last_full || is_first_empty)
      shown.push_back(occupations[k]);
  }
  if (shown.empty()) return {};
  constexpr double bar = 9.0, gap = 3.0, height = 40.0;
  Markup content;
  double x = 1.0;
  for (const double n : shown) {
    const double size = 0.5 * (height - 2.0) * std::clamp(n, 0.0, 2.0);
    content += void_element("rect", {{"class", "s1"},
                                     {"x", place(x)},
                                     {"y", place(height - 1.0 - size)},
                                     {"width", place(bar)},
                                     {"height", place(size)}});
    x += bar + gap;
  }
  content = svg_line("grid", 0, 1, x, 1) + svg_line("grid", 0, 0.5 * height, x, 0.5 * height) +
            svg_line("axis", 0, height - 1, x, height - 1) + content;
  return svg("bars", "Natural occupations between 0 and 2 as bars", x, height, content);
}

std::string occupations_text(const std::vector<double>& occupations) {
  std::string text;
  for (const double n : occupations) {
    if (n > visible && n < 2.0 - visible) text += (text.empty() ? "" : " ") + fixed(n, 3);
  }
  return text.empty() ? "all 2 or 0" : text;
}

Markup occupations_table(const CiResult& result) {
  const auto unpaired = result.column(&Root::unpaired_electrons);
  const bool with_unpaired = std::ranges::any_of(unpaired, [](double n) { return std::isfinite(n); });
  std::vector<Table::Column> columns = {{"root", false}};
  if (with_unpaired) columns.insert(columns.end(), {{"unpaired electrons"}, {"Σ n(2−n)"}});
  columns.insert(columns.end(), {{"0 to 2", false}, {"occupations that are neither 2 nor 0", false}});
  Table table("Natural occupations and unpaired electrons, Σ min(n, 2−n)", columns);
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    if (root.natural_occupations.empty()) continue;
    std::vector<Markup> row = {root_name(result, k)};
    const auto number = [](double value) { return std::isfinite(value) ? fixed(value, 3) : "-"; };
    if (with_unpaired) {
      row.emplace_back(number(root.unpaired_electrons));
      row.emplace_back(number(root.odd_electrons));
    }
    row.push_back(bars(root.natural_occupations));
    row.push_back(element("div", {{"class", "numbers"}}, occupations_text(root.natural_occupations)));
    table.add(row);
  }
  return table.markup();
}

Markup dipoles_table(const CiResult& result) {
  constexpr double debye = 2.541746473;  // e bohr in debye, CODATA 2018
  const bool is_ion = result.molecule && result.molecule->charge != 0;
  Table table(fmt::format("Dipole moments, e bohr{}", is_ion ? ", about the centre of nuclear charge" : ""),
              {{"root", false}, {"x"}, {"y"}, {"z"}, {"size/debye"}});
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const std::vector<double>& d = result.root(k).dipole;
    if (d.size() != 3) continue;
    table.add({root_name(result, k), fixed(d[0], 6), fixed(d[1], 6), fixed(d[2], 6),
               fixed(debye * std::hypot(d[0], d[1], d[2]), 5)});
  }
  return table.markup();
}

Markup charges_table(const CiResult& result) {
  if (!result.molecule) return {};
  const std::vector<std::string> atoms = atom_names(result.molecule->labels, result.molecule->charges);
  constexpr std::size_t most_atoms = 60;
  if (atoms.size() > most_atoms) return {};
  std::vector<Table::Column> columns = {{"root", false}};
  for (const std::string& atom : atoms) columns.push_back({atom});
  Table table("Mulliken charges of the atoms, e", columns);
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const std::vector<double>& charges = result.root(k).mulliken_charges;
    if (charges.size() != atoms.size()) continue;  // files of other programs
    std::vector<Markup> row = {root_name(result, k)};
    for (const double charge : charges) row.emplace_back(signed_fixed(charge, 3));
    table.add(row);
  }
  return table.markup();
}

}  // namespace

Section properties_section(const CiResult& result) {
  return {"properties", "Natural occupations and properties",
          occupations_table(result) + dipoles_table(result) + charges_table(result)};
}

}  // namespace cisolve::page

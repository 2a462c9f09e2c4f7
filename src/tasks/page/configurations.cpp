// SPDX-License-Identifier: MIT
#include "tasks/report/configurations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"

namespace cisolve::page {
namespace {

using report::fixed;
using report::signed_fixed;
using Configurations = std::vector<LeadingConfiguration>;

constexpr std::size_t most_orbitals = 12;  // in a diagram: what a card has room for
constexpr std::size_t most_diagrams = 6;   // of a root; the table has all
constexpr std::size_t unfolded_roots = 6;

/// The orbitals that a diagram shows, ascending.
using Window = std::set<std::size_t>;

char occupation_of(const std::string& occupation, std::size_t p) {
  return p < occupation.size() ? occupation[p] : '0';
}

/// Adds the orbitals that say what a configuration is, if there is room for them: those that differ from the reference,
/// open shells, and empty orbitals below an occupied one.
bool take(Window& window, const std::string& occupation, const std::string& reference) {
  Window wider = window;
  const std::size_t last = occupation.find_last_not_of('0');
  for (std::size_t p = 0; p < occupation.size(); ++p) {
    const char n = occupation[p];
    const bool is_gap = n == '0' && last != std::string::npos && p < last;
    if (n != occupation_of(reference, p) || n == 'u' || n == 'd' || is_gap) wider.insert(p);
  }
  if (wider.size() > most_orbitals) return false;
  window = std::move(wider);
  return true;
}

/// Orbitals beside the highest occupied one of the reference, until there is something to see.
void widen(Window& window, const std::string& reference) {
  constexpr std::size_t fewest = 4;
  const std::size_t last = reference.find_last_not_of('0');
  const std::size_t highest = last == std::string::npos ? 0 : last;
  for (std::size_t k = 0; window.size() < std::min(fewest, reference.size()) && k < reference.size(); ++k) {
    if (highest >= k) window.insert(highest - k);
    if (window.size() < fewest && highest + k + 1 < reference.size()) window.insert(highest + k + 1);
  }
}

Markup arrow(double x, double y, bool is_up) {
  const double from = is_up ? y + 7.0 : y - 7.0, to = is_up ? y - 7.0 : y + 7.0, head = is_up ? 4.0 : -4.0;
  return void_element(
      "path", {{"class", "electron"},
               {"d", fmt::format("M{0} {1}V{2}M{3} {4}L{0} {2}L{5} {4}", place(x), place(from), place(to),
                                 place(x - 3.0), place(to + head), place(x + 3.0))}});
}

/// A line with its electrons; spinors hold one, of no spin.
Markup orbital(const std::string& name, char occupation, double y, bool is_changed) {
  constexpr double begin = 58.0, end = 118.0;
  Markup content = svg_text(begin - 8.0, y + 4.0, "end", name) + svg_line("orbital", begin, y, end, y);
  const double middle = 0.5 * (begin + end);
  if (occupation == '2') content += arrow(middle - 9.0, y, true) + arrow(middle + 9.0, y, false);
  if (occupation == 'u') content += arrow(middle - 9.0, y, true);
  if (occupation == 'd') content += arrow(middle + 9.0, y, false);
  if (occupation == '1')
    content += void_element("circle",
                            {{"class", "electron"}, {"cx", place(middle)}, {"cy", place(y)}, {"r", "3.5"}});
  return element("g", {{"class", is_changed ? "changed" : ""}}, content);
}

/// What the diagram of a configuration says, in words.
std::string diagram_text(const CiResult::System& system, const std::string& occupation,
                         const Window& window) {
  std::string text = "Orbitals from below:";
  for (const std::size_t p : window) {
    const char n = occupation_of(occupation, p);
    text += fmt::format(" {} {},", orbital_name(system, p),
                        n == '2'   ? "doubly occupied"
                        : n == 'u' ? "up"
                        : n == 'd' ? "down"
                        : n == '1' ? "occupied"
                                   : "empty");
  }
  text.back() = '.';
  return text;
}

Markup diagram(const CiResult::System& system, const std::string& occupation, const std::string& reference,
               const Window& window) {
  constexpr double per_orbital = 21.0, width = 136.0;
  const double height = per_orbital * static_cast<double>(window.size());
  double y = height - 0.5 * per_orbital;
  Markup content;
  for (const std::size_t p : window) {
    const char n = occupation_of(occupation, p);
    content += orbital(orbital_name(system, p), n, y, n != occupation_of(reference, p));
    y -= per_orbital;
  }
  return svg("diagram", diagram_text(system, occupation, window), width, height, content);
}

Markup diagrams(const CiResult& result, const Configurations& lines, const std::string& reference) {
  Window window;
  std::vector<const LeadingConfiguration*> shown;
  for (const LeadingConfiguration& line : lines) {
    if (shown.size() < most_diagrams && take(window, line.occupation, reference)) shown.push_back(&line);
  }
  if (shown.empty()) return {};
  widen(window, reference);
  Markup cards;
  for (const LeadingConfiguration* line : shown) {
    cards += element("li", {},
                     diagram(result.system, line->occupation, reference, window) +
                         element("span", {}, element("b", {}, fixed(100.0 * line->weight, 1) + " %")) +
                         element("span", {}, "c = " + signed_fixed(line->coefficient, 4)) +
                         element("span", {}, line->replacement));
  }
  return element("ul", {{"class", "configurations"}}, cards);
}

Markup configurations_table(const CiResult& result, const Configurations& lines, const std::string& caption) {
  const report::ConfigurationStyle style = report::style_of(result);
  std::vector<Table::Column> columns = {{"weight"}, {"coefficient"}};
  if (style.with_occupations) columns.push_back({"occupation", false});
  columns.push_back({"replaced in the reference", false});
  Table table(caption, columns);
  for (const LeadingConfiguration& line : lines) {
    std::vector<Markup> row = {fixed(line.weight, 6), signed_fixed(line.coefficient, 6)};
    if (style.with_occupations)
      row.push_back(element("span", {{"class", "occupation"}}, line.occupation.substr(0, style.occupied)));
    // Files of earlier programs do not say what is replaced.
    row.push_back(line.replacement.empty() && !style.with_occupations
                      ? element("span", {{"class", "occupation"}}, line.occupation)
                      : Markup(line.replacement));
    table.add(row);
  }
  return table.markup();
}

std::string explanation(const CiResult& result) {
  const bool is_csf =
      std::ranges::any_of(result.sectors, [](const auto& sector) { return sector.space.basis == "csf"; });
  const bool are_spinors = result.system.orbitals == "spinors";
  return fmt::format(
      "Orbitals in their order, the lowest below; others that are closed or empty in all are left out, and "
      "what differs from "
      "the first reference is coloured. {}",
      are_spinors ? "Each spinor holds one electron."
      : is_csf    ? "Of CSFs, an arrow up is a shell coupled to S + 1/2, down to S − 1/2."
                  : "Determinants that differ by the spin of the one electron that is replaced share a card, "
                    "with the sum "
                    "of their weights (\"either spin\").");
}

}  // namespace

Section configurations_section(const CiResult& result) {
  Section section{"configurations", "Leading configurations"};
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    if (root.leading.empty()) continue;
    const Configurations lines = report::merged_by_spin(root.leading);
    const std::string name = root_name(result, k);
    const Markup body = diagrams(result, lines, result.sectors[result.roots[k].sector].space.reference) +
                        configurations_table(result, lines, "Leading configurations of " + name);
    section.body += k < unfolded_roots ? subsection(name, body) : folded(name, body);
  }
  if (!section.body.empty())
    section.body = element("p", {{"class", "note"}}, explanation(result)) + section.body;
  return section;
}

}  // namespace cisolve::page

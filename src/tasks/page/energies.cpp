// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/units.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"
#include "tasks/scan/spectroscopy.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

std::string number_or_dash(double value, int decimals) {
  return std::isnan(value) ? "-" : fixed(value, decimals);
}

std::string spin_text(const Root& root) {
  const std::string text = multiplicity_text(root);
  return text.empty() ? "-" : text;
}

Markup certificate_cell(const Root& root) {
  if (!root.certificate) return "-";
  return root.certificate->passed ? Markup("passed") : element("span", {{"class", "bad"}}, "failed");
}

Markup roots_table(const CiResult& result) {
  const bool with_terms =
      std::ranges::any_of(result.column(&Root::term), [](const std::string& term) { return !term.empty(); });
  const bool with_certificates =
      std::ranges::any_of(result.column(&Root::certificate), [](const auto& c) { return c.has_value(); });
  const std::string unit = result.energy_unit();
  std::vector<Table::Column> columns = {{"root"}, {"energy/" + unit}};
  if (result.lattice) {
    columns.push_back({"rel./" + unit});
  } else {
    columns.insert(columns.end(), {{"rel./eV"}, {"rel./cm⁻¹"}});
  }
  columns.insert(columns.end(), {{"2S+1"}, {"<S²>"}, {"irrep", false}});
  if (with_terms) columns.push_back({"term", false});
  columns.insert(columns.end(), {{"converged", false}, {"residual/" + unit}});
  if (with_certificates) columns.push_back({"certificate", false});
  Table table("Total energies of the roots, and relative to the lowest", columns);
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const double above = root.energy - result.root(0).energy;
    std::vector<Markup> row = {std::to_string(k + 1), fixed(root.energy, 10)};
    if (result.lattice) {
      row.emplace_back(fixed(above, 6));
    } else {
      row.emplace_back(fixed(above * units::hartree_in_ev, 5));
      row.emplace_back(fixed(above * hartree_in_wavenumbers, 1));
    }
    row.insert(row.end(), {spin_text(root), number_or_dash(root.s_squared, 6), root.irrep_name});
    if (with_terms) row.emplace_back(pretty_term(root.term));
    row.push_back(root.converged ? Markup("yes") : element("span", {{"class", "bad"}}, "no"));
    row.emplace_back(fmt::format("{:.2e}", root.residual_norm));
    if (with_certificates) row.push_back(certificate_cell(root));
    table.add(row);
  }
  return table.markup();
}

/// As in the report: where the space leaves something to be estimated.
Markup corrections_table(const CiResult& result) {
  if (std::ranges::all_of(result.sectors, [](const auto& sector) { return sector.selection.has_value(); }))
    return {};
  constexpr double visible = 5e-9;  // hartree, with the digits below
  const auto all = result.column(&Root::davidson_q);
  if (std::ranges::none_of(all, [](double q) { return std::abs(q) >= visible; })) return {};
  Table table(
      "With estimates of higher excitations (+Q), hartree",
      {{"root"}, {"reference weight"}, {"Davidson"}, {"renormalised"}, {"Pople"}, {"energy + Davidson"}});
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    table.add({std::to_string(k + 1), number_or_dash(root.reference_weight, 6),
               number_or_dash(root.davidson_q, 8), number_or_dash(root.renormalised_q, 8),
               number_or_dash(root.pople_q, 8), number_or_dash(root.energy + root.davidson_q, 8)});
  }
  return table.markup();
}

Markup second_order_table(const CiResult& result) {
  const auto all = result.column(&Root::second_order);
  if (std::ranges::all_of(all, [](double value) { return std::isnan(value); })) return {};
  Table table("With second-order perturbation theory (Epstein-Nesbet), hartree",
              {{"root"}, {"E2"}, {"±"}, {"E + E2"}, {"extrapolated"}, {"±"}});
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const bool is_sampled = root.second_order_error > 0.0, is_known = !std::isnan(root.second_order),
               is_extrapolated = !std::isnan(root.extrapolated_energy);
    table.add({std::to_string(k + 1), number_or_dash(root.second_order, 8),
               is_sampled ? fmt::format("{:.1e}", root.second_order_error)
               : is_known ? "exact"
                          : "-",
               number_or_dash(root.energy + root.second_order, is_sampled ? 7 : 9),
               number_or_dash(root.extrapolated_energy, 6),
               is_extrapolated ? fmt::format("{:.1e}", root.extrapolated_error) : "-"});
  }
  return table.markup();
}

}  // namespace

Section energies_section(const CiResult& result) {
  Section section{"energies", "Energies"};
  if (result.roots.empty()) {
    section.body = paragraph("The spaces hold no state of the kind asked for.");
    return section;
  }
  section.body = roots_table(result);
  const bool are_certified =
      std::ranges::all_of(result.column(&Root::certificate),
                          [](const auto& certificate) { return certificate && certificate->passed; });
  if (are_certified)
    section.body +=
        element("p", {{"class", "note"}}, "All certificates passed; " + missed_roots_clause(result) + ".");
  section.body += corrections_table(result) + second_order_table(result);
  return section;
}

}  // namespace cisolve::page

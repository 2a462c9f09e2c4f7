// SPDX-License-Identifier: MIT
#include "tasks/selected/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "cisolve/tasks/report/report.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {

using report::fixed;
using report::print_field;
using report::print_wrapped;

void print_passes_heading(std::ostream& out, const CiResult::Selection& selection) {
  out << "\nSelection\n";
  print_field(out, "criterion", selection.criterion);
  out << fmt::format("{:>5}{:>11}{:>14}{:>15}{:>19}{:>16}\n", "pass", "epsilon", "determinants", "nonzeros",
                     "lowest E/hartree", "E2/hartree");
}

void print_pass(std::ostream& out, const CiResult::Selection& selection, std::size_t number) {
  const std::size_t at = number * static_cast<std::size_t>(selection.num_roots);
  const double epsilon = selection.epsilon[number], second_order = selection.second_order[at];
  out << fmt::format("{:>5}{:>11}{:>14}{:>15}{:>19}{:>16}\n", number + 1,
                     std::isnan(epsilon) ? "-" : fmt::format("{:.2g}", epsilon),
                     format_count(selection.determinants[number]), format_count(selection.nonzeros[number]),
                     fixed(selection.energy[at], 10), std::isnan(second_order) ? "" : fixed(second_order, 8));
}

void print_end(std::ostream& out, const CiResult::Selection& selection) {
  if (!selection.end.empty()) print_wrapped(out, "  ended: ", selection.end);
}

void print_selection(std::ostream& out, const CiResult::Selection& selection) {
  print_passes_heading(out, selection);
  for (std::size_t k = 0; k < selection.determinants.size(); ++k) print_pass(out, selection, k);
  print_end(out, selection);
}

void print_second_order(std::ostream& out, const CiResult& result) {
  const auto all = result.column(&Root::second_order);
  if (std::ranges::all_of(all, [](double value) { return std::isnan(value); })) return;
  out << fmt::format(
      "\nWith second-order perturbation theory (Epstein-Nesbet), "
      "hartree\n{:>5}{:>15}{:>10}{:>19}{:>19}{:>10}\n",
      "root", "E2", "+-", "E + E2", "extrapolated", "+-");
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    const bool is_sampled = root.second_order_error > 0.0,
               is_extrapolated = !std::isnan(root.extrapolated_energy);
    out << fmt::format("{:>5}{:>15}{:>10}{:>19}{:>19}{:>10}\n", k + 1, fixed(root.second_order, 8),
                       is_sampled ? fmt::format("{:.1e}", root.second_order_error) : "exact",
                       fixed(root.energy + root.second_order, is_sampled ? 7 : 9),
                       is_extrapolated ? fixed(root.extrapolated_energy, 6) : "-",
                       is_extrapolated ? fmt::format("{:.1e}", root.extrapolated_error) : "");
  }
}

}  // namespace cisolve

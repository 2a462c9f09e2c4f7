// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "cisolve/core/units.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/certification.hpp"
#include "tasks/report/configurations.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::ConfigurationStyle;
using report::fixed;
using report::merged_by_spin;
using report::print_field;
using report::print_wrapped;
using report::signed_fixed;
using report::style_of;

void print_leading(std::ostream& out, const std::vector<LeadingConfiguration>& leading,
                   const ConfigurationStyle& style) {
  if (leading.empty()) return;
  out << fmt::format("      {:>10}  {:>11}  {}\n", "weight", "coefficient", "configuration");
  for (const LeadingConfiguration& found : merged_by_spin(leading)) {
    std::string numbers =
        fmt::format("      {:>10}  {:>11}  ", fixed(found.weight, 6), signed_fixed(found.coefficient, 6));
    if (found.replacement.empty()) {
      print_wrapped(out, numbers, found.occupation);
      continue;
    }
    if (style.with_occupations) numbers += found.occupation.substr(0, style.occupied) + "  ";
    print_wrapped(out, numbers, found.replacement);
  }
}

/// +Q, where the space leaves something to be estimated.
void print_corrections(std::ostream& out, const CiResult& result) {
  const bool any_whole =
      std::ranges::any_of(result.sectors, [](const auto& sector) { return !sector.selection; });
  if (!any_whole) return;  // perturbation theory says it
  const auto weights = result.column(&Root::reference_weight), davidson = result.column(&Root::davidson_q);
  if (std::ranges::all_of(weights, [](double weight) { return std::isnan(weight); })) return;
  constexpr double visible = 5e-9;  // with the digits below
  if (std::ranges::all_of(davidson, [](double q) { return std::abs(q) < visible; })) return;
  const bool has_some = !std::ranges::all_of(davidson, [](double q) { return std::isnan(q); });
  if (!has_some) {
    out << "\nNo estimate of higher excitations (+Q): no root has half of its weight in the\nreferences\n";
    return;
  }
  const auto number = [](double value) { return std::isnan(value) ? std::string("-") : fixed(value, 8); };
  out << fmt::format(
      "\nEstimated effect of higher excitations (+Q), hartree, not in the energies above\n"
      "{:>5}{:>20}{:>17}{:>17}{:>17}\n",
      "root", "reference weight", "Davidson", "renormalised", "Pople");
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    out << fmt::format("{:>5}{:>20}{:>17}{:>17}{:>17}\n", k + 1, fixed(root.reference_weight, 6),
                       number(root.davidson_q), number(root.renormalised_q), number(root.pople_q));
  }
  if (std::ranges::any_of(davidson, [](double q) { return std::isnan(q); }))
    out << "    -  the references have less than half of the weight: there is no estimate\n";
}

/// A sentence where all is well; what is not stands at the head of the report, and nothing passes that is not converged.
void print_certificates(std::ostream& out, const CiResult& result) {
  double largest = 0.0;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();  // rows, of those that had not all
  bool all = true;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const std::optional<Certificate>& certificate = result.root(k).certificate;
    if (!certificate || !certificate->passed || !result.root(k).converged) return;
    largest = std::max(largest, certificate->residual_norm);
    if (certificate->has_all_rows()) continue;
    fewest = std::min(fewest, certificate->rows_checked);
    all = false;
  }
  if (result.roots.empty()) return;
  out << '\n';
  print_wrapped(
      out, "  certificates passed: ",
      fmt::format("residual norms up to {:.2e} {} {}; {}", largest, result.energy_unit(),
                  all ? "in all rows of H" : fmt::format("estimated from {} rows of H", format_count(fewest)),
                  missed_roots_clause(result)));
}

}  // namespace

std::string missed_roots_clause(const CiResult& result) {
  std::int64_t sectors = 0, looked = 0, products = 0;
  double above = std::numeric_limits<double>::infinity();  // hartree
  for (const CiResult::Sector& sector : result.sectors) {
    if (sector.roots.empty() || !sector.roots.back().certificate) continue;
    const Certificate& certificate = *sector.roots.back().certificate;
    ++sectors;
    if (certificate.probe_starts == 0) continue;
    ++looked;
    products += certificate.probe_products;
    above = std::min(above, certificate.probe_energy - sector.roots.back().energy);
  }
  if (looked == 0) return "nobody looked for missed roots";
  const std::string where = looked < sectors ? fmt::format(" in {} of {} sectors", looked, sectors) : "";
  const bool is_below = above < -missed_root_margin(0.0);
  return fmt::format("a look for missed roots{} by {} products {} {} {} {} the highest root{}", where,
                     format_count(products), is_below ? "found one" : "found none, but came down to",
                     fixed(std::abs(above), 4), result.energy_unit(), is_below ? "below" : "above",
                     sectors > 1 ? " of a sector" : "");
}

namespace {

/// "(1, 0.5)", of a chain "0.5"; "-" where it is not known.
std::string momentum_text(const CiResult& result, std::size_t k) {
  const double x = result.momenta[2 * k], y = result.momenta[2 * k + 1];
  if (std::isnan(x) || std::isnan(y)) return "-";
  const auto text = [](double number) { return fmt::format("{:.4g}", number); };
  return result.lattice->dimensions == 1 ? text(x) : fmt::format("({}, {})", text(x), text(y));
}

}  // namespace

void print_roots(std::ostream& out, const CiResult& result) {
  const CiResult::Solver solver = result.overall_solver();
  out << "\nRoots\n";
  print_field(out, "solver",
              solver.history.empty()
                  ? solver.status
                  : fmt::format("{} after {} iterations", solver.status, solver.history.size()));
  print_field(out, "products of H", format_count(solver.num_applications));
  const bool with_terms =
      std::ranges::any_of(result.column(&Root::term), [](const std::string& term) { return !term.empty(); });
  const bool has_momenta = result.lattice && result.lattice->orbitals == "site" &&
                           !result.lattice->momenta.empty() && !result.momenta.empty();
  out << fmt::format("\n{:>5}{:>18}{:>12}{:>10}{:>10}{:>8}  {}\n", "root", "energy/" + result.energy_unit(),
                     result.lattice ? "excit./" + result.lattice->unit : "excit./eV", "residual", "<S^2>",
                     "2S+1",
                     has_momenta  ? "k/pi"
                     : with_terms ? "irrep, term"
                                  : "irrep");
  const ConfigurationStyle style = style_of(result);
  bool all_converged = true;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    all_converged = all_converged && root.converged;
    const double excitation =
        (root.energy - result.root(0).energy) * (result.lattice ? 1.0 : units::hartree_in_ev);
    // S (S + 1) solved for 2 S + 1; not known of some spin orbitals.
    const bool has_spin = !std::isnan(root.s_squared);
    const double multiplicity = std::sqrt(std::max(0.0, 1.0 + 4.0 * root.s_squared));
    const std::string row =
        fmt::format("{:>5}{:>18}{:>12}{:>10.2e}{:>10}{:>8}  ", k + 1, fixed(root.energy, 10),
                    fixed(excitation, 5), root.residual_norm, has_spin ? fixed(root.s_squared, 6) : "-",
                    has_spin ? fixed(multiplicity, 4) : "-");
    const std::string term = root.term.empty() ? "" : ", " + root.term;
    const std::string label = has_momenta ? momentum_text(result, k) : root.irrep_name + term;
    print_wrapped(out, row, label + (root.converged ? "" : " *"));
    print_leading(out, root.leading, style);
  }
  print_certificates(out, result);
  print_corrections(out, result);
  if (!all_converged) out << "\n  * not converged: the residual is above the tolerance\n";
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "cisolve/core/units.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/certification.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;
using report::signed_fixed;

/// How configurations are shown: those of few orbitals by their occupation, too.
struct ConfigurationStyle {
  std::size_t occupied = 0;      ///< orbitals up to the last that is occupied anywhere
  bool with_occupations = true;  ///< what is replaced says the same in less room where orbitals are many
};

ConfigurationStyle style_of(const CiResult& result) {
  constexpr std::size_t most = 24;  // orbitals: half of what a line has room for
  ConfigurationStyle style;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    for (const LeadingConfiguration& found : result.root(k).leading) {
      const std::size_t last = found.occupation.find_last_not_of('0');
      if (last != std::string::npos) style.occupied = std::max(style.occupied, last + 1);
    }
  }
  style.with_occupations = style.occupied <= most;
  return style;
}

/// Whether two determinants are the same but for exchanged spins, with the same weight.
bool are_spin_partners(const LeadingConfiguration& a, const LeadingConfiguration& b) {
  constexpr double same = 1e-4;  // vectors of a solver are as symmetric as they are converged
  const auto is_exchanged = [](char x, char y) { return x == (y == 'u' ? 'd' : y == 'd' ? 'u' : y); };
  return a.occupation != b.occupation && std::abs(a.weight - b.weight) < same &&
         std::ranges::equal(a.occupation, b.occupation, is_exchanged);
}

/// "5b1 -> 2a2" of "5b1(a) -> 2a2(a)"; empty where more than one electron is replaced.
std::string single_without_spin(std::string_view replacement) {
  constexpr std::string_view arrow = " -> ";
  constexpr std::size_t spin = 3;  // characters of "(a)"
  const std::size_t at = replacement.find(arrow);
  if (at == std::string_view::npos) return {};
  const std::string_view hole = replacement.substr(0, at), particle = replacement.substr(at + arrow.size());
  if (hole.find(' ') != std::string_view::npos || particle.find(' ') != std::string_view::npos ||
      !hole.ends_with(')'))
    return {};
  return fmt::format("{}{}{}", hole.substr(0, hole.size() - spin), arrow,
                     particle.substr(0, particle.size() - spin));
}

/// Determinants that differ by the spin of the one electron that is replaced share a line, with both weights.
std::vector<LeadingConfiguration> merged_by_spin(const std::vector<LeadingConfiguration>& leading) {
  std::vector<LeadingConfiguration> merged;
  std::vector<bool> is_taken(leading.size(), false);
  for (std::size_t k = 0; k < leading.size(); ++k) {
    if (is_taken[k]) continue;
    LeadingConfiguration line = leading[k];
    const std::string single = single_without_spin(line.replacement);
    for (std::size_t other = k + 1; !single.empty() && other < leading.size(); ++other) {
      if (is_taken[other] || !are_spin_partners(line, leading[other])) continue;
      is_taken[other] = true;
      const double weight = line.weight + leading[other].weight;
      // Signs of lines mean something beside each other only if all are of one spin.
      if (!line.replacement.ends_with("(a)")) line = leading[other];
      line.replacement = single + ", either spin";
      line.weight = weight;
      break;
    }
    merged.push_back(std::move(line));
  }
  return merged;
}

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
      fmt::format("residual norms up to {:.2e} hartree {}; {}", largest,
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
  return fmt::format("a look for missed roots{} by {} products {} {} hartree {} the highest root{}", where,
                     format_count(products), is_below ? "found one" : "found none, but came down to",
                     fixed(std::abs(above), 4), is_below ? "below" : "above",
                     sectors > 1 ? " of a sector" : "");
}

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
  out << fmt::format("\n{:>5}{:>18}{:>12}{:>10}{:>10}{:>8}  {}\n", "root", "energy/hartree", "excit./eV",
                     "residual", "<S^2>", "2S+1", with_terms ? "irrep, term" : "irrep");
  const ConfigurationStyle style = style_of(result);
  bool all_converged = true;
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    const Root& root = result.root(k);
    all_converged = all_converged && root.converged;
    const double excitation = (root.energy - result.root(0).energy) * units::hartree_in_ev;
    // S (S + 1) solved for 2 S + 1; not known of some spin orbitals.
    const bool has_spin = !std::isnan(root.s_squared);
    const double multiplicity = std::sqrt(std::max(0.0, 1.0 + 4.0 * root.s_squared));
    const std::string row =
        fmt::format("{:>5}{:>18}{:>12}{:>10.2e}{:>10}{:>8}  ", k + 1, fixed(root.energy, 10),
                    fixed(excitation, 5), root.residual_norm, has_spin ? fixed(root.s_squared, 6) : "-",
                    has_spin ? fixed(multiplicity, 4) : "-");
    const std::string term = root.term.empty() ? "" : ", " + root.term;
    print_wrapped(out, row, root.irrep_name + term + (root.converged ? "" : " *"));
    print_leading(out, root.leading, style);
  }
  print_certificates(out, result);
  print_corrections(out, result);
  if (!all_converged) out << "\n  * not converged: the residual is above the tolerance\n";
}

}  // namespace cisolve

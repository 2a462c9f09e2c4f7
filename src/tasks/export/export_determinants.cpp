// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cisolve/analysis/states.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_states.hpp"
#include "tasks/export/text_output.hpp"

namespace cisolve {
namespace {

/// Rows of coefficients that are not left out, by descending magnitude; equal ones in their order.
std::vector<std::size_t> heaviest_first(const std::vector<double>& coefficients, double threshold) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < coefficients.size(); ++row) {
    const double magnitude = std::abs(coefficients[row]);
    if (magnitude > 0.0 && magnitude >= threshold) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [&](std::size_t row) { return std::abs(coefficients[row]); });
  return rows;
}

}  // namespace

std::string export_determinants(const ExportedResult& from, const std::filesystem::path& file,
                                const ExportOptions& options) {
  const auto roots = chosen_roots(from.result, options, from.file);
  const auto psi = determinants_of_root(from.result, roots.front(), from.file);
  const auto rows = heaviest_first(psi.coefficients, options.threshold);
  const int num_orbitals = from.result.system.n_orbitals;
  const auto& any = psi.determinants.front();
  TextOutput out(file);
  std::string text =
      fmt::format("{} {} {} {}\n", rows.size(), num_orbitals, any.alpha.count(), any.beta.count());
  double weight = 0.0;
  constexpr std::size_t chunk = std::size_t{1} << 20;
  for (const std::size_t row : rows) {
    const double c = psi.coefficients[row];
    weight += c * c;
    fmt::format_to(std::back_inserter(text), "{:23.16E} {}\n", c,
                   occupation_text(psi.determinants[row], num_orbitals));
    if (text.size() < chunk) continue;
    out.write(text);
    text.clear();
  }
  out.write(text);
  out.commit();
  return fmt::format("{} of {} determinants of {}, their weight {:.6f}", rows.size(), psi.coefficients.size(),
                     states_text(roots, options), weight);
}

}  // namespace cisolve

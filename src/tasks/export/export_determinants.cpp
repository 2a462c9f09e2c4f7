// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cisolve/analysis/states.hpp"
#include "tasks/export/heaviest.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_states.hpp"
#include "tasks/export/text_output.hpp"

namespace cisolve {

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
    text += fmt::format("{:23.16E} {}\n", c, occupation_text(psi.determinants[row], num_orbitals));
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

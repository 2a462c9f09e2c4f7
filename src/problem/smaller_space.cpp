// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/number_text.hpp"
#include "problem/planners.hpp"

namespace cisolve {
namespace {

/// Keeps a level whose estimated size lies just below the memory from being promised.
constexpr double sampling_error = 0.05;

struct Level {
  int level = 0;
  std::int64_t csfs = 0;
  double nonzeros_per_row = 0.0;
};

/// None if a problem of this level does not fit.
std::optional<Level> try_level(const BasisDefinition& definition, const PlanOptions& options,
                               const Resources& resources, double threshold) {
  const auto& selection = std::get<CsfSelection>(definition.functions);
  auto basis = with_string_words(selection.num_orbitals, [&]<int Words>() -> std::unique_ptr<Basis> {
    auto space = std::make_unique<ConfigurationSpace<Words>>(with_words<Words>(selection));
    return space->size() == 0 ? nullptr : make_basis(definition, std::move(space));
  });
  if (!basis) return Level{selection.excitation_level, 0, 0.0};
  const Problem problem(std::move(basis), threshold);
  const auto estimate = estimate_stored(problem, options, resources);
  if (!estimate) return std::nullopt;
  return Level{selection.excitation_level, problem.basis->size(), *estimate};
}

double sum(const CsfCounts& counts, int levels, int irrep) {
  double total = 0.0;
  for (int level = 0; level < levels; ++level) total += static_cast<double>(counts.at_level(level, irrep));
  return total;
}

}  // namespace

double most_csfs(const CsfSelection& selection) {
  CsfSelection single = selection;
  single.bounds.clear();
  double total = 0.0;
  for (const auto& reference : selection.references) {
    single.references = {reference};
    const CsfCounts counts = count_csfs(single);
    total += sum(counts, static_cast<int>(counts.csfs.size()), selection.irrep);
  }
  single.excitation_level = max_excitation_level(selection.references[0], selection.num_orbitals);
  const CsfCounts full = count_csfs(single);
  return std::min(total, sum(full, static_cast<int>(full.csfs.size()), selection.irrep));
}

std::string smaller_determinant_space(const BasisDefinition& definition, double bytes_per_row, double room) {
  const auto& selection = std::get<DeterminantSelection>(definition.functions);
  std::vector<std::string> fitting;
  const auto fits = [&](const DeterminantSelection& smaller, const std::string& key) {
    const auto counts = count_determinants(smaller);
    const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (rows * bytes_per_row >= room) return false;
    fitting.push_back(
        fmt::format("{} ({} determinants)", key, format_count(static_cast<std::int64_t>(rows))));
    return true;
  };
  DeterminantSelection smaller = selection;
  smaller.spin_complete = false;
  if (selection.spin_complete && is_product(smaller)) fits(smaller, "spin_complete = false");
  smaller = selection;
  while (smaller.excitation_level > 0 && is_product(smaller)) {
    --smaller.excitation_level;
    if (fits(smaller, fmt::format("excitation_level = {}", smaller.excitation_level))) break;
  }
  if (!fitting.empty()) return fmt::format("{} would fit", fmt::join(fitting, " or "));
  return selection.spin_complete && !is_product(selection)
             ? "a smaller space, such as spin_complete = false makes, or more memory is needed"
             : "a smaller space or more memory is needed";
}

std::string smaller_csf_space(const BasisDefinition& definition, const PlanOptions& options,
                              const Resources& resources, double threshold) {
  Resources room = resources;
  room.memory = static_cast<std::int64_t>((1.0 - sampling_error) * static_cast<double>(resources.memory));
  BasisDefinition smaller = definition;
  auto& selection = std::get<CsfSelection>(smaller.functions);
  const int levels = selection.excitation_level;
  Level best;
  for (int level = 0; level < levels; ++level) {
    selection.excitation_level = level;
    // Rows get longer from level to level: a space that is too large with those of the last is not generated.
    constexpr double bytes_per_nonzero = 12.0;
    const double bytes_per_row = least_bytes_per_row + bytes_per_nonzero * best.nonzeros_per_row;
    if (bytes_per_row * most_csfs(selection) > static_cast<double>(room.memory)) break;
    const auto fitting = try_level(smaller, options, room, threshold);
    if (!fitting) break;
    best = *fitting;
  }
  if (best.csfs == 0) return "no lower excitation_level would fit; freeze orbitals or restrict the irrep";
  return fmt::format("excitation_level = {} ({} CSFs) would fit", best.level, format_count(best.csfs));
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/selected/growth_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "cisolve/core/number_text.hpp"
#include "cisolve/solver/davidson.hpp"

namespace cisolve {
namespace {

/// A list, and what its matrix takes.
struct Size {
  double determinants = 0.0, bytes = 0.0;
};

/// The last two lists of a growth to some thousand determinants; twice the same if there are no more.
std::pair<Size, Size> grow_a_little(const RunContext& context, const CiJob& job, const Resources& resources,
                                    std::int64_t most) {
  constexpr std::int64_t enough = 4000;
  const auto list = make_sector_list(context, job, {}, {.memory = resources.memory, .devices = {}});
  Size before, last;
  while (true) {
    list->solve();
    before = last.determinants > 0.0 ? last : Size{1.0, 1.0};
    last = {static_cast<double>(list->size()), static_cast<double>(list->matrix_bytes())};
    if (list->size() >= std::min(enough, most)) break;
    const SelectionPass pass{.criterion = SelectionCriterion::perturbation, .most = 2 * list->size()};
    if (list->grow(pass, {.stop = context.control.stop}).added == 0) break;
  }
  return {before, last};
}

}  // namespace

std::int64_t print_growth_plan(const RunContext& context, const CiJob& job, const Resources& resources) {
  const CiConfig& config = context.config;
  CiResult::Sector sector;
  describe_sector(context, job, sector);
  DeterminantSelection whole = job.selection;
  whole.excitation_level = max_excitation_level(whole);
  whole.references.resize(1);
  const std::vector<double> levels = count_determinants(whole);
  const double all = std::accumulate(levels.begin(), levels.end(), 0.0);
  const std::int64_t most =
      std::min(config.selection->determinants, static_cast<std::int64_t>(std::min(all, 1e18)));
  const auto [before, last] = grow_a_little(context, job, resources, most);
  const double n = std::max(last.determinants, static_cast<double>(most));
  // Rows grow longer with the list, by a power of its length.
  const double ratio = last.determinants / before.determinants;
  const double power =
      ratio > 1.0 ? std::clamp(std::log(last.bytes / before.bytes) / std::log(ratio), 1.0, 2.0) : 1.0;
  const double matrix = last.bytes * std::pow(n / last.determinants, power);
  DavidsonConfig solver;
  solver.num_roots = config.count;
  solver.max_subspace = config.max_subspace;
  const auto rows = static_cast<std::int64_t>(n);
  const double vectors = 8.0 * n * davidson_columns(solver, rows);
  const auto line = [&](std::string_view label, const std::string& text) {
    context.report << fmt::format("  {:<38}{}\n", label, text);
  };
  const auto bytes = [](double value) { return format_bytes(static_cast<std::int64_t>(value)); };
  context.report << "\nSelection\n";
  line("Determinants, at most", format_count(rows));
  const std::int64_t words = (job.num_orbitals() + 63) / 64;
  const std::int64_t file_bytes =
      rows * (16 * words + (config.write_vectors ? 8 * std::int64_t{config.count} : 0));
  const PlanOptions options = plan_options(config);
  if (is_applied_on_device(options, resources, rows)) {
    line("Matrix", "none: H is applied on the device");
    line("Device memory needed", "about " + format_bytes(bytes_on_device(options, rows)));
    return file_bytes;
  }
  line("Matrix of so many", "about " + bytes(matrix));
  line("Solver vectors of so many", bytes(vectors));
  line("Memory that may be used", format_bytes(resources.memory));
  if (matrix + vectors > static_cast<double>(resources.memory)) {
    const double room = std::max(0.0, static_cast<double>(resources.memory) / (matrix + vectors));
    context.warn(fmt::format(
        "selection.determinants: {} determinants need about {}, but {} may be used; the list ends "
        "where memory does, at about {}",
        format_count(rows), bytes(matrix + vectors), format_bytes(resources.memory),
        format_count(static_cast<std::int64_t>(n * std::pow(room, 1.0 / power)))));
  }
  return file_bytes;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/ci/csf_fit.hpp"

#include <fmt/format.h>

#include <optional>

#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/csf_basis.hpp"
#include "tasks/ci/job/csf_job.hpp"
#include "tasks/ci/plan.hpp"
#include "tasks/ci/row_sample.hpp"

namespace cisolve {
namespace {

/// Keeps a level whose estimated size lies just below the memory from being promised.
constexpr double sampling_error = 0.05;

struct Level {
  int level = 0;
  std::int64_t csfs = 0;
  double nonzeros_per_row = 0.0;
};

/// None if a job of this level does not fit.
std::optional<Level> try_level(const CiConfig& config, const CiJob& job, const IntegralTables& tables,
                               std::int64_t memory) {
  const CsfBasis basis(job, std::make_unique<ConfigurationSpace<string_words>>(*job.csf));
  if (basis.size() == 0) return Level{job.csf->excitation_level, 0, 0.0};
  const auto rows = basis.make_rows(tables);
  const RowSample sample(*rows);
  CiPlan plan;
  plan.row_lengths = sample.spread();
  const AuxiliaryBytes auxiliary{
      .tables = basis.rows_bytes(tables), .spin = 0, .outside_solver = basis.bytes_outside_solver(config)};
  if (!would_fit(config, job, std::move(plan), auxiliary, memory)) return std::nullopt;
  return Level{job.csf->excitation_level, basis.size(),
               sample.nonzeros() / static_cast<double>(basis.size())};
}

}  // namespace

std::string smaller_csf_space(const CiConfig& config, const CiJob& job, std::int64_t memory) {
  const auto room = static_cast<std::int64_t>((1.0 - sampling_error) * static_cast<double>(memory));
  const IntegralTables tables(job.active->integrals, config.threshold);
  CiJob smaller = job;
  Level best;
  for (int level = 0; level < job.csf->excitation_level; ++level) {
    smaller.csf->excitation_level = level;
    // Rows get longer from level to level: a space that is too large with those of the last is not generated.
    constexpr double bytes_per_nonzero = 12.0;
    const double bytes_per_row = least_bytes_per_csf + bytes_per_nonzero * best.nonzeros_per_row;
    if (bytes_per_row * most_csfs(*smaller.csf) > static_cast<double>(room)) break;
    const auto fitting = try_level(config, smaller, tables, room);
    if (!fitting) break;
    best = *fitting;
  }
  if (best.csfs == 0) return "no lower excitation_level would fit; freeze orbitals or restrict the irrep";
  return fmt::format("excitation_level = {} ({} CSFs) would fit", best.level, format_count(best.csfs));
}

}  // namespace cisolve

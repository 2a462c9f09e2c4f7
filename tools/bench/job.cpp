// SPDX-License-Identifier: MIT
#include "job.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <filesystem>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "core/stopwatch.hpp"
#include "definition.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve::bench {
namespace {

/// The determinants for which keep(determinant, row) says so, in their order.
template <int Words, class Keep>
std::unique_ptr<Space<Words>> select_rows(const Space<Words>& space, const Keep& keep) {
  std::vector<Determinant<Words>> all(space.size());
  space.enumerate(0, all);
  const auto levels = space.level_counts();
  std::vector<Determinant<Words>> kept;
  std::vector<std::int64_t> counts(levels.size(), 0);
  std::int64_t references = 0;
  std::int64_t row = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (std::int64_t i = 0; i < levels[level]; ++i, ++row) {
      const auto& d = all[row];
      if (!keep(d, row)) continue;
      kept.push_back(d);
      ++counts[level];
      if (row < space.num_references()) ++references;
    }
  }
  return std::make_unique<ListSpace<Words>>(std::move(kept), space.num_orbitals(), space.irrep(), references,
                                            std::move(counts));
}

/// Keeps all determinants of level <= 2 and a random share of the rest: the shape of a selected space.
/// Whether a determinant is kept depends on the seed and on itself alone.
template <int Words>
std::unique_ptr<Space<Words>> thin_out(const Space<Words>& space, const JobOptions& options) {
  const auto levels = space.level_counts();
  std::int64_t always = 0;
  for (std::size_t level = 0; level < levels.size() && level <= 2; ++level) always += levels[level];
  return select_rows(space, [&](const Determinant<Words>& d, std::int64_t row) {
    const double u = static_cast<double>(mix(d.beta, mix(d.alpha, options.seed)) >> 11) * 0x1.0p-53;
    return row < always || u < options.random_rows;
  });
}

/// The leading principal submatrix of that order.
template <int Words>
std::unique_ptr<Space<Words>> cut_off(const Space<Words>& space, std::int64_t rows) {
  if (rows > space.size()) {
    throw InputError(
        fmt::format("--first-rows: the space has {} determinants, fewer than {}", space.size(), rows));
  }
  return select_rows(space, [rows](const auto&, std::int64_t row) { return row < rows; });
}

/// The functions of a job, or those of its determinants that are asked for.
template <int Words>
std::unique_ptr<Basis> make_functions(const JobOptions& options, BenchJob& job) {
  const BasisDefinition definition = definition_of(job.job);
  if (options.solves) require_room(definition, memory_limit(job.config), job.config.count);
  const auto take = [&](auto functions) {
    job.row_by_definition = [&v = job.job.active->integrals, &space = *functions](std::int64_t row) {
      return row_by_definition(v, space, row);
    };
    return make_basis(definition, std::move(functions));
  };
  if (job.job.csf) return take(std::make_unique<ConfigurationSpace<Words>>(with_words<Words>(*job.job.csf)));
  auto space = make_space(with_words<Words>(job.job.selection));
  if (options.random_rows < 1.0) space = thin_out(*space, options);
  if (options.first_rows > 0) space = cut_off(*space, options.first_rows);
  return take(std::move(space));
}

}  // namespace

BenchJob load_problem(const JobOptions& options) {
  std::vector<InputOverride> overrides;
  for (const std::string& setting : options.settings) overrides.push_back(parse_override(setting));
  BenchJob result;
  result.config = read_ci_config(read_input(options.input_file, overrides));
  if (result.config.threads > 0) omp_set_num_threads(result.config.threads);

  const bool csf = result.config.basis == BasisChoice::csf;
  if (csf && (options.random_rows < 1.0 || options.first_rows > 0)) {
    throw InputError("--random-rows and --first-rows choose determinants, but space.basis is \"csf\"");
  }

  Stopwatch stopwatch;
  result.job = prepare_job(result.config);
  result.integrals_seconds = std::exchange(stopwatch, {}).seconds();
  auto basis = with_string_words(result.job.active->integrals.num_orbitals,
                                 [&]<int Words>() { return make_functions<Words>(options, result); });
  result.space_seconds = std::exchange(stopwatch, {}).seconds();
  result.problem = std::make_unique<Problem>(std::move(basis), result.config.threshold);
  result.source_seconds = stopwatch.seconds();

  result.name = fmt::format("{}, {} {}", std::filesystem::path(options.input_file).stem().string(),
                            result.problem->basis->size(), csf ? "CSFs" : "determinants");
  for (const std::string& setting : options.settings) result.name += ", " + setting;
  if (options.random_rows < 1.0) result.name += fmt::format(", random rows {}", options.random_rows);
  if (options.first_rows > 0) result.name += ", first rows";
  return result;
}

BenchJob load_job(const JobOptions& options) {
  BenchJob result = load_problem(options);
  const Stopwatch stopwatch;
  result.rows = result.problem->basis->make_rows(*result.problem->tables);
  result.source_seconds += stopwatch.seconds();
  return result;
}

}  // namespace cisolve::bench

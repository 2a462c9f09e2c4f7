// SPDX-License-Identifier: MIT
#include "job.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <filesystem>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "core/stopwatch.hpp"
#include "tasks/ci/sector_problem.hpp"

namespace cisolve::bench {
namespace {

/// The determinants for which keep(determinant, row) says so, in their order.
template <class Keep>
std::unique_ptr<Space<string_words>> select_rows(const Space<string_words>& space, const Keep& keep) {
  std::vector<Determinant<string_words>> all(space.size());
  space.enumerate(0, all);
  const auto levels = space.level_counts();
  std::vector<Determinant<string_words>> kept;
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
  return std::make_unique<ListSpace<string_words>>(std::move(kept), space.num_orbitals(), space.irrep(),
                                                   references, std::move(counts));
}

/// Keeps all determinants of level <= 2 and a random share of the rest: the shape of a selected space.
/// Whether a determinant is kept depends on the seed and on itself alone.
std::unique_ptr<Space<string_words>> thin_out(const Space<string_words>& space, const JobOptions& options) {
  const auto levels = space.level_counts();
  std::int64_t always = 0;
  for (std::size_t level = 0; level < levels.size() && level <= 2; ++level) always += levels[level];
  return select_rows(space, [&](const Determinant<string_words>& d, std::int64_t row) {
    const double u = static_cast<double>(mix(d.beta, mix(d.alpha, options.seed)) >> 11) * 0x1.0p-53;
    return row < always || u < options.random_rows;
  });
}

/// The leading principal submatrix of that order.
std::unique_ptr<Space<string_words>> cut_off(const Space<string_words>& space, std::int64_t rows) {
  if (rows > space.size()) {
    throw InputError(
        fmt::format("--first-rows: the space has {} determinants, fewer than {}", space.size(), rows));
  }
  return select_rows(space, [rows](const auto&, std::int64_t row) { return row < rows; });
}

/// The functions of a job, or those of its determinants that are asked for.
std::unique_ptr<Basis> make_functions(const JobOptions& options, BenchJob& job) {
  const BasisDefinition definition = definition_of(job.job);
  require_room(definition, memory_limit(job.config), job.config.count);
  if (job.job.csf) {
    auto space = std::make_unique<ConfigurationSpace<string_words>>(with_words<string_words>(*job.job.csf));
    job.configurations = space.get();
    return make_basis(definition, std::move(space));
  }
  auto space = make_space(with_words<string_words>(job.job.selection));
  if (options.random_rows < 1.0) space = thin_out(*space, options);
  if (options.first_rows > 0) space = cut_off(*space, options.first_rows);
  job.space = space.get();
  return make_basis(definition, std::move(space));
}

}  // namespace

BenchJob load_job(const JobOptions& options) {
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
  auto basis = make_functions(options, result);
  result.space_seconds = std::exchange(stopwatch, {}).seconds();
  result.problem = std::make_unique<Problem>(std::move(basis), result.config.threshold);
  result.rows = result.problem->basis->make_rows(*result.problem->tables);
  result.source_seconds = std::exchange(stopwatch, {}).seconds();

  result.name = fmt::format("{}, {} {}", std::filesystem::path(options.input_file).stem().string(),
                            result.rows->num_rows(), csf ? "CSFs" : "determinants");
  for (const std::string& setting : options.settings) result.name += ", " + setting;
  if (options.random_rows < 1.0) result.name += fmt::format(", random rows {}", options.random_rows);
  if (options.first_rows > 0) result.name += ", first rows";
  return result;
}

}  // namespace cisolve::bench

// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <ostream>

#include "build_info.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/check.hpp"
#include "tasks/ci/set_up.hpp"
#include "tasks/run/progress_line.hpp"

namespace cisolve {
namespace {

/// Takes rows and keeps their number of elements.
class CountingSink final : public RowSink {
public:
  void row(const MatrixRow& row) override { nonzeros += std::ssize(row.values); }
  std::int64_t nonzeros = 0;
};

/// Seconds that the filling pass will take, from a sample of rows spread over the matrix.
double estimate_build(const RowSource& rows, std::int64_t nonzeros) {
  constexpr std::int64_t chunk = 64;
  constexpr std::int64_t chunks = 64;
  const std::int64_t n = rows.num_rows();
  const Stopwatch stopwatch;
  std::atomic<std::int64_t> sampled = 0;
  parallel_for(chunks, 1, [&](std::int64_t c) {
    CountingSink sink;
    const std::int64_t first = n * c / chunks;
    rows.fill({first, std::min(first + chunk, n * (c + 1) / chunks)}, sink);
    sampled += sink.nonzeros;
  });
  return sampled == 0
             ? 0.0
             : stopwatch.seconds() * static_cast<double>(nonzeros) / static_cast<double>(sampled.load());
}

/// Seconds that one pass over the matrix takes at the rate the memory of this machine streams; the
/// string-driven product is tried.
double estimate_product(const CiProblem& problem) {
  if (problem.direct) {
    const std::int64_t n = problem.direct->size();
    const std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    std::vector<double> y(x.size());
    DirectWorkspace workspace;
    problem.direct->multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);  // touches the memory
    const Stopwatch stopwatch;
    problem.direct->multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);
    return stopwatch.seconds();
  }
  constexpr std::size_t elements = std::size_t{1} << 24;
  std::vector<double> stream(elements, 1.0);
  double sum = 0.0;
  const Stopwatch stopwatch;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < elements; ++i) sum += stream[i];
  const double rate = 8.0 * sum / stopwatch.seconds();  // every element is 1
  return static_cast<double>(problem.plan.matrix_bytes) / rate;
}

/// Where nothing would be stored, what the formats would take for comparison; not where counting the rows
/// would take longer than a plan should.
void compare_with_formats(const CiConfig& config, CiProblem& problem) {
  constexpr std::int64_t most_nonzeros = 1'000'000'000;
  CiPlan& plan = problem.plan;
  if (plan.sizes.nonzeros > most_nonzeros) return;
  const std::unique_ptr<RowSource> rows = problem.basis->make_rows(*problem.tables);
  plan.row_lengths = count_rows(*rows);
  plan.sizes =
      storage_sizes(plan.row_lengths, config.ell_width > 0 ? std::optional(config.ell_width) : std::nullopt);
  plan.format_options.ell_width = plan.sizes.ell_width;
  plan.format_options.coded = sample_coded(*rows);
}

std::string duration(double seconds) {
  if (seconds < 1.0) return "under a second";
  if (seconds < 120.0) return fmt::format("about {:.0f} s", seconds);
  return seconds < 7200.0 ? fmt::format("about {:.0f} min", seconds / 60.0)
                          : fmt::format("about {:.1f} h", seconds / 3600.0);
}

}  // namespace

namespace {

void print_plan(const CiConfig& config, const CiProblem& problem, std::ostream& report) {
  const CiPlan& plan = problem.plan;
  const StorageSizes& sizes = plan.sizes;
  const auto line = [&](std::string_view what, const std::string& value) {
    report << fmt::format("  {:<38}{}\n", what, value);
  };
  const std::string about = plan.is_estimate ? "about " : "";
  report << (plan.is_estimate ? "\nPlan, estimated from a sample of the rows\n" : "\nPlan\n");
  line("Rows", format_count(problem.basis->size()));
  line("Nonzeros", about + format_count(sizes.nonzeros));
  const bool counted = !plan.row_lengths.empty();
  if (counted)
    line(plan.is_estimate ? "Longest row of the sample" : "Longest row", format_count(sizes.longest_row));
  for (const StorageFormat& format : storage_formats()) {
    if (!format.selectable || !counted) continue;
    std::string width;
    if (format.name == "hybrid") {
      const auto& columns = plan.format_options.reference_columns;
      width = columns ? fmt::format(", ELL part of {} columns", format_count(*columns))
                      : fmt::format(", ELL width {}", sizes.ell_width);
    }
    line(fmt::format("Memory as {}{}", format.name, width),
         about + format_bytes(bytes_in_format(format, *problem.job, plan)));
  }
  if (counted) line("Different values, in a sample", format_count(plan.format_options.coded.num_values));
  line("Storage chosen", std::string(plan.is_direct() ? direct_storage : plan.format->name));
  if (plan.is_direct()) {
    if (!counted) line("Memory as csr", format_bytes(sizes.csr_bytes));
    line("String tables and work vectors", format_bytes(plan.matrix_bytes));
  }
  line("Device", plan.device);
  line("Solver vectors",
       plan.subspace > 0 ? fmt::format("{}, a subspace of {}", format_bytes(plan.vector_bytes), plan.subspace)
                         : format_bytes(plan.vector_bytes));
  line("Host memory needed",
       fmt::format("{}{} of {}", about, format_bytes(plan.host_bytes), format_bytes(memory_limit(config))));
  if (plan.on_cuda) line("Device memory needed", about + format_bytes(plan.device_bytes));
  const double build = plan.is_direct() ? 0.0 : estimate_build(*problem.rows, sizes.nonzeros);
  line(plan.is_direct() ? "Building the tables" : "Building the matrix",
       duration(problem.count_seconds + build));
  if (!plan.on_cuda) line("One product with the matrix", duration(estimate_product(problem)));
}

}  // namespace

std::int64_t print_plans(const CiConfig& config, std::ostream& report, CiResult& result) {
  const std::vector<CiJob> jobs = set_up_jobs(config, RunControl{}, report, result);
  // Sectors are solved one after another, so each has the memory to itself.
  int empty = 0;
  std::int64_t file_bytes = 0;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs.size() > 1) {
      print_sector_heading(report, static_cast<int>(k) + 1, static_cast<int>(jobs.size()),
                           sector_name(jobs[k]));
    }
    CiResult::Sector sector;
    try {
      CiProblem problem = set_up(config, jobs[k], RunControl{}, report, result, sector, {}, Counting::quick);
      if (problem.plan.is_direct()) compare_with_formats(config, problem);
      print_plan(config, problem, report);
      constexpr std::int64_t strings = 16;  // alpha and beta
      file_bytes +=
          problem.basis->size() * (strings + (config.write_vectors ? 8 * std::int64_t{config.count} : 0));
    } catch (const EmptySpaceError& nothing) {
      if (jobs.size() > 1) print_no_states(report, sector.space);
      if (++empty == std::ssize(jobs)) throw;
      warn(result, nothing.what());
    }
  }
  return file_bytes;
}

void check_ci(const CiConfig& config, std::ostream& report) {
  if (config.threads > 0) omp_set_num_threads(config.threads);
  require_files(config);
  CiResult result;
  print_header(report, build_info::version, "", expected_device(config), config.title);
  print_plans(config, report, result);
  print_warnings(report, result.warnings);
  report << "\nThe job fits; nothing was run.\n";
}

}  // namespace cisolve

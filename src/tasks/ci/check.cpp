// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <ostream>
#include <variant>

#include "build_info.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/ci/check.hpp"
#include "tasks/ci/densities.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/orbitals/optimise.hpp"
#include "tasks/run/progress_line.hpp"
#include "tasks/selected/growth_plan.hpp"

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

/// Seconds that one pass over a stored matrix takes at the rate the memory of this machine streams.
double estimate_product(const StoredPlan& plan) {
  constexpr std::size_t elements = std::size_t{1} << 24;
  std::vector<double> stream(elements, 1.0);
  double sum = 0.0;
  const Stopwatch stopwatch;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < elements; ++i) sum += stream[i];
  const double rate = 8.0 * sum / stopwatch.seconds();  // every element is 1
  return static_cast<double>(plan.placement.matrix_bytes) / rate;
}

int processes_of(const Placement& placement) {
  return placement.processes != nullptr ? placement.processes->size() : 1;
}

/// Seconds of a product without a matrix: it is tried, or where that would take longer than a plan should, or several
/// processes share it, foretold.
double estimate_product(const DirectPlan& plan) {
  constexpr double most_seconds = 1.0;
  constexpr std::int64_t most_rows = 10'000'000;
  constexpr double cycles_per_second = 3e9;
  constexpr double cycles_of_row =
      200.0;  // into the order of blocks and out of it: most of it waits for memory
  const std::int64_t n = plan.product->size();
  const double cycles = plan.product->expected_cycles() + cycles_of_row * static_cast<double>(n);
  const int processes = processes_of(plan.placement);
  const double foretold = cycles / (cycles_per_second * omp_get_max_threads() * processes);
  if (processes > 1 || foretold > most_seconds || n > most_rows) return foretold;
  const std::vector<double> x(n, 1.0);
  std::vector<double> y(x.size());
  plan.product->use_diagonal(x);  // values are of no account
  DirectWorkspace workspace;
  plan.product->multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);  // touches the memory
  const Stopwatch stopwatch;
  plan.product->multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);
  return stopwatch.seconds();
}

/// What the formats would take where nothing is stored, for comparison; none where counting the rows would take longer
/// than a plan should.
std::optional<StoredPlan> compare_with_formats(const CiConfig& config, const Problem& problem,
                                               const DirectPlan& plan) {
  constexpr std::int64_t most_nonzeros = 1'000'000'000;
  if (plan.sizes.nonzeros > most_nonzeros) return std::nullopt;
  StoredPlan stored;
  stored.rows = problem.basis->make_rows(*problem.tables);
  stored.row_lengths = count_rows(*stored.rows);
  stored.sizes = storage_sizes(stored.row_lengths,
                               config.ell_width > 0 ? std::optional(config.ell_width) : std::nullopt);
  stored.format_options.ell_width = stored.sizes.ell_width;
  stored.format_options.coded = sample_coded(*stored.rows);
  return stored;
}

std::string duration(double seconds) {
  if (seconds < 1.0) return "under a second";
  if (seconds < 120.0) return fmt::format("about {:.0f} s", seconds);
  return seconds < 7200.0 ? fmt::format("about {:.0f} min", seconds / 60.0)
                          : fmt::format("about {:.1f} h", seconds / 3600.0);
}

/// Prints a plan, a line for each figure.
class PlanPrinter {
public:
  /// @param verbose  what all formats would take, not only the one chosen
  PlanPrinter(const CiConfig& config, const SectorProblem& sector, bool verbose, std::ostream& report)
      : config_(config), sector_(sector), verbose_(verbose), report_(report),
        kind_(sector.problem.basis->kind()) {}

  void operator()() {
    std::visit([this](const auto& plan) { print(plan); }, sector_.plan);
  }

private:
  void line(std::string_view what, const std::string& value) {
    report_ << fmt::format("  {:<38}{}\n", what, value);
  }

  void print(const StoredPlan& plan) {
    about_ = plan.is_estimate ? "about " : "";
    report_ << (plan.is_estimate ? "\nPlan, estimated from a sample of the rows\n" : "\nPlan\n");
    line("Rows", format_count(sector_.problem.basis->size()));
    line("Nonzeros", about_ + format_count(plan.sizes.nonzeros));
    if (verbose_) print_formats(plan);
    line("Storage chosen", std::string(plan.format->name));
    print_processes(plan.placement);
    if (!verbose_) line("Memory of the matrix", about_ + format_bytes(plan.placement.matrix_bytes));
    line("Device", plan.placement.device);
    line("Solver vectors", format_bytes(plan.placement.vector_bytes));
    print_memory(plan.placement);
    const double building = estimate_build(*plan.rows, plan.sizes.nonzeros) / processes_of(plan.placement);
    line("Building the matrix", duration(sector_.seconds + building));
    if (!plan.placement.on_device) line("One product with the matrix", duration(estimate_product(plan)));
  }

  void print(const DirectPlan& plan) {
    const auto stored = verbose_ ? compare_with_formats(config_, sector_.problem, plan) : std::nullopt;
    report_ << "\nPlan\n";
    line("Rows", format_count(sector_.problem.basis->size()));
    line("Nonzeros", format_count(stored ? stored->sizes.nonzeros : plan.sizes.nonzeros));
    if (stored) print_formats(*stored);
    line("Storage chosen", std::string(direct_storage));
    if (!stored) line("Memory as csr", format_bytes(plan.sizes.csr_bytes));
    print_processes(plan.placement);
    line("String tables and work vectors", format_bytes(plan.placement.matrix_bytes));
    line("Device", plan.placement.device);
    line("Solver vectors",
         fmt::format("{}, a subspace of {}", format_bytes(plan.placement.vector_bytes), plan.subspace));
    print_memory(plan.placement);
    line("Building the tables", duration(sector_.seconds));
    // A product is not tried where this machine has no room for it.
    if (!plan.placement.on_device && plan.placement.host_bytes <= available_memory())
      line("One product with the matrix", duration(estimate_product(plan)));
  }

  void print_formats(const StoredPlan& plan) {
    line(plan.is_estimate ? "Longest row of the sample" : "Longest row",
         format_count(plan.sizes.longest_row));
    for (const StorageFormat& format : storage_formats()) {
      if (!format.selectable) continue;
      std::string width;
      if (format.name == "hybrid") {
        const auto& columns = plan.format_options.reference_columns;
        width = columns ? fmt::format(", ELL part of {} columns", format_count(*columns))
                        : fmt::format(", ELL width {}", plan.sizes.ell_width);
      }
      line(fmt::format("Memory as {}{}", format.name, width),
           about_ + format_bytes(bytes_in_format(format, plan, kind_)));
    }
    line("Different values, in a sample", format_count(plan.format_options.coded.num_values));
  }

  void print_processes(const Placement& placement) {
    if (const int processes = processes_of(placement); processes > 1)
      line("Processes", fmt::format("{}; of each:", processes));
  }

  void print_memory(const Placement& placement) {
    line("Host memory needed", fmt::format("{}{} of {}", about_, format_bytes(placement.host_bytes),
                                           format_bytes(placement.memory)));
    if (!placement.on_device) return;
    const bool on_several = placement.ordinals.size() > 1;
    line("Device memory needed",
         about_ + format_bytes(placement.device_bytes) + (on_several ? " on each" : ""));
    if (!placement.why_ranks.empty()) line("So many devices", placement.why_ranks);
  }

  const CiConfig& config_;
  const SectorProblem& sector_;
  bool verbose_;
  std::ostream& report_;
  FunctionKind kind_;
  std::string about_;
};

}  // namespace

std::int64_t print_plans(const RunContext& context, const OtherMachine& machine) {
  const CiConfig& config = context.config;
  std::ostream& report = context.report;
  const std::vector<CiJob> jobs = prepare_sectors(context);
  require_room_for_densities(config, jobs);
  require_room_for_optimisation(config, jobs);
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
      if (config.selection) {
        file_bytes += print_growth_plan(context, jobs[k], resources_of(config, machine));
        continue;
      }
      const SectorProblem planned = plan_sector(context, jobs[k], make_sector_basis(context, jobs[k], sector),
                                                resources_of(config, machine), true);
      PlanPrinter(config, planned, context.control.verbose, report)();
      constexpr std::int64_t strings = 16;  // alpha and beta
      file_bytes += planned.problem.basis->size() *
                    (strings + (config.write_vectors ? 8 * std::int64_t{config.count} : 0));
    } catch (const EmptySpaceError& nothing) {
      if (jobs.size() > 1) print_no_states(report, sector.space);
      if (++empty == std::ssize(jobs)) throw;
      context.warn(nothing.what());
    }
  }
  if (const std::int64_t bytes = optimisation_bytes(config, jobs); bytes > 0)
    report << fmt::format("\n  {:<38}{}\n", "Optimising the orbitals", format_bytes(bytes));
  if (config.orbitals && config.orbitals->optimise == OrbitalsConfig::For::natural) {
    const int cycles = config.orbitals->cycles;
    const std::string_view plural = cycles == 1 ? "" : "s";
    const std::string from = config.selection
                                 ? fmt::format("from {} list{} of {} determinants", cycles, plural,
                                               format_count(config.orbitals->determinants))
                                 : fmt::format("from {} CI{} as above", cycles, plural);
    report << fmt::format("\n  {:<38}{}; {}\n", "Natural orbitals", from,
                          config.orbitals->natural_threshold > 0.0 ? "the last CI may leave out some"
                                                                   : "the last CI has as many");
  }
  if (const std::int64_t bytes = density_bytes(config, jobs); bytes > 0) {
    report << fmt::format("\n  {:<38}{}\n", "Density matrices of all roots", format_bytes(bytes));
    file_bytes += bytes;
  }
  if (const std::int64_t bytes = density_work_bytes(config, jobs);
      config.density != DensityOutput::none && bytes > 0)
    report << fmt::format("  {:<38}{}\n", "Sums for density matrices", format_bytes(bytes));
  return file_bytes;
}

void check_ci(const CiConfig& config, std::ostream& report, const OtherMachine& machine,
              const RunControl& control) {
  const ThreadScope threads(config.threads);
  require_files(config);
  CiResult result;
  print_header(report, build_info::version, "", expected_device(config, machine), config.title);
  print_plans({config, control, report, result}, machine);
  print_warnings(report, result.warnings);
  report << "\nThe job fits; nothing was run.\n";
}

}  // namespace cisolve

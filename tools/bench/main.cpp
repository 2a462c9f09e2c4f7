// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "build_benchmark.hpp"
#include "cisolve/tasks/input.hpp"
#include "job.hpp"
#include "random_matrix.hpp"
#include "report.hpp"
#include "solve_benchmark.hpp"
#include "spmv_benchmark.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/core/device_info.hpp"
#endif

namespace cisolve::bench {
namespace {

struct SpmvCommand {
  JobOptions job;
  std::vector<double> random_matrix;  // rows, nonzeros per row
  double clustering = RandomMatrixShape{}.clustering;
  std::uint64_t seed = RandomMatrixShape{}.seed;
  std::string device = "auto";
  std::int32_t ell_width = -1;  // automatic
  int threads = 0;
  std::string json_file;
  SpmvOptions options;
};

void add_job_options(CLI::App& app, JobOptions& job, bool required) {
  auto* file = app.add_option("job", job.input_file, "input file of cisolve");
  if (required) file->required();
  app.add_option("--set", job.settings, "KEY=VALUE: override an input key");
  app.add_option("--random-rows", job.random_rows, "share of the determinants above level 2 to keep, at random")
      ->check(CLI::Range(0.0, 1.0));
}

struct JobCommand {
  JobOptions job;
  int repeats = 3;
  std::string json_file;
};

CLI::App* add_job_command(CLI::App& app, const char* name, const char* description, JobCommand& command) {
  CLI::App* sub = app.add_subcommand(name, description);
  add_job_options(*sub, command.job, true);
  sub->add_option("--repeats", command.repeats, "timed runs")->check(CLI::Range(1, 1000))->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  return sub;
}

CLI::App* add_spmv(CLI::App& app, SpmvCommand& command) {
  CLI::App* spmv = app.add_subcommand("spmv", "time y = A x in every format, beside cuSPARSE");
  add_job_options(*spmv, command.job, false);
  spmv->add_option("--random-matrix", command.random_matrix,
                   "ROWS,NONZEROS_PER_ROW: a matrix without chemistry, instead of a job's")
      ->delimiter(',')
      ->expected(2);
  spmv->add_option("--clustering", command.clustering, "share of nonzeros close to the one before, in [0, 1)")
      ->capture_default_str();
  spmv->add_option("--seed", command.seed, "of the random matrix")->capture_default_str();
  spmv->add_option("--device", command.device, "where to run")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  spmv->add_option("--columns", command.options.columns, "vectors per product, each timed")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  spmv->add_option("--ell-width", command.ell_width, "of the hybrid format; default: automatic")
      ->check(CLI::NonNegativeNumber);
  spmv->add_option("--repeats", command.options.repeats, "timed runs of each product")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  spmv->add_flag("--variants", command.options.all_variants, "every shape of the device kernels");
  spmv->add_option("--threads", command.threads, "host threads; 0: all")->capture_default_str();
  spmv->add_option("--json", command.json_file, "write everything to this file");
  return spmv;
}

bool use_device(const std::string& wanted) {
#ifdef CISOLVE_HAVE_CUDA
  const bool present = !cuda::visible_devices().empty();
#else
  const bool present = false;
#endif
  if (wanted == "cuda" && !present) {
    throw InputError("--device cuda: there is no CUDA device, or no CUDA in this build");
  }
  return present && wanted != "cpu";
}

std::vector<SpmvMeasurement> run_products(const CsrMatrix& a, const SpmvOptions& options, bool on_device) {
#ifdef CISOLVE_HAVE_CUDA
  if (on_device) return run_device_spmv(a, options);
#endif
  static_cast<void>(on_device);
  return run_host_spmv(a, options);
}

std::pair<CsrMatrix, std::string> make_matrix(const SpmvCommand& command) {
  if (!command.job.input_file.empty()) {
    const BenchJob job = load_job(command.job);
    return {build_csr(*job.rows), job.name};
  }
  const RandomMatrixShape shape{static_cast<std::int64_t>(command.random_matrix[0]), command.random_matrix[1],
                                command.clustering, command.seed};
  return {build_csr(RandomMatrix(shape)),
          fmt::format("random, {} rows, {} nonzeros per row, clustering {}", shape.num_rows, shape.mean_row_length,
                      shape.clustering)};
}

int run_build_command(const JobCommand& command) {
  const BenchJob job = load_job(command.job);
  nlohmann::json report = describe_run("build");
  report["job"] = job.name;
  report["results"] = run_build(job, command.repeats);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

int run_solve_command(const JobCommand& command) {
  std::vector<InputOverride> overrides;
  for (const std::string& setting : command.job.settings) overrides.push_back(parse_override(setting));
  nlohmann::json report = describe_run("solve");
  report["job"] = command.job.input_file;
  report["settings"] = command.job.settings;
  report["results"] = run_solve(read_ci_config(read_input(command.job.input_file, overrides)), command.repeats);
  if (!command.json_file.empty()) write_json(report, command.json_file);
  return 0;
}

/// @return exit status: 0 if every product of cisolve was right
int run_spmv(SpmvCommand& command) {
  if (command.threads > 0) omp_set_num_threads(command.threads);
  if (command.ell_width >= 0) command.options.ell_width = command.ell_width;
  const bool on_device = use_device(command.device);
  if (command.job.input_file.empty() == command.random_matrix.empty()) {
    throw InputError("spmv needs either a job or --random-matrix");
  }
  const auto start = std::chrono::steady_clock::now();
  const auto [a, name] = make_matrix(command);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} nonzeros, {:.3f} GiB as CSR, built in {:.2f} s\n", name, a.num_nonzeros(),
             static_cast<double>(real_bytes(a)) / (1 << 30), seconds.count());

  const auto results = run_products(a, command.options, on_device);
  print(results);
  if (!command.json_file.empty()) {
    nlohmann::json report = describe_run("spmv");
    report["matrix"] = describe_matrix(a, name);
    report["matrix"]["build_seconds"] = seconds.count();
    report["repeats"] = command.options.repeats;
    report["results"] = describe(results);
    write_json(report, command.json_file);
  }
  const bool right = std::all_of(results.begin(), results.end(), [](const SpmvMeasurement& result) {
    return result.correct || result.name.starts_with("cuSPARSE");
  });
  return right ? 0 : 4;
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) {
  using namespace cisolve;
  CLI::App app("Times parts of a cisolve calculation beside baselines; answers are checked first.");
  app.require_subcommand(1);
  bench::SpmvCommand spmv;
  CLI::App* spmv_app = bench::add_spmv(app, spmv);
  bench::JobCommand build;
  bench::JobCommand solve;
  CLI::App* build_app = bench::add_job_command(app, "build", "time the building of a job's matrix", build);
  CLI::App* solve_app = bench::add_job_command(app, "solve", "time a whole job", solve);
  CLI11_PARSE(app, argc, argv);
  try {
    if (*spmv_app) return bench::run_spmv(spmv);
    if (*build_app) return bench::run_build_command(build);
    if (*solve_app) return bench::run_solve_command(solve);
  } catch (const InputError& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 1;
  } catch (const ResourceError& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cisolve-bench: {}\n", error.what());
    return 4;
  }
  return 0;
}

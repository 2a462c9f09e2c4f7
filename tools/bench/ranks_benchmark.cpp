// SPDX-License-Identifier: MIT
#include "ranks_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/plan.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/stopwatch.hpp"
#include "matrix_options.hpp"
#include "problem/planners.hpp"
#include "ranks_plan.hpp"
#include "ranks_report.hpp"
#include "report.hpp"

namespace cisolve::bench {

CLI::App* add_ranks(CLI::App& app, RanksCommand& command) {
  CLI::App* sub = app.add_subcommand("ranks", "time y = H x on several devices beside one");
  RanksOptions& options = command.options;
  add_job_options(*sub, command.job, true);
  sub->add_option("--format", command.format, "direct, or a format that H is stored in")
      ->capture_default_str();
  sub->add_option("--gpus", options.gpus, "numbers of ranks, a device each; default: 1, 2, 4, ... up to all")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  sub->add_option("--exchange", options.exchanges, "ways between the devices")
      ->delimiter(',')
      ->check(CLI::IsMember({"auto", "nccl", "peer", "staged"}))
      ->capture_default_str();
  sub->add_flag("!--no-overlap", options.overlap, "leave out products whose transfers hide behind sums");
  sub->add_option("--vectors,--columns", options.columns, "vectors per product")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  sub->add_option("--strips", options.strip_mib, "MiB; x is gathered in strips of columns, at most so large")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  sub->add_option("--parity", command.parity, "spin parity; default: of the job's multiplicity")
      ->transform(CLI::CheckedTransformer(std::map<std::string, SpinParity>{
          {"none", SpinParity::none}, {"even", SpinParity::even}, {"odd", SpinParity::odd}}));
  sub->add_option("--repeats", options.repeats, "timed runs of everything")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--json", command.json_file, "write everything to this file");
  RanksPlanOptions& plan = command.plan;
  CLI::Option* plan_only =
      sub->add_flag("--plan-only", command.plan_only, "count what many ranks would do; needs no device");
  sub->add_option("--ranks", plan.ranks, "numbers of them")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000))
      ->needs(plan_only);
  sub->add_option("--gpus-per-node", plan.gpus_per_node, "ranks that share a node")
      ->check(CLI::Range(1, 1000))
      ->needs(plan_only)
      ->capture_default_str();
  sub->add_option("--profile", plan.profile, "card that is planned for")
      ->needs(plan_only)
      ->capture_default_str();
  plan_only->needs("--ranks");
  return sub;
}

std::string describe_parity(SpinParity parity) {
  return parity == SpinParity::none   ? "no spin parity"
         : parity == SpinParity::even ? "even spin parity"
                                      : "odd spin parity";
}

double RanksMeasurement::imbalance() const {
  const auto& times = in_turns_stages;
  if (times.empty()) return 1.0;
  const double all = std::accumulate(times.begin(), times.end(), 0.0,
                                     [](double sum, const StageTimes& rank) { return sum + rank.sums; });
  const double most = std::ranges::max_element(times, {}, &StageTimes::sums)->sums;
  return most * static_cast<double>(times.size()) / all;
}

#ifndef CISOLVE_HAVE_CUDA
int devices_for_ranks() {
  throw InputError("ranks: this build has no CUDA; without a device there is --plan-only");
}
int run_ranks_command(const RanksCommand& command) {
  return command.plan_only ? run_ranks_plan(command) : devices_for_ranks();
}
#else

namespace {

std::vector<int> numbers_of_ranks(const RanksOptions& options, int devices) {
  std::vector<int> numbers = options.gpus;
  for (int number = 1; options.gpus.empty() && number <= devices; number *= 2) numbers.push_back(number);
  return numbers;
}

/// The ways to try between so many ranks: one rank needs none, and those that share a device copy.
std::vector<std::string> exchanges_for(const RanksOptions& options, int ranks, int devices) {
  if (ranks == 1) return {"peer"};
  if (ranks <= devices) return options.exchanges;
  fmt::print("{} ranks are all on the first device, by peer copies: there {} {}\n", ranks,
             devices == 1 ? "is" : "are", devices);
  return {"peer"};
}

std::vector<double> random_columns(std::int64_t rows, int columns) {
  std::vector<double> x(static_cast<std::size_t>(rows * columns));
  std::mt19937_64 engine(2026);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (double& value : x) value = uniform(engine);
  return x;
}

/// Products of one device and of ranks, as they come.
template <class One, class Ranks>
std::vector<RanksMeasurement> measure_all(const RanksOptions& options, const One& one,
                                          const Ranks& by_ranks) {
  const int devices = devices_for_ranks();
  std::vector<RanksMeasurement> results{one()};
  print_ranks_head();
  print_ranks(results.front(), results.front());
  for (const int ranks : numbers_of_ranks(options, devices)) {
    for (const std::string& exchange : exchanges_for(options, ranks, devices)) {
      results.push_back(by_ranks(ranks, exchange));
      print_ranks(results.back(), results.front());
    }
  }
  print_exchanges(results);
  return results;
}

void print_heading(const BenchJob& job, const std::string& of, const RanksOptions& options) {
  fmt::print("{}, {}; vectors per product: {}; medians of {}, of the slowest rank\n", job.name, of,
             options.columns, options.repeats);
}

void write_ranks(const RanksCommand& command, const BenchJob& job, nlohmann::json more,
                 const std::vector<RanksMeasurement>& results) {
  if (command.json_file.empty()) return;
  nlohmann::json report = describe_run("ranks");
  report["job"] = job.name;
  report["format"] = command.format;
  report["rows"] = job.rows->num_rows();
  report["vectors"] = command.options.columns;
  report["devices"] = devices_for_ranks();
  report["repeats"] = command.options.repeats;
  report.update(more);
  report["results"] = describe_ranks(results);
  write_json(report, command.json_file);
}

void run_direct(const RanksCommand& command, const BenchJob& job) {
  const RanksOptions& options = command.options;
  if (direct_obstacle(*job.problem) != DirectObstacle::none)
    throw InputError(
        "ranks: it needs a space made of blocks of strings and hamiltonian.threshold = 0, or a --format");
  const Basis& basis = *job.problem->basis;
  const SpinParity parity = command.parity.value_or(wanted_parity(basis));
  const Stopwatch stopwatch;
  const JobProduct direct(*job.problem, parity);
  const double host_seconds = stopwatch.seconds();
  RanksProblem problem{
      *basis.as_product(), direct, options.columns, random_columns(basis.size(), options.columns), {}};
  print_heading(job, describe_parity(parity), options);
  const auto results = measure_all(
      options, [&] { return measure_one_device(problem, options); },
      [&](int ranks, const std::string& exchange) {
        return measure_ranks(problem, ranks, exchange, options);
      });
  print_stages(results);
  write_ranks(
      command, job,
      {{"parity", describe_parity(parity)}, {"strip_mib", options.strip_mib}, {"host_seconds", host_seconds}},
      results);
}

void run_stored(const RanksCommand& command, const BenchJob& job) {
  const RanksOptions& options = command.options;
  const StorageFormat* format = find_storage_format(command.format);
  if (format == nullptr) throw InputError("--format: there is no format \"" + command.format + "\"");
  const Stopwatch stopwatch;
  const std::vector<std::int64_t> lengths = count_rows(*job.rows);
  const double host_seconds = stopwatch.seconds();
  const std::int64_t nonzeros = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const FormatOptions format_options;
  MatrixRanksProblem problem{{*job.rows, lengths, *format, format_options},
                             random_columns(job.rows->num_rows(), options.columns),
                             {}};
  print_heading(job, fmt::format("{} nonzeros in {} rows, {}", nonzeros, lengths.size(), command.format),
                options);
  const auto results = measure_all(
      options, [&] { return measure_one_matrix(problem, options); },
      [&](int ranks, const std::string& exchange) {
        return measure_matrix_ranks(problem, ranks, exchange, options);
      });
  write_ranks(command, job, {{"nonzeros", nonzeros}, {"host_seconds", host_seconds}}, results);
}

}  // namespace

int run_ranks_command(const RanksCommand& command) {
  if (command.plan_only) return run_ranks_plan(command);
  devices_for_ranks();
  const BenchJob job = load_job(command.job);
  command.format == "direct" ? run_direct(command, job) : run_stored(command, job);
  return 0;
}
#endif

}  // namespace cisolve::bench

// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <tuple>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "core/instruction_set.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/core/device_info.hpp"
#endif

namespace cisolve::bench {
namespace {

double terabytes_per_second(const SpmvMeasurement& result) {
  return static_cast<double>(result.bytes) / (result.milliseconds.median * 1e9);
}

nlohmann::json describe_device() {
#ifdef CISOLVE_HAVE_CUDA
  const auto devices = cuda::visible_devices();
  if (!devices.empty()) {
    return {{"name", devices[0].name},
            {"compute_capability", fmt::format("{}.{}", devices[0].compute_major, devices[0].compute_minor)},
            {"multiprocessors", devices[0].num_multiprocessors},
            {"memory_bytes", devices[0].total_memory},
            {"driver_cuda_version", cuda::driver_version()},
            {"runtime_cuda_version", cuda::runtime_version()}};
  }
#endif
  return nullptr;
}

}  // namespace

nlohmann::json describe_run(const std::string& command) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {{"program", "cisolve-bench"},
          {"command", command},
          {"version", build_info::version},
          {"git_commit", CISOLVE_GIT_COMMIT},
          {"compiler", build_info::compiler},
          {"build_type", build_info::build_type},
          {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"threads", omp_get_max_threads()},
          {"instructions", name_of(instruction_set())},
          {"device", describe_device()}};
}

nlohmann::json describe_matrix(const CsrMatrix& a, const std::string& name) {
  return {
      {"name", name}, {"rows", a.num_rows}, {"nonzeros", a.num_nonzeros()}, {"csr_bytes", array_bytes(a)}};
}

nlohmann::json describe(const std::vector<SpmvMeasurement>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (const SpmvMeasurement& result : results) {
    nlohmann::json entry = {{"name", result.name},       {"format", result.format},  {"place", result.place},
                            {"columns", result.columns}, {"batch", result.batch},    {"bytes", result.bytes},
                            {"correct", result.correct}, {"failure", result.failure}};
    if (result.correct) {
      const Spread& ms = result.milliseconds;
      entry["relative_error"] = result.relative_error;
      entry["milliseconds"] = {{"median", ms.median},
                               {"minimum", ms.minimum},
                               {"maximum", ms.maximum},
                               {"lower_quartile", ms.lower_quartile},
                               {"upper_quartile", ms.upper_quartile}};
      entry["milliseconds_per_vector"] = ms.median / result.columns;
      entry["terabytes_per_second"] = terabytes_per_second(result);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void print(std::vector<SpmvMeasurement> results) {
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.columns, a.batch, !a.correct, a.milliseconds.median) <
           std::tuple(b.columns, b.batch, !b.correct, b.milliseconds.median);
  });
  fmt::print("{:<34} {:<5} {:>2} {:>10} {:>19} {:>8} {:>7} {:>8}\n", "product", "place", "k", "median ms",
             "min .. max ms", "GiB", "TB/s", "error");
  const bool several = std::ranges::any_of(results, [](const auto& result) { return result.batch > 1; });
  int batch = 0;
  for (const SpmvMeasurement& result : results) {
    if (several && result.batch != batch) fmt::print("batch {}, timed in turns:\n", result.batch);
    batch = result.batch;
    fmt::print("{:<34} {:<5} {:>2} ", result.name, result.place, result.columns);
    if (!result.correct) {
      fmt::print("{} (error {:.1e})\n", result.failure, result.relative_error);
      continue;
    }
    const Spread& ms = result.milliseconds;
    fmt::print("{:>10.4f} {:>8.4f} .. {:>7.4f} {:>8.3f} {:>7.3f} {:>8.1e}\n", ms.median, ms.minimum,
               ms.maximum, static_cast<double>(result.bytes) / (1 << 30), terabytes_per_second(result),
               result.relative_error);
  }
}

void write_json(const nlohmann::json& report, const std::string& file) {
  std::ofstream out(file);
  out << report.dump(2) << '\n';
  if (!out.flush()) throw SystemError("cannot write " + file);
}

}  // namespace cisolve::bench

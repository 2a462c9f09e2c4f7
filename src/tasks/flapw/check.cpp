// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "build_info.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/io/atomic_file.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/flapw/plan.hpp"
#include "tasks/flapw/report.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

/// Bytes of the file: vectors and matrices of all points.
std::int64_t file_bytes(const FlapwConfig& config, const FlapwSystem& system) {
  std::int64_t numbers = 0;
  for (int k = 0; k < system.num_points(); ++k) {
    const std::int64_t n = system.num_waves(k);
    if (config.write_vectors) numbers += n * std::min<std::int64_t>(config.roots.value_or(n), n);
    if (config.write_matrices) numbers += n * (n + 1);
  }
  constexpr std::int64_t structure = 64 * 1024;
  return structure + static_cast<std::int64_t>(sizeof(lapw::Complex)) * numbers;
}

void print_algorithms(std::ostream& out, const FlapwConfig& config, const FlapwSystem& system,
                      const FlapwPlan& plan, double rate) {
  const auto outline = system.outline(plan.point);
  out << "  algorithm       flops   at ZGEMM/s       memory\n";
  for (const lapw::Algorithm algorithm :
       {lapw::Algorithm::hsdla, lapw::Algorithm::merged, lapw::Algorithm::split}) {
    if (algorithm == lapw::Algorithm::split && outline->problem.crystal == nullptr) continue;
    const double flops = lapw::generation_flops(outline->problem, algorithm);
    lapw::GenerationOptions options = generation_options(config, system);
    options.algorithm = algorithm;
    const std::int64_t bytes =
        2 * plan.waves * plan.waves * static_cast<std::int64_t>(sizeof(lapw::Complex)) +
        lapw::generation_bytes(outline->problem, options);
    out << fmt::format("  {:8} {:12.3e} {:12.3f} {:>12}{}\n", lapw::name_of(algorithm), flops, flops / rate,
                       format_bytes(bytes), algorithm == system.algorithm() ? "  (chosen)" : "");
  }
}

}  // namespace

void check_flapw(const FlapwConfig& config, std::ostream& report, const OtherMachine& machine,
                 const RunControl& control) {
  const ThreadScope threads(config.threads);
  static_cast<void>(AtomicFile(config.output_file));
  const FlapwSystem system(config);
  FlapwResult result;
  result.head.version = build_info::version;
  result.head.title = config.title;
  system.describe(result);
  const ServedRanks* sharers = sharers_of(control, result.points.size());
  const int processes = sharers != nullptr ? sharers->others() + 1 : 1;
  const FlapwPlan plan = plan_flapw(config, system, processes);
  const auto [devices, warning] = choose_place(config, plan, control, sharers, machine);
  if (!warning.empty()) result.warn(warning);
  const bool is_here = devices.empty() || devices.front().ordinal != Device::not_here;
  const auto engine = make_lapw_engine(is_here ? devices : std::vector<Device>());
  result.device = is_here ? engine->device() : devices.front().name;
  if (!is_here && devices.size() > 1) result.device = fmt::format("{} x {}", devices.size(), result.device);
  result.blas = engine->blas();
  print_flapw_setting(report, result);
  const double rate = engine->gemm_rate(plan.waves);
  report << fmt::format("\nk-points: {}; with most plane waves: {}\n", system.num_points(), plan.point + 1);
  if (processes > 1)
    report::print_field(report, "processes", fmt::format("{}, a k-point each at a time", processes));
  report::print_field(report, "plane waves", format_count(plan.waves));
  report::print_field(report, "rows of A and B", format_count(result.num_rows));
  report::print_field(report, "T_AA positive",
                      fmt::format("{} of {} atoms", system.num_definite_atoms(), result.num_atoms));
  report::print_field(report, "ZGEMM",
                      fmt::format("{:.1f} GFlop/s{}", rate * 1e-9, is_here ? "" : " on this host"));
  print_algorithms(report, config, system, plan, rate);
  report::print_field(report, "solver",
                      config.roots == 0                   ? "none"
                      : uses_davidson(config, plan.waves) ? "Davidson"
                                                          : "direct");
  report::print_field(
      report, "memory",
      fmt::format("{} on the host, or {} on a device{}", format_bytes(plan.memory.on_host),
                  format_bytes(plan.memory.on_device), processes > 1 ? ", of each process" : ""));
  report::print_field(report, "result file",
                      fmt::format("about {}", format_bytes(file_bytes(config, system))));
  print_warnings(report, result.warnings);
  report << "\nThe job fits; nothing was run.\n";
}

}  // namespace cisolve

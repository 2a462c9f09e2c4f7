// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>

#include "build_info.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/report/text.hpp"
#include "tasks/vmc/engine.hpp"
#include "tasks/vmc/file.hpp"
#include "tasks/vmc/report.hpp"

namespace cisolve {
namespace {

/// What numbers of a Jastrow factor stand for, some in a line.
void print_shells(std::ostream& out, const LatticeModel& model) {
  constexpr std::size_t in_line = 8, most = 48;
  const PairShells shells = pair_shells(model);
  const std::size_t all = shells.distances.size(), shown = std::min(all, most);
  for (std::size_t first = 0; first < shown; first += in_line) {
    const std::size_t count = std::min(in_line, shown - first);
    std::string line =
        fmt::format("{:.4g}", fmt::join(std::span(shells.distances).subspan(first, count), ", "));
    if (first + count < all) line += first + count < shown ? "," : fmt::format(", {} more", all - shown);
    report::print_field(out, first == 0 ? "distances of pairs" : "", line);
  }
  report::print_field(out, "Jastrow factors", fmt::format("up to {} numbers", most_jastrow_shells(shells)));
}

}  // namespace

void check_vmc(const VmcConfig& config, std::ostream& report, const OtherMachine& machine) {
  const ThreadScope threads(config.threads);
  VmcResult result;
  result.version = build_info::version;
  result.title = config.title;
  result.device = expected_device(config);
  describe_setting(config, result);
  print_vmc_setting(report, result);
  const VmcMemory memory = require_room(config, machine);
  report << "\nPlan\n";
  print_shells(report, config.lattice.model);
  if (!config.optimise.empty())
    report::print_field(report, "step of optimisation", fmt::format("{:.4g}", config.optimisation.step.step));
  report::print_field(report, "chains", format_count(config.chains));
  report::print_field(report, "steps",
                      format_count((config.sweeps + config.equilibration) * config.sites() * config.chains));
  report::print_field(report, "memory of a chain", format_bytes(memory.of_chain));
  report::print_field(report, "memory in all",
                      fmt::format("{} of {}", format_bytes(memory.all), format_bytes(memory.limit)));
  print_warnings(report, config.warnings);
}

}  // namespace cisolve

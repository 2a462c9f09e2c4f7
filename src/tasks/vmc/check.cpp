// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

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

/// Those that numbers of a Jastrow factor stand for.
std::string distances_of_pairs(const LatticeModel& model) {
  constexpr std::size_t most = 6;
  std::vector<double> distances = pair_shells(model).distances;
  const std::size_t all = distances.size();
  distances.resize(std::min(all, most));
  const std::string text = fmt::format("{:.4g}", fmt::join(distances, ", "));
  return all > most ? fmt::format("{}, {} more", text, all - most) : text;
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
  report::print_field(report, "distances of pairs", distances_of_pairs(config.lattice.model));
  report::print_field(report, "chains", format_count(config.chains));
  report::print_field(report, "steps",
                      format_count((config.sweeps + config.equilibration) * config.sites() * config.chains));
  report::print_field(report, "memory of a chain", format_bytes(memory.of_chain));
  report::print_field(report, "memory in all",
                      fmt::format("{} of {}", format_bytes(memory.all), format_bytes(memory.limit)));
  print_warnings(report, config.warnings);
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "tasks/flapw/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/lapw/eigenstates.hpp"
#include "tasks/run/machine.hpp"

namespace cisolve {

lapw::GenerationOptions generation_options(const FlapwConfig& config, const FlapwSystem& system) {
  return {.algorithm = system.algorithm(),
          .stored = config.stored,
          .block_rows = 0,
          .three_multiplications = config.arithmetic == FlapwConfig::Arithmetic::three_multiplications};
}

bool uses_davidson(const FlapwConfig& config, std::int64_t waves) {
  if (config.solver != FlapwConfig::Solver::automatic) return config.solver == FlapwConfig::Solver::davidson;
  return config.roots && lapw::davidson_pays(waves, *config.roots);
}

FlapwPlan plan_flapw(const FlapwConfig& config, const FlapwSystem& system, int processes) {
  FlapwPlan plan;
  plan.point = system.largest_point();
  plan.waves = system.num_waves(plan.point);
  const auto outline = system.outline(plan.point);
  // Coefficients of a file would be filled, and sent, for each device.
  if (system.crystal() != nullptr || config.synthetic)
    plan.shared_flops = lapw::generation_flops(outline->problem, system.algorithm()) *
                        static_cast<double>(system.num_points()) * config.repeat;
  const std::int64_t roots = std::min<std::int64_t>(config.roots.value_or(plan.waves), plan.waves);
  plan.memory =
      lapw_memory(outline->problem, generation_options(config, system), roots,
                  uses_davidson(config, plan.waves), system.source_bytes(plan.point), config.write_matrices);
  if (processes > 1) {
    // What was made is sent, as a copy, and kept by the first beside its own.
    constexpr auto element = static_cast<std::int64_t>(sizeof(lapw::Complex));
    const std::int64_t made = element * plan.waves * (roots + (config.write_matrices ? 2 * plan.waves : 0));
    plan.memory.on_host += 2 * made;
    plan.memory.host_beside_device += 2 * made;
  }
  return plan;
}

const ServedRanks* sharers_of(const RunControl& control, std::size_t pending) {
  return control.served != nullptr && control.served->others() > 0 && pending > 1 ? control.served : nullptr;
}

FlapwPlace choose_place(const FlapwConfig& config, const FlapwPlan& plan, const RunControl& control,
                        const ServedRanks* sharers, const OtherMachine& machine) {
  MachineKeys keys = {config.device, config.gpus, config.memory};
  if (control.served != nullptr && control.served->others() > 0) {
    if (config.gpus > 1)
      throw InputError(
          fmt::format("run.gpus: {} were asked for, but of several processes with [flapw] each takes one; "
                      "start as many processes as there are GPUs, or one alone",
                      config.gpus));
    keys.gpus = 1;
  }
  require_consistent(keys);
  Resources resources = resources_of(keys, machine);
  if (sharers != nullptr) {
    resources = sharers->resources(resources, config.memory > 0);
    // Of the first it is known what all have free.
    if (resources.devices.size() > 1) resources.devices.resize(1);
  }
  FlapwPlace place{.devices = choose_lapw_devices(resources, plan.memory, plan.waves, plan.shared_flops),
                   .warning = {}};
  if (config.gpus > 1 && place.devices.empty())
    place.warning = fmt::format(
        "run.gpus: {} were asked for, but H and S of {} plane waves need {} of one of them, which none has "
        "free: all is done on the CPU",
        config.gpus, format_count(plan.waves), format_bytes(plan.memory.on_device));
  if (sharers != nullptr && place.devices.empty() && !resources.devices.empty())
    place.warning = fmt::format(
        "run.device: a k-point needs {} on a GPU, and a process has {} for its part: all work on the CPU; "
        "fewer processes, one for each GPU, would use them",
        format_bytes(plan.memory.on_device), format_bytes(resources.devices.front().free_bytes));
  return place;
}

std::vector<lapw::LineRecord> median_lines(const std::vector<std::vector<lapw::LineRecord>>& repetitions) {
  std::vector<lapw::LineRecord> lines = repetitions.front();
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::vector<double> seconds;
    for (const auto& repetition : repetitions) seconds.push_back(repetition[k].seconds);
    const auto middle = seconds.begin() + std::ssize(seconds) / 2;
    std::ranges::nth_element(seconds, middle);
    lines[k].seconds = *middle;
  }
  return lines;
}

}  // namespace cisolve

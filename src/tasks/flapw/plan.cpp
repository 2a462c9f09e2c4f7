// SPDX-License-Identifier: MIT
#include "tasks/flapw/plan.hpp"

#include <algorithm>

#include "cisolve/lapw/eigenstates.hpp"

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

FlapwPlan plan_flapw(const FlapwConfig& config, const FlapwSystem& system) {
  FlapwPlan plan;
  plan.point = system.largest_point();
  plan.waves = system.num_waves(plan.point);
  const auto outline = system.outline(plan.point);
  const std::int64_t roots = std::min<std::int64_t>(config.roots.value_or(plan.waves), plan.waves);
  plan.memory =
      lapw_memory(outline->problem, generation_options(config, system), roots,
                  uses_davidson(config, plan.waves), system.source_bytes(plan.point), config.write_matrices);
  return plan;
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

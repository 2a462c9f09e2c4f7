// SPDX-License-Identifier: MIT
#include "cisolve/problem/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/number_text.hpp"
#include "problem/planners.hpp"

namespace cisolve {

const Device* device_to_plan_for(const Resources& resources) {
  if (!resources.devices.empty()) return &resources.devices.front();
  if (resources.device_required) throw InputError("a device is required, but there is none");
  return nullptr;
}

std::string what_is_free(std::int64_t needed, std::int64_t room, const Device& device) {
  return fmt::format("{} are needed, but {} are free on {}", format_bytes(needed), format_bytes(room),
                     device.name);
}

DavidsonConfig solver_of(const PlanOptions& options, std::int64_t size) {
  DavidsonConfig solver = options.solver;
  solver.num_roots = static_cast<int>(std::min<std::int64_t>(solver.num_roots, size));
  return solver;
}

const Placement& placement_of(const Plan& plan) {
  return std::visit([](const auto& made) -> const Placement& { return made.placement; }, plan);
}

DirectObstacle direct_obstacle(const Problem& problem) {
  if (problem.basis->kind() == FunctionKind::csf) return DirectObstacle::csfs;
  if (problem.basis->components() > 1) return DirectObstacle::complex;
  if (problem.basis->as_product() == nullptr) return DirectObstacle::list;
  if (problem.tables->threshold() > 0.0) return DirectObstacle::threshold;
  return DirectObstacle::none;
}

bool is_to_be_direct(const Problem& problem, const PlanOptions& options) {
  return options.storage == direct_storage ||
         (options.storage == "auto" && direct_obstacle(problem) == DirectObstacle::none);
}

Plan make_plan(const Problem& problem, const PlanOptions& options, const Resources& resources,
               const BuildOptions& counting) {
  if (options.storage == direct_storage && direct_obstacle(problem) != DirectObstacle::none) {
    throw InputError(
        "storage \"direct\" works on determinants made of blocks of strings, without a threshold; \"auto\" "
        "takes the format that suits");
  }
  if (is_to_be_direct(problem, options)) return plan_direct(problem, options, resources);
  return plan_stored(problem, options, resources, counting);
}

}  // namespace cisolve

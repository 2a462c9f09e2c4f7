// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/plan.hpp"

#include <algorithm>
#include <span>

namespace cisolve::cuda::direct {
namespace {

IntegralArrays<HostView> integrals_of(const cisolve::DirectProduct& host) {
  const DirectTables& tables = host.tables();
  const IntegralTables& integrals = host.integrals();
  const auto values = [](const CoulombTable& table) {
    return std::span<const double>(table.values.data(), table.values.size());
  };
  const std::size_t num_pairs = integrals.num_pairs();
  const auto rows_of = [&](const IntegralTables& of_spin) {
    return std::span(of_spin.row(0), num_pairs * num_pairs);
  };
  return {rows_of(integrals.alpha()),
          integrals.is_unrestricted() ? rows_of(integrals.beta()) : std::span<const double>(),
          values(tables.alpha_coulomb),
          tables.exchange_symmetric ? std::span<const double>() : values(tables.beta_coulomb)};
}

}  // namespace

DirectPlan::DirectPlan(const cisolve::DirectProduct& host, const DirectConfig& config)
    : layout(host), same_spin(host, config), integrals(integrals_of(host)),
      uses_layout_1(same_spin.uses_layout_1) {
  plan_opposite(host, config);
  same_spin.segments.finish();
  const DirectTables& tables = host.tables();
  const bool parity = host.parity() != SpinParity::none;
  vectors = {{tables.alpha_major.size, uses_layout_1 || parity ? tables.beta_major.size : 0},
             {tables.alpha_major.size, uses_layout_1 ? tables.beta_major.size : 0},
             same_spin.scratch};
}

void DirectPlan::plan_opposite(const cisolve::DirectProduct& host, const DirectConfig& config) {
  const DeviceProfile& device = config.device;
  const std::int64_t least_long = config.least_long_columns >= 0
                                      ? config.least_long_columns
                                      : device.shared_memory / 8 / device.opposite.least_rows;
  Sources sources(host, least_long);
  if (!choose_shape(device, config.blocks_per_multiprocessor, sources, opposite.shape))
    sources.make_all_long();
  ExcitationLists lists(sources, excitations);
  OppositePlanner short_planner(device.opposite, sources, same_spin, lists, opposite);
  LongRowsPlanner long_planner(device, sources, lists, long_rows);
  for (const Side& side : sources.sides()) {
    for (int d = 0; d < side.minor.count(); ++d) {
      const std::vector<Pattern> patterns = sources.make_patterns(side, d);
      const bool is_long = sources.is_long(side, d);
      for (int c = 0; c < side.major.count(); ++c) {
        if (!sources.handles(side, c, d)) continue;
        if (is_long)
          long_planner.add_block(side, c, d, patterns);
        else
          short_planner.add_block(side, c, d, patterns);
      }
    }
  }
  short_planner.finish(config.most_pack_bytes);
  long_planner.finish();
  const auto in_layout_1 = [](const auto& block) { return block.layout == 1; };
  uses_layout_1 = uses_layout_1 || std::ranges::any_of(opposite.arrays.blocks, in_layout_1) ||
                  std::ranges::any_of(long_rows.arrays.blocks, in_layout_1);
}

std::int64_t DirectPlan::host_bytes() const {
  return same_spin.plan_bytes() +
         array_bytes(layout.arrays, excitations, opposite.arrays, opposite.gather, long_rows.arrays);
}

std::int64_t DirectPlan::device_bytes() const {
  return host_bytes() + array_bytes(layout.places, same_spin.rows, integrals) +
         8 * (layout.num_rows + opposite.kept_packs() + same_spin.num_matrix_elements());
}

}  // namespace cisolve::cuda::direct

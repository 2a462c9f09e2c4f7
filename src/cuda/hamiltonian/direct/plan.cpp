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

DirectPlan::DirectPlan(const cisolve::DirectProduct& host, const DirectConfig& config,
                       const StringShares* shares)
    : exchange(shares == nullptr ? std::nullopt : std::make_optional<ExchangePlan>(host.tables(), *shares)),
      layout(shares == nullptr ? LayoutPlan(host) : LayoutPlan(host, *shares, *exchange)),
      same_spin(host, config, shares), integrals(integrals_of(host)), uses_layout_1(same_spin.uses_layout_1) {
  plan_opposite(host, config, shares == nullptr ? StringShares{} : *shares);
  same_spin.segments.finish();
  if (shares != nullptr) {
    finish_exchange(host, *shares);
    return;
  }
  const DirectTables& tables = host.tables();
  const bool parity = host.parity() != SpinParity::none;
  vectors = {{tables.alpha_major.size, uses_layout_1 || parity ? tables.beta_major.size : 0},
             {tables.alpha_major.size, uses_layout_1 ? tables.beta_major.size : 0},
             same_spin.scratch,
             0,
             0};
}

/// What of layout 1 a rank needs, and its vectors. All ranks come to the same, also one that has no strings of some classes.
void DirectPlan::finish_exchange(const cisolve::DirectProduct& host, const StringShares& shares) {
  const DirectTables& tables = host.tables();
  const Side by_alpha(tables, 0, shares), by_beta(tables, 1, shares);
  using Layout1 = ExchangePlan::Layout1;
  const Layout1 layout_1 = uses_layout_1                 ? Layout1::all
                           : same_spin.large_in_layout_1 ? Layout1::own
                                                         : Layout1::none;
  if (layout_1 == Layout1::own) {
    for (LargePart& part : same_spin.large_parts) part.x = part.layout == 1 ? part.y : part.x;
  }
  uses_layout_1 = layout_1 != Layout1::none;
  if (!strips.empty()) keep_own_rows();
  exchange->finish(host.parity() != SpinParity::none, layout_1, !strips.empty());
  const std::int64_t own = uses_layout_1 ? by_beta.own.size() : 0;
  vectors = {{strips.empty() ? tables.alpha_major.size : by_alpha.own.size(),
              layout_1 == Layout1::all ? tables.beta_major.size : own},
             {by_alpha.own.size(), own},
             same_spin.scratch,
             exchange->buffer,
             largest_of(strips)};
}

/// Cuts x into strips, unless somebody but long rows of layout 0 reads rows of other ranks.
void DirectPlan::choose_strips(Sources& sources, const StringShares& shares, std::int64_t most_bytes) {
  if (!exchange || most_bytes == 0) return;
  for (const Side& side : sources.sides()) {
    for (int d = 0; side.number == 1 && d < side.minor.count(); ++d) {
      if (sources.handles_any(side, d)) why_whole = "rows by beta strings have opposite-spin sums, too";
    }
  }
  if (!same_spin.segments.segments.empty() || !same_spin.panels.matrices.empty())
    why_whole = "some classes of strings have same-spin sums over rows of all ranks";
  if (!why_whole.empty()) return;
  sources.make_all_long();
  strips = make_strips(sources.sides().front(), shares, most_bytes / 8);
}

/// x in layout 0 is where y is, in a vector of own rows.
void DirectPlan::keep_own_rows() {
  for (LayoutTile& tile : layout.arrays.tiles) tile.by_alpha = tile.y;
  for (LargePart& part : same_spin.large_parts) part.x = part.layout == 0 ? part.y : part.x;
}

void DirectPlan::plan_opposite(const cisolve::DirectProduct& host, const DirectConfig& config,
                               const StringShares& shares) {
  const DeviceProfile& device = config.device;
  const std::int64_t least_long = config.least_long_columns >= 0
                                      ? config.least_long_columns
                                      : device.shared_memory / 8 / device.opposite.least_rows;
  Sources sources(host, least_long, shares);
  choose_strips(sources, shares, config.most_strip_bytes);
  if (!choose_shape(device, config.blocks_per_multiprocessor, sources, opposite.shape))
    sources.make_all_long();
  ExcitationLists lists(sources, excitations);
  OppositePlanner short_planner(device.opposite, sources, same_spin, lists, opposite);
  LongRowsPlanner long_planner(device, sources, lists, strips, long_rows);
  for (const Side& side : sources.sides()) {
    for (int d = 0; d < side.minor.count(); ++d) {
      const std::vector<Pattern> patterns = sources.make_patterns(side, d);
      const bool is_long = sources.is_long(side, d);
      for (int c = 0; c < side.major.count(); ++c) {
        if (!sources.handles(side, c, d)) continue;
        if (exchange) uses_layout_1 = uses_layout_1 || side.number == 1;
        if (side.own.range(c).size() == 0) continue;
        if (is_long)
          long_planner.add_block(side, c, d, patterns);
        else
          short_planner.add_block(side, c, d, patterns);
      }
    }
  }
  short_planner.finish(config.most_pack_bytes, exchange.has_value());
  long_planner.finish(exchange.has_value());
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
         (exchange ? exchange->bytes() : 0) +
         8 * (layout.num_rows + opposite.kept_packs() + same_spin.num_matrix_elements());
}

}  // namespace cisolve::cuda::direct

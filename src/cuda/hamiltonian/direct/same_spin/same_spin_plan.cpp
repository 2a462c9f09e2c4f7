// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/same_spin_plan.hpp"

#include <algorithm>
#include <optional>

#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {

SameSpinPlan::SameSpinPlan(const cisolve::DirectProduct& host, const DirectConfig& config,
                           const StringShares* shares)
    : symmetric(host.tables().exchange_symmetric),
      ranked(shares != nullptr), rows{host.tables().alpha_major.first_row,
                                      host.tables().beta_major.first_row} {
  const bool parity = host.parity() != SpinParity::none;
  for (int spin = 0; spin < 2; ++spin) choose_large(host, config, spin);
  const DeviceProfile& device = config.device;
  place_matrices(device.budgets.dense_matrices / 8);
  if (!ranked) list_large_parts(host);
  size_scratch(parity && !ranked);
  const auto stages = static_cast<std::int64_t>(dense_stages * sizeof(DenseStage));
  const bool has_room = stages + device.shared_memory_of_system <= device.shared_memory;
  for (int layout = 0; layout < (parity ? 1 : 2); ++layout) {
    const Side side(host.tables(), layout, ranked ? *shares : StringShares{});
    if (ranked) list_own_parts(side);
    for (int panel = 0; panel < side.minor.count(); ++panel)
      plan_panel(side, panel, has_room ? device.budgets.panel_matrices / 8 : 0);
  }
  panels.finish();
}

/// Finds the classes of a spin that are worth a dense matrix or a projection.
void SameSpinPlan::choose_large(const cisolve::DirectProduct& host, const DirectConfig& config, int spin) {
  const Side side(host.tables(), spin);
  if (spin == 1 && symmetric) {
    large_of[1] = large_of[0];
    return;
  }
  std::vector<bool> is_read(side.major.count(), true);
  const DeviceProfile& device = config.device;
  const bool projects = config.same_spin == SameSpin::projected;
  for (int c = 0; c < side.major.count(); ++c) {
    large_of[spin].push_back(-1);
    const double share = density(side.major_excitations, side.major, c);
    const std::int32_t size = side.major.size(c);
    if (share == 0.0 || (size < device.dense.size && !projects)) continue;
    std::optional<std::int32_t> projection;
    if (config.same_spin != SameSpin::dense) {
      projection = projections.add(
          {spin == 0 ? host.integrals().alpha() : host.integrals().beta(), side.major_excitations, side.major,
           c},
          {share, std::ranges::max(side.layout.panels, {}, &BlockLayout::Panel::columns).columns,
           std::max(device.budgets.intermediates / 8, host.size() / 8), projects, device});
    }
    if (!projection && (size < device.dense.size || share < device.dense.share)) continue;
    is_read[c] = !projection;
    large_of[spin].back() = static_cast<std::int32_t>(large.size());
    large.push_back({spin, c, side.first_ordinal(c), size, (size + 7) / 8 * 8, projection.value_or(-1), -1});
  }
  excitations[spin] = same_spin_excitations(side.major_excitations, side.major, is_read);
}

/// Keeps all dense matrices if there is room, else some of one at a time.
void SameSpinPlan::place_matrices(std::int64_t most_elements) {
  std::int64_t total = 0;
  for (const LargeClass& one : large) total += one.projection < 0 ? std::int64_t{one.size} * one.ld : 0;
  dense_buffer = std::min(total, most_elements);
  for (std::int64_t next = 0; LargeClass & one : large) {
    if (one.projection >= 0) continue;
    if (total <= most_elements) one.resident = next;
    next += std::int64_t{one.size} * one.ld;
  }
}

void SameSpinPlan::list_large_parts(const cisolve::DirectProduct& host) {
  const Side side(host.tables(), 0);
  for (int panel = 0; panel < side.minor.count(); ++panel) {
    const BlockLayout::Panel& p = side.panel(panel);
    const auto columns = static_cast<std::int32_t>(p.columns);
    const auto stride = static_cast<std::int32_t>(p.stride);
    for (int c = 0; c < side.major.count(); ++c) {
      const std::int32_t number = large_of[0][c];
      if (side.layout.row(panel, c) < 0 || number < 0) continue;
      const std::int64_t first = side.first_element(panel, c);
      large_parts.push_back(
          {static_cast<std::size_t>(number), 0, first, first, side.major.size(c), columns, stride, true});
    }
    const std::int32_t number = large_of[1][panel];
    if (host.parity() == SpinParity::none && number >= 0 && p.rows > 0)
      large_parts.push_back({static_cast<std::size_t>(number), 0, p.offset, p.offset,
                             static_cast<std::int32_t>(p.rows), columns, stride, false});
  }
}

/// Lists what acts on the columns of a rank's rows.
void SameSpinPlan::list_own_parts(const Side& side) {
  for (int panel = 0; panel < side.minor.count(); ++panel) {
    const BlockLayout::Panel& p = side.panel(panel);
    const std::int32_t number = large_of[1 - side.number][panel];
    if (number < 0) continue;
    for (int c = 0; c < side.major.count(); ++c) {
      if (side.layout.row(panel, c) < 0) continue;
      large_in_layout_1 = large_in_layout_1 || side.number == 1;
      const StringShares::Range own = side.own.range(c);
      if (own.size() == 0) continue;
      const std::int64_t before = own.first * p.stride;
      large_parts.push_back({static_cast<std::size_t>(number), side.number,
                             side.first_element(panel, c) + before, side.own.origin(panel, c) + before,
                             own.size(), static_cast<std::int32_t>(p.columns),
                             static_cast<std::int32_t>(p.stride), false});
    }
  }
}

/// @param left_only  no product acts on columns, for which a strip of them is transposed
void SameSpinPlan::size_scratch(bool left_only) {
  for (const LargeClass& one : large) {
    if (one.projection < 0) continue;
    const Projection& p = projections.classes[one.projection];
    scratch = std::max(scratch, (std::int64_t{p.num_entries} + (left_only ? 0 : one.size)) * p.width);
  }
}

/// Gives a panel a dense matrix, or its classes that are not large segments.
void SameSpinPlan::plan_panel(const Side& side, int panel, std::int64_t most_panel_elements) {
  std::vector<int> small;
  bool has_large = false;
  for (int c = 0; c < side.major.count(); ++c) {
    if (side.layout.row(panel, c) < 0) continue;
    if (large_of[side.number][c] < 0)
      small.push_back(c);
    else
      has_large = true;
  }
  const bool in_layout_1 = side.number == 1;
  if (!has_large && panels.add(side, panel, excitations_of(side.number), symmetric, most_panel_elements)) {
    uses_layout_1 = uses_layout_1 || in_layout_1;
    return;
  }
  if (has_large && in_layout_1) fills_layout_1 = false;
  for (const int c : small) segments.add(side, panel, c);
  uses_layout_1 = uses_layout_1 || (in_layout_1 && !small.empty());
}

std::int64_t SameSpinPlan::plan_bytes() const {
  return array_bytes(excitations[0], excitations[1], projections.arrays, panels.arrays, segments.segments);
}

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/opposite/opposite_plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "cuda/hamiltonian/direct/same_spin/same_spin_plan.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Tiles of the t of an item.
int num_tiles(const Item& item) { return (item.stride + tile_columns - 1) / tile_columns; }

/// Adds the entries of a part, whose t begins at `first`, to those of their targets.
void add_places(const Part& part, std::int64_t first, std::int64_t stride,
                std::vector<std::vector<std::uint32_t>>& places) {
  const std::vector<Entry>& entries = part.pattern->entries;
  auto entry = std::ranges::lower_bound(entries, part.first, {}, &Entry::pair);
  for (; entry != entries.end() && entry->pair < part.first + part.count; ++entry) {
    const std::int64_t place = first + (entry->pair - part.first) * stride + entry->source;
    places[entry->target].push_back(static_cast<std::uint32_t>(2 * place + (entry->negative ? 1 : 0)));
  }
}

}  // namespace

void OppositePlanner::add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns) {
  const BlockLayout::Panel& panel = side.panel(d);
  std::vector<Phase>& phases = plan_.arrays.phases;
  const StringShares::Range own = side.own.range(c);
  Block block{.y = side.own.origin(d, c),
              .panel = panel.offset,
              .layout = side.number,
              .coulomb = static_cast<std::int32_t>(side.major_coulomb.class_offsets[c]),
              .stride = static_cast<std::int32_t>(panel.stride),
              .columns = static_cast<std::int32_t>(panel.columns),
              .first_phase = index_of(phases.size()),
              .last_phase = 0,
              .first_pack = 0,
              .row_size = 0,
              .pack_room = 0,
              .half = sources_.parity() && c == d ? 1 : 0,
              .first_same_spin = no_same_spin};
  double cost = 0.0;
  if (same_spin_.segments.take(side, d, c)) {
    block.first_same_spin = list_same_spin(side, c, d);
    cost = costs_.same_spin * static_cast<double>(panel.stride);
  }
  cost += add_phases(side, c, d, patterns, block);
  block.last_phase = index_of(phases.size());
  if (block.first_phase == block.last_phase && block.first_same_spin == no_same_spin) return;
  for (std::size_t k = block.first_phase; k < phases.size(); ++k) {
    block.row_size += phases[k].size;
    if (k + 1 < phases.size()) phases[k].next_size = phases[k + 1].size;
  }
  block.first_pack = plan_.packs_size - block.row_size * own.first;
  plan_.packs_size += block.row_size * own.size();
  tasks_.add({side.number, c, cost}, own, index_of(plan_.arrays.blocks.size()));
  plan_.arrays.blocks.push_back(block);
}

void OppositePlanner::finish(std::int64_t most_pack_bytes, bool by_layout) {
  plan_.arrays.tasks = tasks_.in_order(by_layout);
  plan_.tasks_in_layout_1 = tasks_.count_in_layout_1();
  plan_.costs = tasks_.costs();
  plan_.packed = 8 * plan_.packs_size <= most_pack_bytes;
}

/// The phases of a block; their cost for a row.
double OppositePlanner::add_phases(const Side& side, int c, int d, const std::vector<Pattern>& patterns,
                                   Block& block) {
  std::vector<const Pattern*> present;
  std::vector<const std::vector<Range>*> lists;
  std::vector<Feed> feeds;
  const bool split = sources_.splits(side, c, d);
  for (const Pattern& pattern : patterns) {
    const std::vector<Range>& ranges = lists_.all(side, pattern.source_class, pattern.irrep, split);
    const std::int32_t most = ExcitationLists::most_excitations(side, c, ranges);
    if (most == 0) continue;
    const BlockLayout::Panel& from = side.panel(pattern.source_class);
    present.push_back(&pattern);
    lists.push_back(&ranges);
    feeds.push_back({static_cast<std::int32_t>(pattern.pairs.size()), most, t_stride(from.stride)});
  }
  const PhaseLimits limits = choose_limits(plan_.shape, feeds);
  block.pack_room = static_cast<std::int32_t>(limits.pack);
  double cost = 0.0;
  PhaseRoom room(limits);
  std::vector<Part> phase;
  for (std::size_t k = 0; k < feeds.size(); ++k) {
    const Feed& feed = feeds[k];
    const std::int32_t size = part_size(feed, limits);
    for (std::int32_t first = 0; first < feed.num_pairs; first += size) {
      const Part part = lists_.make_part(side, c, *present[k], *lists[k], first,
                                         std::min(size, feed.num_pairs - first), block.half != 0);
      if (part.num_excitations == 0) continue;
      if (!room.take(part.count, part.num_excitations, feed.stride)) {
        add_phase(side, d, phase);
        phase.clear();
      }
      phase.push_back(part);
      cost += (part.num_excitations + 8.0) * (part.count + 8.0) * static_cast<double>(feed.stride);
    }
  }
  if (!phase.empty()) add_phase(side, d, phase);
  return cost;
}

/// Same-spin excitations of the own strings of a class, by rows of a panel; where the offsets of all would start.
std::int32_t OppositePlanner::list_same_spin(const Side& side, int c, int d) {
  GatherArrays<HostArray>& to = plan_.gather;
  const auto at = index_of(to.same_spin_offsets.size());
  const SameSpinExcitations<HostArray>& excitations = same_spin_.excitations_of(side.number);
  const StringShares::Range own = side.own.range(c);
  to.same_spin_offsets.push_back(std::ssize(to.same_spin_values));
  for (std::int32_t k = own.first; k < own.last; ++k) {
    add_rows(excitations, side.first_ordinal(c) + k, side.layout, d, to.same_spin_values, to.same_spin_rows);
    to.same_spin_offsets.push_back(std::ssize(to.same_spin_values));
  }
  return at - own.first;
}

void OppositePlanner::add_phase(const Side& side, int d, const std::vector<Part>& parts) {
  Phase phase{.first_entry = num_entry_groups(),
              .first_slice = index_of(plan_.gather.slice_offsets.size()),
              .first_item = index_of(plan_.arrays.items.size()),
              .num_items = static_cast<std::int32_t>(parts.size()),
              .first_step = index_of(plan_.arrays.step_items.size()),
              .num_excitations = 0,
              .nothing = 0,
              .size = 0,
              .next_size = 0,
              .shares = {}};
  std::int64_t t = 0;
  std::int64_t factors = 0;
  std::vector<std::vector<std::uint32_t>> places(side.minor.size(d));
  for (const Part& part : parts) {
    const Pattern& pattern = *part.pattern;
    const BlockLayout::Panel& from = side.panel(pattern.source_class);
    const std::int64_t stride = t_stride(from.stride);
    plan_.arrays.step_items.insert(plan_.arrays.step_items.end(), part.num_excitations / excitation_step,
                                   index_of(plan_.arrays.items.size()));
    plan_.arrays.items.push_back({.source = from.offset,
                                  .first_range = part.first_range,
                                  .stride = static_cast<std::int32_t>(from.stride),
                                  .first_pair = lists_.add_pairs(part),
                                  .num_pairs = part.count,
                                  .num_excitations = part.num_excitations,
                                  .first_excitation = phase.num_excitations,
                                  .factors = static_cast<std::int32_t>(factors),
                                  .t = static_cast<std::int32_t>(t)});
    add_places(part, t, stride, places);
    phase.num_excitations += part.num_excitations;
    factors += part.num_excitations * factor_width(part.count);
    t += part.count * stride;
  }
  phase.nothing = static_cast<std::int32_t>(t);
  phase.size = static_cast<std::int32_t>(pack_size(phase.num_items, phase.num_excitations, factors));
  share_out(phase);
  add_entries(places, static_cast<std::uint32_t>(2 * t));
  plan_.arrays.phases.push_back(phase);
}

/// The cost of a tile.
double OppositePlanner::tile_cost(const Item& item) const {
  const std::int32_t eights = (item.num_pairs + 7) / 8, steps = item.num_excitations / excitation_step;
  return steps * (costs_.tile_loads + eights) + costs_.tile_stores * eights;
}

/// Gives each warp about the same.
void OppositePlanner::share_out(Phase& phase) const {
  const std::span<const Item> items(plan_.arrays.items.data() + phase.first_item, phase.num_items);
  double total = 0.0;
  for (const Item& item : items) total += num_tiles(item) * tile_cost(item);
  const int warps = plan_.shape.warps;
  double before = 0.0;
  int warp = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const double after = before + num_tiles(items[k]) * tile_cost(items[k]);
    // The first tile that begins where the warp's share does, or behind.
    for (double begin = 0.0; warp < warps && (begin = total * warp / warps) < after; ++warp) {
      const double tile = std::ceil((begin - before) / tile_cost(items[k]) - 1e-9);
      phase.shares[warp] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(tile)};
    }
    before = after;
  }
  for (; warp <= warps; ++warp) phase.shares[warp] = {static_cast<std::int32_t>(items.size()), 0};
}

/// [slices][groups][columns][entry_group]
void OppositePlanner::add_entries(const std::vector<std::vector<std::uint32_t>>& places,
                                  std::uint32_t nothing) {
  std::int32_t groups = 0;
  plan_.gather.slice_offsets.push_back(0);
  for (std::size_t first = 0; first < places.size(); first += slice_columns) {
    const std::size_t last = std::min(first + slice_columns, places.size());
    std::size_t most = 0;
    for (std::size_t k = first; k < last; ++k) most = std::max(most, places[k].size());
    for (std::size_t slot = 0; slot < most; slot += entry_group) {
      for (std::size_t k = first; k < first + slice_columns; ++k) {
        for (std::size_t j = slot; j < slot + entry_group; ++j) {
          const std::uint32_t value = k < last && j < places[k].size() ? places[k][j] : nothing;
          plan_.gather.entries.push_back(static_cast<std::uint16_t>(value));
        }
      }
      groups += slice_columns;
    }
    plan_.gather.slice_offsets.push_back(groups);
  }
}

}  // namespace cisolve::cuda::direct

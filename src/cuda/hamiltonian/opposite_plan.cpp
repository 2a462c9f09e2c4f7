// SPDX-License-Identifier: MIT
// Opposite-spin excitations, cut into what a block of threads does at a time.
#include <algorithm>
#include <cmath>
#include <span>

#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/link_lists.hpp"
#include "cuda/hamiltonian/opposite_shape.hpp"
#include "cuda/hamiltonian/opposite_sources.hpp"
#include "cuda/hamiltonian/phase_limits.hpp"
#include "cuda/hamiltonian/task_list.hpp"
#include "cuda/hamiltonian/tile_maker.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Plans phases, block by block of y.
class PhaseMaker {
public:
  PhaseMaker(const cisolve::DirectProduct& host, const DeviceProfile::OppositeCosts& costs,
             const Sources& sources, OwnPlan& own, LinkLists& lists, OppositePlan& plan)
      : host_(host), costs_(costs), sources_(sources), own_(own), lists_(lists), plan_(plan) {}

  void add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns) {
    const BlockLayout::Panel& panel = side.layout.panels[static_cast<std::size_t>(d)];
    Block block{
        .y = panel.offset + side.layout.row(d, c) * panel.stride,
        .panel = panel.offset,
        .layout = side.number,
        .coulomb = static_cast<std::int32_t>(side.major_coulomb.class_offsets[static_cast<std::size_t>(c)]),
        .stride = static_cast<std::int32_t>(panel.stride),
        .columns = static_cast<std::int32_t>(panel.columns),
        .first_phase = index_of(plan_.phases.size()),
        .last_phase = 0,
        .first_pack = 0,
        .row_size = 0,
        .pack_room = 0,
        .half = sources_.parity() && c == d ? 1 : 0,
        .first_own = -1};
    double cost = 0.0;
    if (own_.take_segment(side.number, d, c)) {
      block.first_own = list_own(side, c, d);
      cost = costs_.same_spin * static_cast<double>(panel.stride);
    }
    cost += add_phases(side, c, d, patterns, block);
    block.last_phase = index_of(plan_.phases.size());
    if (block.first_phase == block.last_phase && block.first_own < 0) return;
    block.first_pack = plan_.packs_size;
    for (auto k = static_cast<std::size_t>(block.first_phase); k < plan_.phases.size(); ++k) {
      block.row_size += plan_.phases[k].size;
      if (k + 1 < plan_.phases.size()) plan_.phases[k].next_size = plan_.phases[k + 1].size;
    }
    plan_.packs_size += block.row_size * side.major.size(c);
    plan_.blocks.push_back(block);
    tasks_.add(cost, side.major.size(c));
  }

  void finish(std::int64_t most_pack_bytes) {
    plan_.tasks = tasks_.in_order();
    plan_.packed = 8 * plan_.packs_size <= most_pack_bytes;
  }

private:
  /// The phases of a block; their cost for a row.
  double add_phases(const Side& side, int c, int d, const std::vector<Pattern>& patterns, Block& block) {
    std::vector<const Pattern*> present;
    std::vector<const std::vector<Range>*> lists;
    std::vector<Feed> feeds;
    const bool split = sources_.splits(side, c, d);
    for (const Pattern& pattern : patterns) {
      const std::vector<Range>& links = lists_.all(side, pattern.source_class, pattern.irrep, split);
      const std::int32_t most = LinkLists::most_links(side, c, links);
      if (most == 0) continue;
      const BlockLayout::Panel& from = side.layout.panels[static_cast<std::size_t>(pattern.source_class)];
      present.push_back(&pattern);
      lists.push_back(&links);
      feeds.push_back({static_cast<std::int32_t>(pattern.pairs.size()), most, t_stride(from.stride)});
    }
    const PhaseLimits limits = choose_limits(plan_, feeds);
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
        if (part.num_links == 0) continue;
        if (!room.take(part.count, part.num_links, feed.stride)) {
          add_phase(side, d, phase);
          phase.clear();
        }
        phase.push_back(part);
        cost += (part.num_links + 8.0) * (part.count + 8.0) * static_cast<double>(feed.stride);
      }
    }
    if (!phase.empty()) add_phase(side, d, phase);
    return cost;
  }

  /// Same-spin excitations of the strings of a class, by rows of a panel; where their offsets start.
  std::int32_t list_own(const Side& side, int c, int d) {
    const auto at = index_of(plan_.own_offsets.size());
    const OwnPlan::Links& links = own_.links_of(side.number, host_.tables().blocks.symmetric);
    plan_.own_offsets.push_back(std::ssize(plan_.own_values));
    for (std::int32_t k = 0; k < side.major.size(c); ++k) {
      const auto ordinal = static_cast<std::size_t>(side.major.offsets[static_cast<std::size_t>(c)] + k);
      links.add_rows(ordinal, side.layout, d, plan_.own_values, plan_.own_rows);
      plan_.own_offsets.push_back(std::ssize(plan_.own_values));
    }
    return at;
  }

  void add_phase(const Side& side, int d, const std::vector<Part>& parts) {
    Phase phase{.first_entry = num_entry_groups(),
                .first_slice = index_of(plan_.slice_offsets.size()),
                .first_item = index_of(plan_.items.size()),
                .num_items = static_cast<std::int32_t>(parts.size()),
                .first_step = index_of(plan_.step_items.size()),
                .num_links = 0,
                .nothing = 0,
                .size = 0,
                .next_size = 0,
                .shares = {}};
    std::int64_t t = 0;
    std::int64_t factors = 0;
    std::vector<std::vector<std::uint32_t>> places(static_cast<std::size_t>(side.minor.size(d)));
    for (const Part& part : parts) {
      const Pattern& pattern = *part.pattern;
      const BlockLayout::Panel& from = side.layout.panels[static_cast<std::size_t>(pattern.source_class)];
      const std::int64_t stride = t_stride(from.stride);
      plan_.step_items.insert(plan_.step_items.end(), static_cast<std::size_t>(part.num_links / link_step),
                              index_of(plan_.items.size()));
      plan_.items.push_back({.source = from.offset,
                             .first_range = part.first_range,
                             .stride = static_cast<std::int32_t>(from.stride),
                             .first_pair = lists_.add_pairs(part),
                             .num_pairs = part.count,
                             .num_links = part.num_links,
                             .first_link = phase.num_links,
                             .factors = static_cast<std::int32_t>(factors),
                             .t = static_cast<std::int32_t>(t)});
      auto entry = std::ranges::lower_bound(pattern.entries, part.first, {}, &Entry::pair);
      for (; entry != pattern.entries.end() && entry->pair < part.first + part.count; ++entry) {
        const std::int64_t place = t + (entry->pair - part.first) * stride + entry->source;
        places[static_cast<std::size_t>(entry->target)].push_back(
            static_cast<std::uint32_t>(2 * place + (entry->negative ? 1 : 0)));
      }
      phase.num_links += part.num_links;
      factors += part.num_links * factor_width(part.count);
      t += part.count * stride;
    }
    phase.nothing = static_cast<std::int32_t>(t);
    phase.size = static_cast<std::int32_t>(pack_size(phase.num_items, phase.num_links, factors));
    share_out(phase);
    add_entries(places, static_cast<std::uint32_t>(2 * t));
    plan_.phases.push_back(phase);
  }

  static int num_tiles(const Item& item) { return (item.stride + tile_columns - 1) / tile_columns; }

  /// Of a tile.
  double cost(const Item& item) const {
    const double eights = (item.num_pairs + 7) / 8;
    return item.num_links / link_step * (costs_.tile_loads + eights) + costs_.tile_stores * eights;
  }

  /// Gives each warp about the same.
  void share_out(Phase& phase) const {
    const std::span<const Item> items(plan_.items.data() + phase.first_item,
                                      static_cast<std::size_t>(phase.num_items));
    double total = 0.0;
    for (const Item& item : items) total += num_tiles(item) * cost(item);
    const int warps = plan_.shape.warps;
    double before = 0.0;
    int warp = 0;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const double after = before + num_tiles(items[k]) * cost(items[k]);
      // The first tile that begins where the warp's share does, or behind.
      for (double begin = 0.0; warp < warps && (begin = total * warp / warps) < after; ++warp) {
        const double tile = std::ceil((begin - before) / cost(items[k]) - 1e-9);
        phase.shares[warp] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(tile)};
      }
      before = after;
    }
    for (; warp <= warps; ++warp) phase.shares[warp] = {static_cast<std::int32_t>(items.size()), 0};
  }

  std::int64_t num_entry_groups() const { return std::ssize(plan_.entries) / entry_group; }

  /// [slices][groups][columns][entry_group]
  void add_entries(const std::vector<std::vector<std::uint32_t>>& places, std::uint32_t nothing) {
    std::int32_t groups = 0;
    plan_.slice_offsets.push_back(0);
    for (std::size_t first = 0; first < places.size(); first += slice_columns) {
      const std::size_t last = std::min(first + slice_columns, places.size());
      std::size_t most = 0;
      for (std::size_t k = first; k < last; ++k) most = std::max(most, places[k].size());
      for (std::size_t slot = 0; slot < most; slot += entry_group) {
        for (std::size_t k = first; k < first + slice_columns; ++k) {
          for (std::size_t j = slot; j < slot + entry_group; ++j) {
            const std::uint32_t value = k < last && j < places[k].size() ? places[k][j] : nothing;
            plan_.entries.push_back(static_cast<std::uint16_t>(value));
          }
        }
        groups += slice_columns;
      }
      plan_.slice_offsets.push_back(groups);
    }
  }

  const cisolve::DirectProduct& host_;
  const DeviceProfile::OppositeCosts& costs_;
  const Sources& sources_;
  OwnPlan& own_;
  LinkLists& lists_;
  OppositePlan& plan_;
  TaskList tasks_;
};

}  // namespace

void DirectPlan::plan_opposite(const cisolve::DirectProduct& host, const DirectConfig& config) {
  std::vector<Side> sides;
  for (int number = 0; number < (host.parity() == SpinParity::none ? 2 : 1); ++number)
    sides.emplace_back(host.tables(), number);
  std::int64_t least_tiled = config.least_tiled_columns;
  if (least_tiled < 0) least_tiled = config.device.shared_memory / 8 / config.device.opposite.least_rows;
  if (!choose_shape(config, Sources(host, least_tiled), sides, opposite)) least_tiled = 0;
  const Sources sources(host, least_tiled);
  LinkLists lists(sources, excitations);
  PhaseMaker phases(host, config.device.opposite, sources, own, lists, opposite);
  TileMaker tiles(config, sources, sides, lists, tiled);
  for (const Side& side : sides) {
    for (int d = 0; d < side.minor.count(); ++d) {
      const std::vector<Pattern> patterns = sources.make_patterns(side, d);
      for (int c = 0; c < side.major.count(); ++c) {
        if (!sources.handles(side, c, d)) continue;
        if (sources.is_tiled(side, d))
          tiles.add_block(side, c, d, patterns);
        else
          phases.add_block(side, c, d, patterns);
      }
    }
  }
  phases.finish(config.most_pack_bytes);
  tiles.finish();
  const auto in_layout_1 = [](const auto& block) { return block.layout == 1; };
  uses_layout_1 = uses_layout_1 || std::ranges::any_of(opposite.blocks, in_layout_1) ||
                  std::ranges::any_of(tiled.blocks, in_layout_1);
}

}  // namespace cisolve::cuda::direct

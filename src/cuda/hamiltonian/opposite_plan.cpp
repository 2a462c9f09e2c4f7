// SPDX-License-Identifier: MIT
// Opposite-spin excitations, cut into what a block of threads does at a time.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cuda/hamiltonian/direct_plan.hpp"
#include "cuda/hamiltonian/opposite_shape.hpp"
#include "cuda/hamiltonian/opposite_sources.hpp"
#include "cuda/hamiltonian/phase_limits.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Loading what a warp multiplies with 8 pairs, and storing what results, in such multiplications.
constexpr double tile_loads = 2.0, tile_stores = 2.0;
constexpr double own_cost = 400.0;  ///< of a string's same-spin excitations per column, in products with t

/// A place in a table. They have 32 bits on the device.
/// @throws ResourceError
std::int32_t index_of(std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw ResourceError(
        "DirectProduct: tables of excitations with more than 2147483647 entries are too large for a device");
  }
  return static_cast<std::int32_t>(size);
}

/// What pairs rs a block of threads works on at a time.
struct Part {
  const Pattern* pattern;
  std::int32_t first, count;  ///< pairs
  std::int32_t num_links;     ///< in whole steps
  std::int32_t first_range;
};

class Maker {
public:
  Maker(const cisolve::DirectProduct& host, const DirectConfig& config, OwnPlan& own, OppositePlan& plan)
      : host_(host), config_(config), sources_(host), own_(own), plan_(plan) {}

  void operator()() {
    std::vector<Side> sides;
    for (int layout = 0; layout < (sources_.parity() ? 1 : 2); ++layout)
      sides.emplace_back(host_.tables(), layout);
    ShapeChoice shape(config_, sources_, plan_);
    for (const Side& side : sides) shape.measure(side);
    shape.choose();
    for (const Side& side : sides) {
      for (int d = 0; d < side.minor.count(); ++d) add_panel(side, d);
    }
    std::vector<std::int32_t> order(plan_.blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{},
                             [&](auto k) { return costs_[static_cast<std::size_t>(k)]; });
    for (const std::int32_t block : order) {
      for (std::int32_t k = 0; k < strings_[static_cast<std::size_t>(block)]; ++k)
        plan_.tasks.push_back({block, k});
    }
    plan_.packed = 8 * plan_.packs_size <= config_.most_pack_bytes;
  }

private:
  void add_panel(const Side& side, int d) {
    std::vector<Pattern> patterns;
    for (int irrep = 0; irrep < 8; ++irrep) {
      for (int source = 0; source < side.minor.count(); ++source) {
        Pattern pattern = sources_.make_pattern(side, d, source, irrep);
        if (!pattern.pairs.empty()) patterns.push_back(std::move(pattern));
      }
    }
    for (int c = 0; c < side.major.count(); ++c) {
      if (sources_.handles(side, c, d)) add_block(side, c, d, patterns);
    }
  }

  void add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns) {
    const CoulombTable& coulomb =
        side.number == 0 ? host_.tables().alpha_coulomb : host_.tables().beta_coulomb;
    const BlockLayout::Panel& panel = side.layout.panels[static_cast<std::size_t>(d)];
    Block block{.y = panel.offset + side.layout.row(d, c) * panel.stride,
                .panel = panel.offset,
                .layout = side.number,
                .coulomb = static_cast<std::int32_t>(coulomb.class_offsets[static_cast<std::size_t>(c)]),
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
      cost = own_cost * static_cast<double>(panel.stride);
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
    plan_.uses_layout[side.number] = true;
    plan_.blocks.push_back(block);
    strings_.push_back(side.major.size(c));
    costs_.push_back(cost);
  }

  /// The phases of a block; their cost for a row.
  double add_phases(const Side& side, int c, int d, const std::vector<Pattern>& patterns, Block& block) {
    std::vector<const Pattern*> present;
    std::vector<const std::vector<Range>*> lists;
    std::vector<Feed> feeds;
    const bool split = sources_.splits(side, c, d);
    for (const Pattern& pattern : patterns) {
      const std::vector<Range>& links = list_links(side, pattern.source_class, pattern.irrep, split);
      const std::int32_t most = most_links_of(side, c, links);
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
        const Part part = make_part(side, c, *present[k], *lists[k], first,
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

  /// Of any string of a class, in whole steps.
  static std::int32_t most_links_of(const Side& side, int c, const std::vector<Range>& all) {
    std::int32_t most = 0;
    for (std::int32_t k = 0; k < side.major.size(c); ++k)
      most = std::max(most, all[ordinal(side, c, k)].size);
    return static_cast<std::int32_t>(whole_steps(most));
  }

  static std::size_t ordinal(const Side& side, int c, std::int32_t string) {
    return static_cast<std::size_t>(side.major.offsets[static_cast<std::size_t>(c)] + string);
  }

  /// Some pairs of a pattern, with the links that they need: where only pq >= rs count, those from the first on.
  Part make_part(const Side& side, int c, const Pattern& pattern, const std::vector<Range>& all,
                 std::int32_t first, std::int32_t count, bool half) {
    Part part{&pattern, first, count, 0, index_of(plan_.ranges.size())};
    const Pair& least = pattern.pairs[static_cast<std::size_t>(first)];
    const bool skips =
        half && pattern.pairs[static_cast<std::size_t>(first + count) - 1].coulomb_row != same_orbital;
    std::int32_t most = 0;
    for (std::int32_t k = 0; k < side.major.size(c); ++k) {
      Range range = all[ordinal(side, c, k)];
      const Link* links = plan_.links.data() + range.first;
      if (half && range.size > 0 && links[range.size - 1].code == self_code) --range.size;
      while (skips && range.size > 0 &&
             static_cast<std::int32_t>(plan_.links[static_cast<std::size_t>(range.first)].code / 2) <
                 least.pair) {
        ++range.first;
        --range.size;
      }
      most = std::max(most, range.size);
      plan_.ranges.push_back(range);
    }
    part.num_links = static_cast<std::int32_t>(whole_steps(most));
    if (most == 0) plan_.ranges.resize(static_cast<std::size_t>(part.first_range));
    return part;
  }

  /// Same-spin excitations of the strings of a class, by rows of a panel; where their offsets start.
  std::int32_t list_own(const Side& side, int c, int d) {
    const auto at = index_of(plan_.own_offsets.size());
    const OwnPlan::Links& links = own_.links_of(side.number, host_.tables().blocks.symmetric);
    plan_.own_offsets.push_back(std::ssize(plan_.own_values));
    for (std::int32_t k = 0; k < side.major.size(c); ++k) {
      links.add_rows(ordinal(side, c, k), side.layout, d, plan_.own_values, plan_.own_rows);
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
                             .first_pair = index_of(plan_.pairs.size()),
                             .num_pairs = part.count,
                             .num_links = part.num_links,
                             .first_link = phase.num_links,
                             .factors = static_cast<std::int32_t>(factors),
                             .t = static_cast<std::int32_t>(t)});
      plan_.pairs.insert(plan_.pairs.end(), pattern.pairs.begin() + part.first,
                         pattern.pairs.begin() + part.first + part.count);
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
  static double cost(const Item& item) {
    const double eights = (item.num_pairs + 7) / 8;
    return item.num_links / link_step * (tile_loads + eights) + tile_stores * eights;
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

  std::int64_t num_entry_groups() const {
    return std::ssize(plan_.short_entries) / entry_group + std::ssize(plan_.long_entries) / entry_group;
  }

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
            if (plan_.shape.shared)
              plan_.short_entries.push_back(static_cast<std::uint16_t>(value));
            else
              plan_.long_entries.push_back(value);
          }
        }
        groups += slice_columns;
      }
      plan_.slice_offsets.push_back(groups);
    }
  }

  /// Excitations of every major string through pairs of an irrep into the rows of a panel, by string.
  /// @param split  those from blocks alone that the layout prefers
  const std::vector<Range>& list_links(const Side& side, int source_class, int irrep, bool split) {
    const auto [at, is_new] = lists_.try_emplace({side.number, source_class, irrep, split});
    if (!is_new) return at->second;
    for (int c = 0; c < side.major.count(); ++c) {
      for (std::int32_t string = 0; string < side.major.size(c); ++string) {
        const std::int32_t first = index_of(plan_.links.size());
        sources_.add_links(side, c, string, source_class, irrep, split, plan_.links);
        at->second.push_back({first, index_of(plan_.links.size()) - first});
      }
    }
    return at->second;
  }

  const cisolve::DirectProduct& host_;
  const DirectConfig& config_;
  const Sources sources_;
  OwnPlan& own_;
  OppositePlan& plan_;
  std::vector<std::int32_t> strings_;  ///< of a block
  std::vector<double> costs_;          ///< of a row of it
  std::map<std::tuple<int, int, int, bool>, std::vector<Range>> lists_;
};

}  // namespace

OppositePlan::OppositePlan(const cisolve::DirectProduct& host, const DirectConfig& config, OwnPlan& own) {
  Maker(host, config, own, *this)();
}

}  // namespace cisolve::cuda::direct

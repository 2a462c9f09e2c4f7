// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/long_rows/long_rows_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve::cuda::direct {

/// Entries of a tile with one target.
struct LongRowsPlanner::Run {
  std::int32_t target;
  std::int32_t first, size;
};

/// Runs that the lanes of a warp do side by side, the longest first.
struct LongRowsPlanner::Slice {
  std::span<const Run> runs;
  int words;
};

/// The walks of a tile.
struct LongRowsPlanner::Tile {
  std::array<int, long_warps> sizes{};
  std::vector<std::uint32_t> words;
};

namespace {

static_assert(2 * most_long_pairs * long_ld + 1 <= entry_mask);

std::int32_t place_of(const Entry& entry, const Part& part, std::int32_t first_column) {
  return (entry.pair - part.first) * long_ld + entry.source - first_column;
}

/// Orders the entries of each run so that those which lanes read side by side are in different banks: of a half warp,
/// which is served at a time, lanes with few entries left choose first.
template <class Run>
void spread_over_banks(std::span<const Run> runs, const Part& part, std::int32_t first_column,
                       std::span<Entry> entries) {
  constexpr std::size_t half_warp = warp_size / 2, banks = 16;
  for (std::size_t half = 0; half < runs.size(); half += half_warp) {
    const auto lanes = runs.subspan(half, std::min(half_warp, runs.size() - half));
    for (std::int32_t k = 0; k < lanes.front().size; ++k) {
      std::array<int, banks> taken{};
      for (std::size_t lane = lanes.size(); lane-- > 0;) {
        if (k >= lanes[lane].size) continue;
        const auto left = entries.subspan(lanes[lane].first + k, lanes[lane].size - k);
        const auto taken_of = [&](const Entry& entry) -> int& {
          return taken[static_cast<std::size_t>(place_of(entry, part, first_column)) % banks];
        };
        const auto best = std::ranges::min_element(left, {}, taken_of);
        ++taken_of(*best);
        std::iter_swap(left.begin(), best);
      }
    }
  }
}

}  // namespace

LongRowsPlanner::LongRowsPlanner(const DeviceProfile& device, const Sources& sources, ExcitationLists& lists,
                                 std::span<const SourceStrip> strips, LongRowsPlan& plan)
    : sources_(sources), lists_(lists), strips_(strips), plan_(plan),
      tasks_(std::max<std::size_t>(strips.size(), 1)) {
  std::int32_t wanted_pairs = 0;
  for (const Side& side : sources.sides()) {
    const auto most_excitations = static_cast<std::int32_t>(sources.most_excitations(side));
    for (int d = 0; d < side.minor.count(); ++d) {
      if (!sources.is_long(side, d) || !sources.handles_any(side, d)) continue;
      plan_.most_columns = std::max(plan_.most_columns, side.minor.size(d));
      plan_.most_excitations = std::max(plan_.most_excitations, most_excitations);
      for (int source = 0; source < side.minor.count(); ++source) {
        for (const std::int32_t count : sources.count_pairs(side, d, source))
          wanted_pairs = std::max(wanted_pairs, (count + 7) / 8 * 8);
      }
    }
  }
  if (wanted_pairs > 0) choose(device, wanted_pairs);
}

void LongRowsPlanner::choose(const DeviceProfile& device, std::int32_t wanted_pairs) {
  wanted_pairs = std::min(wanted_pairs, most_long_pairs);
  const auto fits = [&](int blocks, bool shared, std::int32_t least_pairs) {
    plan_.shared = shared;
    plan_.pairs_at_a_time = wanted_pairs;
    const auto bytes = [&] {
      return static_cast<std::int64_t>(plan_.shared_bytes()) + device.shared_memory_of_system;
    };
    while (plan_.pairs_at_a_time > 0 && blocks * bytes() > device.shared_memory) plan_.pairs_at_a_time -= 8;
    return plan_.pairs_at_a_time >= least_pairs;
  };
  const bool short_rows = plan_.most_columns < static_cast<std::int64_t>(short_target_mask);
  if ((short_rows && fits(long_blocks, true, std::min(wanted_pairs, device.opposite.enough_pairs))) ||
      fits(long_blocks, false, 8) || fits(1, false, 8))
    return;
  throw ResourceError("DirectProduct: " + std::to_string(plan_.most_excitations) +
                      " single excitations of one irrep from a string are more than the device's shared "
                      "memory has room for");
}

void LongRowsPlanner::finish(bool by_layout) {
  for (const TaskList& of_strip : tasks_) {
    const std::vector<RowTask> tasks = of_strip.in_order(by_layout);
    if (!strips_.empty()) plan_.of_strips.push_back({std::ssize(plan_.arrays.tasks), std::ssize(tasks)});
    plan_.arrays.tasks.insert(plan_.arrays.tasks.end(), tasks.begin(), tasks.end());
    plan_.tasks_in_layout_1 += of_strip.count_in_layout_1();
    plan_.costs.insert(plan_.costs.end(), of_strip.costs().begin(), of_strip.costs().end());
  }
}

void LongRowsPlanner::add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns) {
  const BlockLayout::Panel& panel = side.panel(d);
  const LongBlock block{.y = side.own.origin(d, c),
                        .layout = side.number,
                        .coulomb = static_cast<std::int32_t>(side.major_coulomb.class_offsets[c]),
                        .stride = static_cast<std::int32_t>(panel.stride),
                        .columns = static_cast<std::int32_t>(panel.columns),
                        .first_item = 0,
                        .last_item = 0,
                        .half = sources_.parity() && c == d ? 1 : 0};
  const std::vector<CostedItem> items = items_of(side, c, d, patterns, block.half != 0);
  if (strips_.empty()) return add(block, items, side, c, tasks_.front());
  for (std::size_t k = 0; k < strips_.size(); ++k) {
    const SourceStrip& strip = strips_[k];
    std::vector<CostedItem> of_strip;
    for (CostedItem one : items) {
      if (one.source_class != strip.panel) continue;
      one.item.source = 0;
      one.item.stride = strip.columns;
      one.item.first_walk += strip.first_column / long_columns * long_warps;
      of_strip.push_back(one);
    }
    add(block, of_strip, side, c, tasks_[k]);
  }
}

/// What comes into a block of y from x.
std::vector<LongRowsPlanner::CostedItem> LongRowsPlanner::items_of(const Side& side, int c, int d,
                                                                   const std::vector<Pattern>& patterns,
                                                                   bool half) {
  std::vector<CostedItem> items;
  const bool split = sources_.splits(side, c, d);
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    const Pattern& pattern = patterns[k];
    const std::vector<Range>& ranges = lists_.all(side, pattern.source_class, pattern.irrep, split);
    if (ExcitationLists::most_excitations(side, c, ranges) == 0) continue;
    const auto num_pairs = static_cast<std::int32_t>(pattern.pairs.size());
    const std::int32_t size = even_part(num_pairs, plan_.pairs_at_a_time);
    const BlockLayout::Panel& from = side.panel(pattern.source_class);
    for (std::int32_t first = 0; first < num_pairs; first += size) {
      const Part part =
          lists_.make_part(side, c, pattern, ranges, first, std::min(size, num_pairs - first), half);
      if (part.num_excitations == 0) continue;
      items.push_back({{.source = from.offset,
                        .first_range = part.first_range,
                        .stride = static_cast<std::int32_t>(from.stride),
                        .first_pair = lists_.add_pairs(part),
                        .num_pairs = part.count,
                        .first_walk = walks_of(side, d, k, part)},
                       pattern.source_class,
                       (part.num_excitations + 8.0) * (part.count + 8.0)});
    }
  }
  return items;
}

/// Adds a block with these items, if there are any.
void LongRowsPlanner::add(LongBlock block, std::span<const CostedItem> items, const Side& side, int c,
                          TaskList& tasks) {
  if (items.empty()) return;
  double cost = 0.0;
  block.first_item = index_of(plan_.arrays.items.size());
  for (const CostedItem& one : items) {
    plan_.arrays.items.push_back(one.item);
    cost += one.cost * static_cast<double>(one.item.stride);
  }
  block.last_item = index_of(plan_.arrays.items.size());
  const auto number = index_of(plan_.arrays.blocks.size());
  plan_.arrays.blocks.push_back(block);
  tasks.add({side.number, c, cost}, side.own.range(c), number);
}

/// The walks of a part of the pattern with that number among those that lead into class d.
std::int32_t LongRowsPlanner::walks_of(const Side& side, int d, std::size_t number, const Part& part) {
  const auto [at, is_new] =
      walks_.try_emplace({side.number, d, number, part.first}, index_of(plan_.arrays.walks.size()));
  if (!is_new) return at->second;
  const std::int64_t columns = side.panel(part.pattern->source_class).stride;
  const std::vector<Entry>& all = part.pattern->entries;
  const auto begin = std::ranges::lower_bound(all, part.first, {}, &Entry::pair);
  const auto end = std::ranges::lower_bound(begin, all.end(), part.first + part.count, {}, &Entry::pair);
  // By tile, those of each in their order.
  std::vector<std::vector<Entry>> entries((columns + long_columns - 1) / long_columns);
  for (const Entry& entry : std::span(begin, end)) entries[entry.source / long_columns].push_back(entry);
  std::vector<Tile> tiles(entries.size());
  parallel_for(std::ssize(tiles), 1, [&](std::int64_t k) {
    std::vector<Entry>& of_tile = entries[k];
    std::ranges::stable_sort(of_tile, {}, &Entry::target);
    tiles[k] = make_tile(of_tile, part, static_cast<std::int32_t>(k) * long_columns);
  });
  for (const Tile& tile : tiles) {
    std::int32_t first = index_of(plan_.arrays.words.size() / warp_size);
    for (const int size : tile.sizes) {
      plan_.arrays.walks.push_back({first, size});
      first += size;
    }
    plan_.arrays.words.insert(plan_.arrays.words.end(), tile.words.begin(), tile.words.end());
  }
  return at->second;
}

/// @param entries  ascending by target; those of a target are reordered
LongRowsPlanner::Tile LongRowsPlanner::make_tile(std::span<Entry> entries, const Part& part,
                                                 std::int32_t first_column) const {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k == 0 || entries[k].target != entries[k - 1].target)
      runs.push_back({entries[k].target, static_cast<std::int32_t>(k), 0});
    ++runs.back().size;
  }
  std::ranges::stable_sort(runs, std::greater{}, &Run::size);
  // Long slices first, each to the warp that has least to do.
  std::array<std::vector<Slice>, long_warps> slices;
  Tile tile;
  for (std::size_t k = 0; k < runs.size(); k += warp_size) {
    const auto side_by_side =
        std::span<const Run>(runs).subspan(k, std::min<std::size_t>(warp_size, runs.size() - k));
    const int beside = plan_.shared ? 1 : 0;
    const Slice slice{side_by_side, 1 + (runs[k].size - beside + 1) / 2};
    spread_over_banks(side_by_side, part, first_column, entries);
    const std::size_t warp = std::ranges::min_element(tile.sizes) - tile.sizes.begin();
    slices[warp].push_back(slice);
    tile.sizes[warp] += slice.words;
  }
  for (const std::vector<Slice>& of_warp : slices) {
    for (const Slice& slice : of_warp) add_words(slice, entries, part, first_column, tile.words);
  }
  return tile;
}

void LongRowsPlanner::add_words(const Slice& slice, std::span<const Entry> entries, const Part& part,
                                std::int32_t first_column, std::vector<std::uint32_t>& words) const {
  const auto nothing = static_cast<std::uint32_t>(2 * plan_.pairs_at_a_time * long_ld);
  const auto entry_of = [&](const Run* run, std::int32_t number) {
    if (run == nullptr || number >= run->size) return nothing;
    const Entry& entry = entries[run->first + number];
    return static_cast<std::uint32_t>(2 * place_of(entry, part, first_column) + (entry.negative ? 1 : 0));
  };
  const auto first_of = [&](const Run* run) {
    if (!plan_.shared) return run == nullptr ? long_target_mask : static_cast<std::uint32_t>(run->target);
    const auto target = run == nullptr ? short_target_mask : static_cast<std::uint32_t>(run->target);
    return target << entry_bits | entry_of(run, 0);
  };
  std::int32_t done = 0;
  for (int word = 0; word < slice.words; ++word) {
    const std::uint32_t last = word + 1 == slice.words ? last_word : 0;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      const Run* run = lane < slice.runs.size() ? &slice.runs[lane] : nullptr;
      const std::uint32_t value =
          word == 0 ? first_of(run) : entry_of(run, done) | entry_of(run, done + 1) << entry_bits;
      words.push_back(value | last);
    }
    done += word > 0 ? 2 : plan_.shared ? 1 : 0;
  }
}

}  // namespace cisolve::cuda::direct

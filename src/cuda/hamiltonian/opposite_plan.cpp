// SPDX-License-Identifier: MIT
// Opposite-spin excitations, cut into what a block of threads does at a time.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "cuda/hamiltonian/direct_plan.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Shared memory of a multiprocessor that blocks share, and what each of them takes for the system.
constexpr std::int64_t multiprocessor_bytes = 228 << 10;
constexpr std::int64_t system_bytes = 1 << 10;

/// Pairs rs that must fit into shared memory at a time for it to be used, and the share of the wanted that must fit
/// for several blocks to share a multiprocessor.
constexpr double least_pairs = 6.0;
constexpr double least_share = 0.75;

/// From row to row of t: a multiple of 8, and 2, so that a warp's stores fall into different banks.
std::int64_t t_stride(std::int64_t stride) { return stride + 2; }

std::int64_t whole_steps(std::int64_t n) { return (n + link_step - 1) / link_step * link_step; }

/// An excitation of a minor string through a pair.
struct Entry {
  std::int32_t target, pair, source;  ///< pair: place in the pattern
  bool negative;
};

/// All pairs of an irrep from one minor class to another.
struct Pattern {
  int source_class, irrep;
  bool within;
  std::vector<Pair> pairs;
  std::vector<Entry> entries;  ///< ascending by pair
};

class Maker {
public:
  Maker(const cisolve::DirectProduct& host, const DirectConfig& config, OppositePlan& plan)
      : host_(host), config_(config), integrals_(host.integrals()), coulomb_rows_(coulomb_rows(host.integrals())),
        plan_(plan) {
    for (std::uint32_t rs = 0; rs < integrals_.num_pairs(); ++rs) {
      bool any = false;
      for (int p = 0; p < integrals_.num_orbitals(); ++p) {
        for (int q = 0; q < p; ++q) any = any || integrals_.row(rs)[integrals_.pair(p, q)] != 0.0;
      }
      couples_.push_back(any ? 1 : 0);
    }
  }

  void operator()() {
    std::vector<Side> sides;
    for (int layout = 0; layout < (parity() ? 1 : 2); ++layout) sides.emplace_back(host_.tables(), layout);
    for (const Side& side : sides) measure(side);
    choose_shape();
    std::vector<double> costs;
    for (const Side& side : sides) {
      for (int d = 0; d < side.minor.count(); ++d) add_panel(side, d, costs);
    }
    std::vector<std::int32_t> order(plan_.blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](auto a, auto b) {
      return costs[static_cast<std::size_t>(a)] > costs[static_cast<std::size_t>(b)];
    });
    for (const std::int32_t block : order) {
      for (std::int32_t k = 0; k < strings_[static_cast<std::size_t>(block)]; ++k) plan_.tasks.push_back({block, k});
    }
  }

private:
  bool parity() const { return host_.parity() != SpinParity::none; }

  /// Whether a block of y is worked on in this layout: where its rows are long.
  bool handles(const Side& side, int major_class, int minor_class) const {
    if (side.layout.row(minor_class, major_class) < 0) return false;
    const std::int64_t columns = side.minor.size(minor_class);
    const std::int64_t rows = side.major.size(major_class);
    if (parity()) return columns != rows ? columns > rows : major_class <= minor_class;
    return side.number == 0 ? 2 * columns >= rows : 2 * rows < columns;
  }

  /// Sizes that the shape of the blocks depends on.
  void measure(const Side& side) {
    std::size_t most = 0;
    for (std::int32_t string = 0; string < side.major.num_strings(); ++string) {
      for (int irrep = 0; irrep < 8; ++irrep) {
        std::size_t count = irrep == 0 ? 1 : 0;
        for (const SpinLinks::Group& group : side.major_links.singles_of(string, irrep))
          count += static_cast<std::size_t>(group.size);
        most = std::max(most, count);
      }
    }
    plan_.most_links = std::max(plan_.most_links, static_cast<std::int32_t>(whole_steps(static_cast<std::int64_t>(most))));
    for (int d = 0; d < side.minor.count(); ++d) {
      double rows = 0.0;
      for (int c = 0; c < side.major.count(); ++c) rows += handles(side, c, d) ? side.major.size(c) : 0.0;
      if (rows == 0.0) continue;
      plan_.most_columns = std::max(plan_.most_columns, side.minor.size(d));
      for (int source = 0; source < side.minor.count(); ++source) {
        std::map<int, int> counts;
        for (const auto& list : side.minor_links.pair_lists_between(d, source)) ++counts[list.irrep];
        const std::int64_t stride = side.layout.panels[static_cast<std::size_t>(source)].stride;
        for (const auto& [irrep, count] : counts) strides_.push_back({stride, count, rows * count * static_cast<double>(stride)});
        widest_ = std::max(widest_, stride);
      }
    }
  }

  std::int64_t room(int blocks) const {
    return (multiprocessor_bytes / blocks - system_bytes) / 8 - 2 -
           plan_.most_links * (1 + most_pairs + 4) - plan_.most_columns;
  }

  /// Share of the pairs that are wanted at a time that `blocks` blocks per multiprocessor have room for, and their
  /// number.
  std::pair<double, double> fit(int blocks) const {
    double pairs = 0.0, wanted = 0.0, weights = 0.0;
    for (const auto& [stride, count, weight] : strides_) {
      const auto most = std::min<double>(count, most_pairs);
      const std::int64_t fits = std::max<std::int64_t>(room(blocks) - 1, 0) / t_stride(stride);
      pairs += weight * std::min(most, static_cast<double>(fits));
      wanted += weight * most;
      weights += weight;
      if (fits < 1) return {0.0, 0.0};
    }
    return weights == 0.0 ? std::pair{1.0, least_pairs} : std::pair{pairs / wanted, pairs / weights};
  }

  void choose_shape() {
    int blocks = config_.blocks_per_multiprocessor;
    if (blocks == 0) {
      blocks = fit(1).second < least_pairs && fit(1).first < least_share ? -1 : 1;
      for (const int more : {2, 3}) {
        if (fit(more).first >= least_share) blocks = more;
      }
    } else if (blocks > 0 && fit(blocks).first == 0.0) {
      blocks = -1;
    }
    Shape& shape = plan_.shape;
    shape.shared = blocks > 0;
    shape.blocks = std::max(blocks, 1);
    shape.threads = shape.blocks == 1 ? 512 : 256;
    const std::int64_t most = most_pairs * t_stride(widest_) + 1;
    shape.most_t = static_cast<std::int32_t>(shape.shared ? std::min<std::int64_t>({room(shape.blocks), most, 32767}) : most);
  }

  void add_panel(const Side& side, int d, std::vector<double>& costs) {
    std::vector<int> classes;
    for (int c = 0; c < side.major.count(); ++c) {
      if (handles(side, c, d)) classes.push_back(c);
    }
    if (classes.empty()) return;
    plan_.uses_layout[side.number] = true;
    const auto first = static_cast<std::int32_t>(plan_.chunks.size());
    for (int source = 0; source < side.minor.count(); ++source) {
      for (int irrep = 0; irrep < 8; ++irrep) add_pattern(side, d, make_pattern(side, d, source, irrep));
    }
    const auto last = static_cast<std::int32_t>(plan_.chunks.size());
    const CoulombTable& coulomb = side.number == 0 ? host_.tables().alpha_coulomb : host_.tables().beta_coulomb;
    for (const int c : classes) {
      const BlockLayout::Panel& panel = side.layout.panels[static_cast<std::size_t>(d)];
      const std::int64_t row = side.layout.row(d, c);
      Block block{.y = panel.offset + row * panel.stride,
                  .layout = side.number,
                  .first_ordinal = side.major.offsets[static_cast<std::size_t>(c)],
                  .first_row = static_cast<std::int32_t>(row),
                  .coulomb = static_cast<std::int32_t>(coulomb.class_offsets[static_cast<std::size_t>(c)]),
                  .stride = static_cast<std::int32_t>(panel.stride),
                  .columns = static_cast<std::int32_t>(panel.columns),
                  .first_chunk = static_cast<std::int32_t>(plan_.block_chunks.size()),
                  .last_chunk = 0,
                  .half = parity() && c == d ? 1 : 0};
      double cost = 0.0;
      for (std::int32_t k = first; k < last; ++k) {
        const Chunk& chunk = plan_.chunks[static_cast<std::size_t>(k)];
        const auto at = static_cast<std::size_t>(chunk.first_list + block.first_ordinal);
        const auto links = plan_.link_offsets[at + static_cast<std::size_t>(side.major.size(c))] - plan_.link_offsets[at];
        const bool itself = chunk.within == 1 && block.half == 0;
        if (links == 0 && !itself) continue;
        plan_.block_chunks.push_back(k);
        cost += (static_cast<double>(links) / side.major.size(c) + 4.0) * (chunk.num_pairs + 8.0) * chunk.stride;
      }
      block.last_chunk = static_cast<std::int32_t>(plan_.block_chunks.size());
      if (block.first_chunk == block.last_chunk) continue;
      plan_.blocks.push_back(block);
      strings_.push_back(side.major.size(c));
      costs.push_back(cost);
    }
  }

  Pattern make_pattern(const Side& side, int d, int source, int irrep) const {
    Pattern pattern{source, irrep, irrep == 0 && source == d, {}, {}};
    const SpinLinks& minor = side.minor_links;
    for (const SpinLinks::PairList& list : minor.pair_lists_between(d, source)) {
      if (list.irrep != irrep || couples_[list.pair] == 0) continue;
      const auto place = static_cast<std::int32_t>(pattern.pairs.size());
      pattern.pairs.push_back({static_cast<std::int32_t>(list.pair), coulomb_rows_[list.pair]});
      for (auto k = static_cast<std::size_t>(list.first); k < static_cast<std::size_t>(list.last); ++k)
        pattern.entries.push_back({minor.targets[k], place, minor.sources[k], minor.signs[k] < 0.0});
    }
    if (!pattern.within) return pattern;
    // r = s: what an excitation of the major spin feels of the minor string.
    const auto electrons = static_cast<std::size_t>(minor.num_electrons);
    for (int r = 0; r < integrals_.num_orbitals(); ++r) {
      const std::uint32_t rr = integrals_.pair(r, r);
      if (couples_[rr] == 0) continue;
      const auto place = static_cast<std::int32_t>(pattern.pairs.size());
      const std::size_t before = pattern.entries.size();
      for (std::int32_t string = 0; string < side.minor.size(d); ++string) {
        const auto ordinal = static_cast<std::size_t>(side.minor.offsets[static_cast<std::size_t>(d)] + string);
        const std::uint8_t* orbitals = minor.occupied.data() + ordinal * electrons;
        if (std::find(orbitals, orbitals + electrons, r) != orbitals + electrons)
          pattern.entries.push_back({string, place, string, false});
      }
      if (pattern.entries.size() > before) pattern.pairs.push_back({static_cast<std::int32_t>(rr), same_orbital});
    }
    return pattern;
  }

  void add_pattern(const Side& side, int d, const Pattern& pattern) {
    if (pattern.pairs.empty()) return;
    const BlockLayout::Panel& from = side.layout.panels[static_cast<std::size_t>(pattern.source_class)];
    const std::int64_t first_list = list_links(side, pattern.source_class, pattern.irrep);
    const auto total = static_cast<std::int32_t>(pattern.pairs.size());
    const std::int64_t stride = t_stride(from.stride);
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(most_pairs, (plan_.shape.most_t - 1) / stride));
    const std::int32_t parts = (total + most - 1) / most;
    const std::int32_t even = (total + parts - 1) / parts;
    const std::int32_t size = (even + 7) / 8 * 8 <= most ? (even + 7) / 8 * 8 : even;
    auto entry = pattern.entries.begin();
    for (std::int32_t first = 0; first < total; first += size) {
      const std::int32_t count = std::min(size, total - first);
      const auto end = std::find_if(entry, pattern.entries.end(), [&](const Entry& e) { return e.pair >= first + count; });
      plan_.chunks.push_back({.source = from.offset,
                              .first_list = first_list,
                              .first_entry = num_entry_groups(),
                              .first_slice = static_cast<std::int32_t>(plan_.slice_offsets.size()),
                              .first_pair = static_cast<std::int32_t>(plan_.pairs.size()),
                              .num_pairs = count,
                              .stride = static_cast<std::int32_t>(from.stride),
                              .within = pattern.within ? 1 : 0});
      plan_.pairs.insert(plan_.pairs.end(), pattern.pairs.begin() + first, pattern.pairs.begin() + first + count);
      add_entries({entry, end}, side.minor.size(d), first, count, stride);
      entry = end;
    }
  }

  std::int64_t num_entry_groups() const {
    return std::ssize(plan_.short_entries) / entry_group + std::ssize(plan_.long_entries) / entry_group;
  }

  /// [slices][groups][columns][entry_group], ascending by pair within a column.
  void add_entries(std::span<const Entry> entries, std::int32_t columns, std::int32_t first_pair, std::int32_t num_pairs,
                   std::int64_t stride) {
    std::vector<std::vector<std::uint32_t>> of_column(static_cast<std::size_t>((columns + slice_columns - 1) / slice_columns * slice_columns));
    for (const Entry& e : entries) {
      const std::int64_t place = (e.pair - first_pair) * stride + e.source;
      of_column[static_cast<std::size_t>(e.target)].push_back(static_cast<std::uint32_t>(2 * place + (e.negative ? 1 : 0)));
    }
    const auto nothing = static_cast<std::uint32_t>(2 * num_pairs * stride);
    std::int32_t groups = 0;
    plan_.slice_offsets.push_back(0);
    for (std::size_t first = 0; first < of_column.size(); first += slice_columns) {
      std::size_t most = 0;
      for (std::size_t k = first; k < first + slice_columns; ++k) most = std::max(most, of_column[k].size());
      for (std::size_t slot = 0; slot < most; slot += entry_group) {
        for (std::size_t k = first; k < first + slice_columns; ++k) {
          for (std::size_t j = slot; j < slot + entry_group; ++j) {
            const std::uint32_t value = j < of_column[k].size() ? of_column[k][j] : nothing;
            if (plan_.shape.shared) plan_.short_entries.push_back(static_cast<std::uint16_t>(value));
            else plan_.long_entries.push_back(value);
          }
        }
        groups += slice_columns;
      }
      plan_.slice_offsets.push_back(groups);
    }
  }

  /// Excitations of every major string through pairs of an irrep into the rows of a panel; where their list starts.
  std::int64_t list_links(const Side& side, int source_class, int irrep) {
    const auto [at, is_new] = lists_.try_emplace({side.number, source_class, irrep}, std::ssize(plan_.link_offsets));
    if (!is_new) return at->second;
    plan_.link_offsets.push_back(std::ssize(plan_.links));
    for (std::int32_t string = 0; string < side.major.num_strings(); ++string) {
      const auto first = std::ssize(plan_.links);
      for (const SpinLinks::Group& group : side.major_links.singles_of(string, irrep)) {
        const std::int64_t row = side.layout.row(source_class, group.source_class);
        if (row < 0) continue;
        const SpinLinks::Single* entry = side.major_links.singles.data() + group.first;
        for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry)
          plan_.links.push_back({static_cast<std::int32_t>(row + entry->source), entry->code});
      }
      std::sort(plan_.links.begin() + first, plan_.links.end(), [](const Link& a, const Link& b) { return a.code < b.code; });
      plan_.link_offsets.push_back(std::ssize(plan_.links));
    }
    return at->second;
  }

  struct Stride {
    std::int64_t stride;
    int count;
    double weight;
  };

  const cisolve::DirectProduct& host_;
  const DirectConfig& config_;
  const IntegralTables& integrals_;
  const std::vector<std::int32_t> coulomb_rows_;
  OppositePlan& plan_;
  std::vector<std::uint8_t> couples_;
  std::vector<Stride> strides_;
  std::int64_t widest_ = 0;
  std::vector<std::int32_t> strings_;  ///< of a block
  std::map<std::tuple<int, int, int>, std::int64_t> lists_;
};

}  // namespace

OppositePlan::OppositePlan(const cisolve::DirectProduct& host, const DirectConfig& config) { Maker(host, config, *this)(); }

std::size_t OppositePlan::shared_bytes() const {
  const std::int64_t t = shape.shared ? shape.most_t : 0;
  return static_cast<std::size_t>(8 * (t + t % 2 + most_links * (1 + most_pairs + 4) + most_columns));
}

}  // namespace cisolve::cuda::direct

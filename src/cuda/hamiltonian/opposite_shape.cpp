// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/opposite_shape.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "cisolve/core/error.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Pairs rs that must fit into shared memory at a time for it to be used, and the share of the wanted that must fit
/// for two blocks to share a multiprocessor.
constexpr double least_pairs = 6.0;
constexpr double least_share = 0.5;

/// Elements of factors that a block holds at least, and of t.
constexpr std::int64_t least_factors = 1536;
constexpr std::int64_t least_t = 2048;

}  // namespace

/// Sizes that the shape of the blocks depends on.
void ShapeChoice::measure(const Side& side) {
  std::size_t most = 0;
  for (std::int32_t string = 0; string < side.major.num_strings(); ++string) {
    for (int irrep = 0; irrep < 8; ++irrep) {
      std::size_t count = irrep == 0 ? 1 : 0;
      for (const SpinLinks::Group& group : side.major_links.singles_of(string, irrep))
        count += static_cast<std::size_t>(group.size);
      most = std::max(most, count);
    }
  }
  most_links_ = std::max(most_links_, whole_steps(static_cast<std::int64_t>(most)));
  for (int d = 0; d < side.minor.count(); ++d) {
    std::vector<int> classes;
    for (int c = 0; c < side.major.count(); ++c) {
      if (sources_.handles(side, c, d)) classes.push_back(c);
    }
    if (classes.empty()) continue;
    const std::int64_t columns = side.layout.panels[static_cast<std::size_t>(d)].stride;
    plan_.most_columns = std::max(plan_.most_columns, static_cast<std::int32_t>(columns));
    for (int source = 0; source < side.minor.count(); ++source) {
      double rows = 0.0;
      for (const int c : classes) rows += sources_.is_fed(side, c, d, source) ? side.major.size(c) : 0.0;
      if (rows == 0.0) continue;
      std::map<int, int> counts;
      for (const auto& list : side.minor_links.pair_lists_between(d, source)) ++counts[list.irrep];
      if (source == d) ++counts[0];
      const std::int64_t stride = side.layout.panels[static_cast<std::size_t>(source)].stride;
      for (const auto& [irrep, count] : counts)
        strides_.push_back({stride, count, rows * count * static_cast<double>(stride)});
      widest_ = std::max(widest_, stride);
    }
  }
}

std::int64_t ShapeChoice::room(int blocks) const {
  return (config_.shared_memory / blocks - system_bytes) / 8 - 2 - 2 * plan_.most_pack() - plan_.most_columns;
}

/// Share of the pairs that are wanted at a time that `blocks` blocks per multiprocessor have room for, and their
/// number.
std::pair<double, double> ShapeChoice::fit(int blocks) const {
  if (room(blocks) < least_shared_t(plan_.most_columns)) return {0.0, 0.0};
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

/// Sizes of a phase in which each excitation has factors for `width` pairs.
void ShapeChoice::set_phase(std::int64_t width, std::int64_t least) {
  plan_.most_factors = static_cast<std::int32_t>(std::max(most_links_ * (width + factor_padding), least));
  plan_.most_links = plan_.most_factors / (8 + factor_padding);
  plan_.most_items = plan_.most_links / link_step;
}

void ShapeChoice::choose() {
  // Where t takes all room, there is one item in a phase, of few pairs.
  const std::int64_t pairs = config_.shared_memory / 8 / t_stride(widest_);
  std::int64_t width = std::clamp<std::int64_t>(whole_steps(pairs), 8, most_pairs);
  set_phase(width, pairs < 16 ? 0 : least_factors);
  int blocks = std::min(config_.blocks_per_multiprocessor, 2);
  if (blocks == 0) {
    blocks = fit(1).second < least_pairs && fit(1).first < least_share ? -1 : 1;
    if (fit(2).first >= least_share) blocks = 2;
  } else if (blocks > 0 && fit(blocks).first == 0.0) {
    blocks = -1;
  }
  Shape& shape = plan_.shape;
  shape.shared = blocks > 0;
  shape.blocks = std::max(blocks, 1);
  shape.warps = shape.blocks == 1 ? most_warps : few_warps;
  // Without t and the row of y, shared memory holds what excites: many excitations, for fewer pairs at a time.
  const auto most_bytes = static_cast<std::size_t>(config_.shared_memory - system_bytes);
  while (!shape.shared && plan_.shared_bytes() > most_bytes && width > 8) set_phase(width -= 8, 0);
  if (!shape.shared && plan_.shared_bytes() > most_bytes) {
    throw ResourceError("DirectProduct: " + std::to_string(most_links_) +
                        " single excitations of one irrep from a string are more than the device's shared "
                        "memory has room for");
  }
  const std::int64_t most =
      std::max<std::int64_t>({most_pairs * t_stride(widest_) + 1, least_t, plan_.most_columns});
  shape.most_t = static_cast<std::int32_t>(
      shape.shared ? std::min<std::int64_t>(room(shape.blocks), most_shared_t) : most);
}

std::int64_t OppositePlan::most_pack() const { return pack_size(most_items, most_links, most_factors); }

std::size_t OppositePlan::shared_bytes() const {
  const std::int64_t scratch = shape.shared ? std::int64_t{shape.most_t} + most_columns : 0;
  return static_cast<std::size_t>(8 * (scratch + 2 * most_pack()));
}

std::int64_t OppositePlan::tile_size() const {
  return shape.shared ? 0 : (std::int64_t{shape.most_t} + most_columns + 7) / 8 * 8;
}

}  // namespace cisolve::cuda::direct

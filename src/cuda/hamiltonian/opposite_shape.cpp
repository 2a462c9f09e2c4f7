// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/opposite_shape.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/hamiltonian/link_lists.hpp"

namespace cisolve::cuda::direct {
namespace {

/// What a block of threads holds at a time, from all sides, before any of them is planned.
class ShapeChoice {
public:
  ShapeChoice(const DirectConfig& config, const Sources& sources, OppositePlan& plan)
      : config_(config), sources_(sources), plan_(plan) {}

  void measure(const Side& side);
  bool choose();

private:
  struct Stride {
    std::int64_t stride;
    int count;
    double weight;
  };

  std::int64_t room(int blocks) const;
  std::pair<double, double> fit(int blocks) const;
  void set_phase(std::int64_t width, std::int64_t least);

  const DirectConfig& config_;
  const Sources& sources_;
  OppositePlan& plan_;
  std::vector<Stride> strides_;
  std::int64_t widest_ = 8, most_links_ = link_step;
};

/// Sizes that the shape of the blocks depends on.
void ShapeChoice::measure(const Side& side) {
  most_links_ = std::max(most_links_, sources_.most_links(side));
  for (int d = 0; d < side.minor.count(); ++d) {
    if (sources_.is_tiled(side, d)) continue;
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
      const auto counts = sources_.count_pairs(side, d, source);
      if (rows == 0.0 || std::ranges::max(counts) == 0) continue;
      const std::int64_t stride = side.layout.panels[static_cast<std::size_t>(source)].stride;
      for (const std::int32_t count : counts) {
        if (count > 0) strides_.push_back({stride, count, rows * count * static_cast<double>(stride)});
      }
      widest_ = std::max(widest_, stride);
    }
  }
}

std::int64_t ShapeChoice::room(int blocks) const {
  return (config_.device.shared_memory / blocks - config_.device.shared_memory_of_system) / 8 - 2 -
         2 * plan_.most_pack() - plan_.most_columns;
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
  return weights == 0.0 ? std::pair{1.0, config_.device.opposite.least_pairs}
                        : std::pair{pairs / wanted, pairs / weights};
}

/// Sizes of a phase in which each excitation has factors for `width` pairs.
void ShapeChoice::set_phase(std::int64_t width, std::int64_t least) {
  plan_.most_factors = static_cast<std::int32_t>(std::max(most_links_ * (width + factor_padding), least));
  plan_.most_links = plan_.most_factors / (8 + factor_padding);
  plan_.most_items = plan_.most_links / link_step;
}

bool ShapeChoice::choose() {
  // Where t takes all room, there is one item in a phase, of few pairs.
  const std::int64_t pairs = config_.device.shared_memory / 8 / t_stride(widest_);
  set_phase(std::clamp<std::int64_t>(whole_steps(pairs), 8, most_pairs),
            pairs < 16 ? 0 : config_.device.opposite.least_factors);
  const DeviceProfile::OppositeCosts& least = config_.device.opposite;
  int blocks = config_.blocks_per_multiprocessor;
  if (blocks == 0) {
    if (fit(1).second < least.least_pairs && fit(1).first < least.least_share) return false;
    blocks = fit(2).first >= least.least_share ? 2 : 1;
  } else if (fit(blocks).first == 0.0) {
    return false;
  }
  Shape& shape = plan_.shape;
  shape.blocks = blocks;
  shape.warps = blocks == 1 ? most_warps : few_warps;
  shape.most_t = static_cast<std::int32_t>(std::min<std::int64_t>(room(blocks), most_shared_t));
  return true;
}

}  // namespace

bool choose_shape(const DirectConfig& config, const Sources& sources, std::span<const Side> sides,
                  OppositePlan& plan) {
  ShapeChoice choice(config, sources, plan);
  for (const Side& side : sides) choice.measure(side);
  if (choice.choose()) return true;
  plan = {};
  return false;
}

std::int64_t OppositePlan::most_pack() const { return pack_size(most_items, most_links, most_factors); }

std::size_t OppositePlan::shared_bytes() const {
  return static_cast<std::size_t>(8 * (std::int64_t{shape.most_t} + most_columns + 2 * most_pack()));
}

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/opposite/shape.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace cisolve::cuda::direct {
namespace {

/// What a block of threads holds at a time, from all sides, before any of them is planned.
class ShapeChoice {
public:
  ShapeChoice(const DeviceProfile& device, const Sources& sources, Shape& shape)
      : device_(device), sources_(sources), shape_(shape) {}

  void measure(const Side& side);
  bool choose(int blocks);

private:
  struct Stride {
    std::int64_t stride;
    int count;
    double weight;
  };

  std::int64_t room(int blocks) const;
  std::pair<double, double> fit(int blocks) const;
  void set_phase(std::int64_t width, std::int64_t least);

  const DeviceProfile& device_;
  const Sources& sources_;
  Shape& shape_;
  std::vector<Stride> strides_;
  std::int64_t widest_ = 8, most_excitations_ = excitation_step;
};

/// Sizes that the shape of the blocks depends on.
void ShapeChoice::measure(const Side& side) {
  most_excitations_ = std::max(most_excitations_, sources_.most_excitations(side));
  for (int d = 0; d < side.minor.count(); ++d) {
    if (sources_.is_long(side, d)) continue;
    std::vector<int> classes;
    for (int c = 0; c < side.major.count(); ++c) {
      if (sources_.handles(side, c, d)) classes.push_back(c);
    }
    if (classes.empty()) continue;
    const std::int64_t columns = side.panel(d).stride;
    shape_.most_columns = std::max(shape_.most_columns, static_cast<std::int32_t>(columns));
    for (int source = 0; source < side.minor.count(); ++source) {
      const auto counts = sources_.count_pairs(side, d, source);
      if (std::ranges::max(counts) == 0) continue;
      double rows = 0.0;
      for (const int c : classes) rows += sources_.is_fed(side, c, d, source) ? side.major.size(c) : 0.0;
      if (rows == 0.0) continue;
      const std::int64_t stride = side.panel(source).stride;
      for (const std::int32_t count : counts) {
        if (count > 0) strides_.push_back({stride, count, rows * count * static_cast<double>(stride)});
      }
      widest_ = std::max(widest_, stride);
    }
  }
}

std::int64_t ShapeChoice::room(int blocks) const {
  return (device_.shared_memory / blocks - device_.shared_memory_of_system) / 8 - 2 - 2 * shape_.most_pack() -
         shape_.most_columns;
}

/// Share of the pairs that are wanted at a time that `blocks` blocks per multiprocessor have room for, and their
/// number.
std::pair<double, double> ShapeChoice::fit(int blocks) const {
  if (room(blocks) < least_shared_t(shape_.most_columns)) return {0.0, 0.0};
  double pairs = 0.0, wanted = 0.0, weights = 0.0;
  for (const auto& [stride, count, weight] : strides_) {
    const auto most = std::min<double>(count, most_pairs);
    const std::int64_t fits = std::max<std::int64_t>(room(blocks) - 1, 0) / t_stride(stride);
    pairs += weight * std::min(most, static_cast<double>(fits));
    wanted += weight * most;
    weights += weight;
    if (fits < 1) return {0.0, 0.0};
  }
  return weights == 0.0 ? std::pair{1.0, device_.opposite.least_pairs}
                        : std::pair{pairs / wanted, pairs / weights};
}

/// Sizes of a phase in which each excitation has factors for `width` pairs.
void ShapeChoice::set_phase(std::int64_t width, std::int64_t least) {
  shape_.most_factors =
      static_cast<std::int32_t>(std::max(most_excitations_ * (width + factor_padding), least));
  shape_.most_excitations = shape_.most_factors / (8 + factor_padding);
  shape_.most_items = shape_.most_excitations / excitation_step;
}

/// @param blocks  of threads per multiprocessor; 0: chosen
bool ShapeChoice::choose(int blocks) {
  // Where t takes all room, there is one item in a phase, of few pairs.
  const std::int64_t pairs = device_.shared_memory / 8 / t_stride(widest_);
  set_phase(std::clamp<std::int64_t>(whole_steps(pairs), 8, most_pairs),
            pairs < 16 ? 0 : device_.opposite.least_factors);
  const DeviceProfile::OppositeCosts& least = device_.opposite;
  if (blocks == 0) {
    if (fit(1).second < least.least_pairs && fit(1).first < least.least_share) return false;
    blocks = fit(2).first >= least.least_share ? 2 : 1;
  } else if (fit(blocks).first == 0.0) {
    return false;
  }
  shape_.blocks = blocks;
  shape_.warps = blocks == 1 ? most_warps : few_warps;
  shape_.most_t = static_cast<std::int32_t>(std::min<std::int64_t>(room(blocks), most_shared_t));
  return true;
}

}  // namespace

bool choose_shape(const DeviceProfile& device, int blocks_per_multiprocessor, const Sources& sources,
                  Shape& shape) {
  ShapeChoice choice(device, sources, shape);
  for (const Side& side : sources.sides()) choice.measure(side);
  if (choice.choose(blocks_per_multiprocessor)) return true;
  shape = {};
  return false;
}

}  // namespace cisolve::cuda::direct

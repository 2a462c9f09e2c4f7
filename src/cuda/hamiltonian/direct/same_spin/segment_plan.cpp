// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/same_spin/segment_plan.hpp"

#include <algorithm>
#include <bit>

#include "cuda/hamiltonian/direct/side.hpp"

namespace cisolve::cuda::direct {
namespace {

std::size_t number_place(const Side& side, int panel, int c) {
  return static_cast<std::size_t>(panel) * static_cast<std::size_t>(side.major.count()) +
         static_cast<std::size_t>(c);
}

}  // namespace

void SegmentPlan::add(const Side& side, int panel, int c) {
  const BlockLayout::Panel& p = side.panel(panel);
  const auto lanes = static_cast<std::int32_t>(
      std::clamp<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(p.columns)) / 2, 1, 32));
  std::vector<std::int32_t>& numbers = numbers_[side.number];
  if (numbers.empty()) numbers.assign(side.layout.first_row.size(), -1);
  numbers[number_place(side, panel, c)] = static_cast<std::int32_t>(segments.size());
  const StringShares::Range own = side.own.range(c);
  segments.push_back({.y = side.own.origin(panel, c) + own.first * p.stride,
                      .panel = p.offset,
                      .first_warp = 0,
                      .layout = side.number,
                      .minor_class = panel,
                      .major_class = c,
                      .strings = own.size(),
                      .first_ordinal = side.first_ordinal(c) + own.first,
                      .stride = static_cast<std::int32_t>(p.stride),
                      .lanes = lanes,
                      .column_tiles = static_cast<std::int32_t>((p.columns + 2 * lanes - 1) / (2 * lanes))});
}

bool SegmentPlan::take(const Side& side, int panel, int c) {
  std::vector<std::int32_t>& numbers = numbers_[side.number];
  if (numbers.empty()) return false;
  std::int32_t& number = numbers[number_place(side, panel, c)];
  if (number < 0) return false;
  segments[number].strings = 0;
  number = -1;
  return true;
}

void SegmentPlan::finish() {
  std::erase_if(segments, [](const Segment& segment) { return segment.strings == 0; });
  for (std::vector<std::int32_t>& numbers : numbers_) numbers = {};
  num_warps = 0;
  for (Segment& segment : segments) {
    segment.first_warp = num_warps;
    num_warps += std::int64_t{segment.strings} * segment.column_tiles;
  }
}

}  // namespace cisolve::cuda::direct

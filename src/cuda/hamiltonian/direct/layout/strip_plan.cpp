// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/layout/strip_plan.hpp"

#include <algorithm>

#include "cuda/hamiltonian/direct/long_rows/long_row_arrays.hpp"

namespace cisolve::cuda::direct {
namespace {

/// Columns of the strips of a panel, in whole tiles.
std::int64_t width_of(const BlockLayout::Panel& panel, std::int64_t most_size) {
  const auto in_tiles = [](std::int64_t columns) {
    return (columns + long_columns - 1) / long_columns * long_columns;
  };
  const std::int64_t most = std::max<std::int64_t>(most_size / panel.rows / long_columns, 1) * long_columns;
  const std::int64_t strips = (panel.stride + most - 1) / most;
  return in_tiles((panel.stride + strips - 1) / strips);
}

SourceStrip make_strip(const Side& side, const StringShares& shares, int number, std::int64_t first,
                       std::int64_t columns) {
  const BlockLayout::Panel& panel = side.panel(number);
  SourceStrip strip{.panel = number,
                    .first_column = static_cast<std::int32_t>(first),
                    .columns = static_cast<std::int32_t>(columns),
                    .panel_stride = panel.stride,
                    .size = panel.rows * columns,
                    .own = {},
                    .give = {},
                    .take = {}};
  for (int c = 0; c < side.major.count(); ++c) {
    const std::int64_t row = side.layout.row(number, c);
    const StringShares::Range own = side.own.range(c);
    if (row >= 0 && own.size() > 0)
      strip.own.push_back({side.own.origin(number, c) + own.first * panel.stride + first,
                           (row + own.first) * columns, own.size()});
  }
  for (int rank = 0; rank < shares.ranks; ++rank) {
    if (rank == shares.rank) continue;
    for (const StripRows& own : strip.own) strip.give.push_back({rank, own.to, own.rows * columns});
    for (int c = 0; c < side.major.count(); ++c) {
      const std::int64_t row = side.layout.row(number, c);
      const StringShares::Range theirs = shares.of(rank, side.major.size(c));
      if (row >= 0 && theirs.size() > 0)
        strip.take.push_back({rank, (row + theirs.first) * columns, theirs.size() * columns});
    }
  }
  return strip;
}

}  // namespace

std::vector<SourceStrip> make_strips(const Side& by_alpha, const StringShares& shares,
                                     std::int64_t most_size) {
  std::vector<SourceStrip> strips;
  for (int number = 0; number < by_alpha.minor.count(); ++number) {
    const BlockLayout::Panel& panel = by_alpha.panel(number);
    if (panel.rows == 0) continue;
    const std::int64_t width = width_of(panel, most_size);
    for (std::int64_t first = 0; first < panel.stride; first += width)
      strips.push_back(make_strip(by_alpha, shares, number, first, std::min(width, panel.stride - first)));
  }
  return strips;
}

std::int64_t largest_of(const std::vector<SourceStrip>& strips) {
  return strips.empty() ? 0 : std::ranges::max_element(strips, {}, &SourceStrip::size)->size;
}

}  // namespace cisolve::cuda::direct

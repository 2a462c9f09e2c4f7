// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

inline constexpr std::uint32_t largest_delta = 65535;

/// Rows that are laid out together: enough to sort, and at least 128 blocks for the threads to share.
std::int64_t rows_per_coded_block(std::int64_t num_rows, const CodedLayout& layout);

/// Slices of unsorted rows spread over a matrix: all of a small one, a 64th of a larger one, few of a large
/// one, so that reading them costs little beside building.
class SampledSlices {
public:
  explicit SampledSlices(std::int64_t num_rows) : num_rows_(num_rows) {
    constexpr std::int64_t least = 32;
    constexpr std::int64_t most = 128;  // enough for neighbours of all kinds
    constexpr std::int64_t share = 64;
    const std::int64_t slices = (num_rows + coded_lanes - 1) / coded_lanes;
    stride_ = std::max<std::int64_t>(slices / std::clamp(slices / share, least, most), 1);
    count_ = (slices + stride_ - 1) / stride_;
  }
  std::int64_t count() const { return count_; }
  std::int64_t num_rows() const { return std::min(count_ * coded_lanes, num_rows_); }
  RowRange operator[](std::int64_t at) const {
    const std::int64_t first = at * stride_ * coded_lanes;
    return {first, std::min(first + coded_lanes, num_rows_)};
  }

private:
  std::int64_t num_rows_;
  std::int64_t stride_;
  std::int64_t count_;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/types.hpp"

namespace cisolve::cuda::direct {

struct Side;

/// Same-spin excitations into the own strings of a major class, for the columns of a panel, by warps.
struct Segment {
  std::int64_t y;           ///< its first element
  std::int64_t panel;       ///< first element of the panel
  std::int64_t first_warp;  ///< warps of the segments before
  std::int32_t layout;
  std::int32_t minor_class;
  std::int32_t major_class;
  std::int32_t strings;
  std::int32_t first_ordinal;
  std::int32_t stride;
  std::int32_t lanes;         ///< across columns, 1 to 32; the others share out excitations
  std::int32_t column_tiles;  ///< of 2 * lanes columns
};

/// Same-spin parts that are summed excitation by excitation, by themselves.
struct SegmentPlan {
  std::vector<Segment> segments;
  std::int64_t num_warps = 0;

  void add(const Side& side, int panel, int c);

  /// Whether a major class has a segment in a panel; takes it out.
  bool take(const Side& side, int panel, int c);

  /// Leaves out what was taken and numbers the warps of the others.
  void finish();

private:
  std::vector<std::int32_t> numbers_[2];  ///< by layout, [panels][classes]: of the segment, -1: none
};

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/hamiltonian/direct/layout/exchange_plan.hpp"

// How ranks gather x some columns at a time, so that none has room for all of it.
namespace cisolve::cuda::direct {

/// Consecutive own rows of a panel, of which some columns go into a strip.
struct StripRows {
  std::int64_t from, to;  ///< first elements, in own rows of x and in the strip
  std::int64_t rows;
};

/// Some columns of a panel of x in layout 0 with the rows of all ranks, one after the other as in the panel: what ranks have
/// gathered at a time.
struct SourceStrip {
  int panel;
  std::int32_t first_column,
      columns;  ///< padding included; whole tiles of long rows but for the panel's last
  std::int64_t panel_stride;
  std::int64_t size;                  ///< elements
  std::vector<StripRows> own;         ///< by class
  std::vector<RankPiece> give, take;  ///< of the strip, once own rows are there
};

/// All of x, panel after panel; those of a panel are about equally wide.
/// @param most_size  elements that a strip is to have at most; one tile of columns it has anyway
std::vector<SourceStrip> make_strips(const Side& by_alpha, const StringShares& shares,
                                     std::int64_t most_size);

/// Elements of the largest; 0 if there are none.
std::int64_t largest_of(const std::vector<SourceStrip>& strips);

}  // namespace cisolve::cuda::direct

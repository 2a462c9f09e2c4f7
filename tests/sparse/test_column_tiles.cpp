// SPDX-License-Identifier: MIT
#include "sparse/column_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "sparse/coded_source.hpp"

namespace cisolve {
namespace test_column_tiles {

using test::CodedCase;

/// Tile and coded words of each piece of the row in a lane, one after the other.
std::vector<std::pair<std::int64_t, int>> pieces_of(const CodedMatrix& a, std::int64_t slice,
                                                    std::int64_t lane, std::int64_t width) {
  std::vector<std::pair<std::int64_t, int>> pieces;
  std::int64_t column = a.bases[(slice * coded_parts) * coded_lanes + lane];
  const std::int64_t words = (a.chunk_offsets[slice + 1] - a.chunk_offsets[slice]) * coded_chunk_words;
  for (std::int64_t at = 0; at < words; ++at) {
    const CodedWord word = a.words_of(
        slice)[(at / coded_chunk_words * coded_lanes + lane) * coded_chunk_words + at % coded_chunk_words];
    const bool only_moves = code_of(word) == 0;
    column += a.has_wide_jumps && only_moves ? std::int64_t{65536} * delta_of(word) : delta_of(word);
    if (only_moves) continue;
    const std::int64_t tile = column / width;
    if (pieces.empty() || pieces.back().first != tile || pieces.back().second == longest_piece)
      pieces.emplace_back(tile, 0);
    ++pieces.back().second;
  }
  return pieces;
}

class ColumnTilesOf : public ::testing::TestWithParam<CodedCase> {};

TEST_P(ColumnTilesOf, EveryPieceHasAPlaceOfItsOwnThatIsLongEnough) {
  const CodedMatrix a = build_coded(GetParam().make(), {}, GetParam().layout);
  for (const std::int32_t width : {1, 7, 32, 1000, widest_tile}) {
    if (a.num_columns / width > 2000) continue;  // far_source in single columns
    const ColumnTiles tiles = make_column_tiles(a, width);
    ASSERT_EQ(tiles.num_tiles(), (a.num_columns + width - 1) / width);
    std::set<std::int32_t> taken;
    std::vector<int> longest(static_cast<std::size_t>(tiles.num_slices()), 0);
    for (std::int64_t slice = 0; slice < a.num_slices(); ++slice) {
      for (std::int64_t lane = 0; lane < coded_lanes; ++lane) {
        std::int64_t at = tiles.sum_offsets[slice];
        for (const auto& [tile, length] : pieces_of(a, slice, lane, width)) {
          ASSERT_LT(at, tiles.sum_offsets[slice + 1]);
          const std::int32_t place = tiles.sums[at++ * coded_lanes + lane];
          ASSERT_GE(place, 0);
          const std::int32_t tile_slice = place / coded_lanes;
          ASSERT_GE(tile_slice, tiles.first_slices[tile]);
          ASSERT_LT(tile_slice, tiles.first_slices[tile + 1]);
          ASSERT_TRUE(taken.insert(place).second) << "two pieces have one place";
          longest[static_cast<std::size_t>(tile_slice)] =
              std::max(longest[static_cast<std::size_t>(tile_slice)], length);
        }
        for (; at < tiles.sum_offsets[slice + 1]; ++at) ASSERT_EQ(tiles.sums[at * coded_lanes + lane], -1);
      }
    }
    EXPECT_EQ(std::ssize(taken), tiles.num_pieces);
    for (std::int64_t slice = 0; slice < tiles.num_slices(); ++slice) {
      const int words = longest[static_cast<std::size_t>(slice)];
      EXPECT_GT(words, 0);
      EXPECT_EQ(tiles.word_offsets[slice + 1] - tiles.word_offsets[slice],
                (words + coded_chunk_words - 1) / coded_chunk_words);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ColumnTilesOf, ::testing::ValuesIn(test::coded_cases()),
                         [](const auto& param) { return param.param.name; });

TEST(ColumnTiles, MeanPieceIsThatOfTheWholeMatrix) {
  const CodedMatrix a = build_coded(test::ci_like_source(2000, 60, 300));  // 63 slices: all are looked at
  for (const std::int32_t width : {32, 500, 5000}) {
    EXPECT_DOUBLE_EQ(mean_piece(a, width), static_cast<double>(a.num_coded) /
                                               static_cast<double>(make_column_tiles(a, width).num_pieces));
  }
  EXPECT_EQ(mean_piece(build_coded(test::uneven_coded_source(300, 7)), 32), 0.0);
}

TEST(ColumnTiles, WidthsThatHaveNoRoomInAWordAreRefused) {
  const CodedMatrix a = build_coded(test::uneven_coded_source(40));
  EXPECT_THROW(make_column_tiles(a, 0), DimensionError);
  EXPECT_THROW(make_column_tiles(a, widest_tile + 1), DimensionError);
}

}  // namespace test_column_tiles
}  // namespace cisolve

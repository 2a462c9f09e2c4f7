// SPDX-License-Identifier: MIT
// Layouts of the paper's formats, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csb_matrix.hpp"
#include "cisolve/sparse/ell_matrix.hpp"
#include "cisolve/sparse/paper_hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve {
namespace test_layouts {

using test::ListedSource;
using test::uneven_matrix;

/// [[1, 2, 0], [0, 0, 3], [4, 5, 6]]
ListedSource small_matrix() { return ListedSource({{{0, 1}, {1, 2}}, {{2}, {3}}, {{0, 1, 2}, {4, 5, 6}}}); }

template <class T>
std::vector<T> list(const Array<T>& array) {
  return {array.begin(), array.end()};
}

TEST(EllMatrix, IsPaddedToTheLongestRowSlotBySlot) {
  const ListedSource source = small_matrix();
  const EllMatrix a = build_ell(source, count_rows(source), {.slice_size = 0, .row_counts = true});
  EXPECT_EQ(list(a.columns), (std::vector<ColumnIndex>{0, 2, 0, 1, -1, 1, -1, -1, 2}));
  EXPECT_EQ(list(a.values), (std::vector<double>{1, 3, 4, 2, 0, 5, 0, 0, 6}));
  EXPECT_EQ(list(a.row_counts), (std::vector<std::int32_t>{2, 1, 3}));
  EXPECT_EQ(a.slice_offsets.size(), 0U);
}

TEST(EllMatrix, SlicesArePaddedEachForItself) {
  const ListedSource source = small_matrix();
  const EllMatrix a = build_ell(source, count_rows(source), {.slice_size = 2, .row_counts = false});
  EXPECT_EQ(list(a.columns), (std::vector<ColumnIndex>{0, 2, 1, -1, 0, 1, 2}));
  EXPECT_EQ(list(a.values), (std::vector<double>{1, 3, 2, 0, 4, 5, 6}));
  EXPECT_EQ(list(a.slice_offsets), (std::vector<std::int64_t>{0, 4, 7}));
  EXPECT_FALSE(a.has_counts());
}

TEST(EllMatrix, TakesTheBytesOfThePaperButForSixtyFourBitOffsets) {
  const ListedSource source = uneven_matrix(1000);
  const auto lengths = count_rows(source);
  const auto bytes = [&](std::int64_t slice_size, bool counts) {
    return array_bytes(build_ell(source, lengths, {.slice_size = slice_size, .row_counts = counts}));
  };
  EXPECT_EQ(bytes(0, false), 12 * 1000 * 1000);  // Row 0 is dense.
  EXPECT_EQ(bytes(0, true), 12 * 1000 * 1000 + 4 * 1000);
  std::int64_t sliced = 8 * (32 + 1);
  for (std::ptrdiff_t first = 0; first < 1000; first += 32) {
    const std::ptrdiff_t last = std::min<std::ptrdiff_t>(first + 32, 1000);
    sliced += 12 * (last - first) * *std::max_element(lengths.begin() + first, lengths.begin() + last);
  }
  EXPECT_EQ(bytes(32, false), sliced);
  EXPECT_EQ(bytes(32, true), sliced + 4 * 1000);
  EXPECT_THROW(build_ell(source, lengths, {.slice_size = -1, .row_counts = false}), DimensionError);
}

TEST(CsbMatrix, HoldsBlockByBlock) {
  const ListedSource source = small_matrix();
  const CsbMatrix a = build_csb(source, count_rows(source), 2);
  EXPECT_EQ(a.num_block_rows, 2);
  EXPECT_EQ(a.num_block_columns, 2);
  EXPECT_EQ(list(a.block_offsets), (std::vector<std::int64_t>{0, 2, 3, 5, 6}));
  EXPECT_EQ(list(a.row_indices), (std::vector<std::uint16_t>{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(list(a.column_indices), (std::vector<std::uint16_t>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(list(a.values), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(CsbMatrix, BlocksAreAboutTheRootOfTheColumns) {
  EXPECT_EQ(choose_csb_block(0), 16);
  EXPECT_EQ(choose_csb_block(1023), 16);
  EXPECT_EQ(choose_csb_block(1024), 32);
  EXPECT_EQ(choose_csb_block(373311), 512);
  EXPECT_EQ(choose_csb_block(std::int64_t{1} << 30), largest_csb_block);
  const ListedSource source = small_matrix();
  EXPECT_THROW(build_csb(source, count_rows(source), -1), DimensionError);
  EXPECT_THROW(build_csb(source, count_rows(source), largest_csb_block + 1), DimensionError);
}

TEST(PaperHybridMatrix, IsAlgorithmSix) {
  const ListedSource source = small_matrix();
  const PaperHybridMatrix a = build_paper_hybrid(source, count_rows(source), 2);
  EXPECT_EQ(list(a.ell_columns), (std::vector<ColumnIndex>{0, 1, 2, -1, 0, 1}));
  EXPECT_EQ(list(a.ell_values), (std::vector<double>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(list(a.csr_columns), (std::vector<ColumnIndex>{2}));
  EXPECT_EQ(list(a.csr_values), (std::vector<double>{6}));
  EXPECT_EQ(list(a.starts), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(list(a.ends), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_EQ(list(a.row_counts), (std::vector<std::uint32_t>{2, 1, 3}));
  EXPECT_EQ(array_bytes(a), 12 * (3 * 2 + 1 + 3));
}

}  // namespace test_layouts
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/sparse/coded_matrix.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/coded_source.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve {
namespace {

using testing::CodedSource;
using testing::coded_cases;
using testing::CodedCase;
using testing::long_double_product;
using testing::random_vector;
using testing::rounding_bound;

class ThreadCount {
public:
  explicit ThreadCount(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~ThreadCount() { omp_set_num_threads(before_); }

private:
  int before_;
};

template <class T>
void expect_same(const Array<T>& a, const Array<T>& b, const char* what) {
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << what;
}

void expect_same_matrix(const CodedMatrix& a, const CodedMatrix& b) {
  EXPECT_EQ(a.num_rows, b.num_rows);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.num_coded, b.num_coded);
  EXPECT_EQ(a.num_uncoded_values, b.num_uncoded_values);
  expect_same(a.dictionary, b.dictionary, "dictionary");
  expect_same(a.permutation, b.permutation, "permutation");
  expect_same(a.bases, b.bases, "bases");
  expect_same(a.chunk_offsets, b.chunk_offsets, "chunk_offsets");
  expect_same(a.remainder_offsets, b.remainder_offsets, "remainder_offsets");
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (std::size_t block = 0; block < a.blocks.size(); ++block) {
    expect_same(a.blocks[block].words, b.blocks[block].words, "words");
    expect_same(a.blocks[block].remainder_values, b.blocks[block].remainder_values, "values");
    expect_same(a.blocks[block].remainder_columns, b.blocks[block].remainder_columns, "columns");
  }
}

/// Words of row 0 of a matrix of one slice whose first row stays first.
std::vector<CodedWord> words_of_lane_0(const CodedMatrix& a) {
  std::vector<CodedWord> words;
  for (std::int64_t chunk = 0; chunk < a.num_chunks(); ++chunk) {
    const CodedWord* from = a.words_of(0) + chunk * coded_lanes * coded_chunk_words;
    words.insert(words.end(), from, from + coded_chunk_words);
  }
  return words;
}

TEST(CodedMatrix, HoldsAHandMadeRow) {
  // Two magnitudes with both signs and a general element in between.
  const CodedSource source({{{{0, 1, 2, 4}, {1.5, 7.0, -0.25, -1.5}}, {1}}, {}, {}, {}, {}});
  const CodedMatrix a = build_coded(source);

  EXPECT_EQ(std::vector(a.dictionary.begin(), a.dictionary.end()), (std::vector<double>{0.0, 1.5, 0.25}));
  EXPECT_EQ(words_of_lane_0(a), (std::vector<CodedWord>{1U << 16, 0x80000000U | (2U << 16) | 2U,
                                                        0x80000000U | (1U << 16) | 2U, 0U}));
  EXPECT_EQ(a.remainder_values_of(0)[0], 7.0);
  EXPECT_EQ(a.remainder_columns_of(0)[0], 1);
  EXPECT_EQ(a.num_nonzeros(), 4);
  EXPECT_EQ(a.num_coded, 3);
  EXPECT_EQ(a.permutation[0], 0);
  EXPECT_EQ(a.permutation[5], -1);
  EXPECT_EQ(real_bytes(a), 3 * 8 + 32 * 4 + 4 * 32 * 4 + 2 * (2 * 8) + 32 * 16 + 32 * 12);
}

TEST(CodedMatrix, JumpsOfBothKinds) {
  constexpr ColumnIndex far = 200'000;
  std::vector<CodedSource::Row> rows(static_cast<std::size_t>(far) + 1);
  rows[0] = {{{3, far}, {1.0, 1.0}}, {}};
  const CodedSource source(std::move(rows));
  const CodedMatrix narrow = build_coded(source);
  EXPECT_FALSE(narrow.has_wide_jumps);
  EXPECT_EQ(words_of_lane_0(narrow).at(0), 1U << 16);
  EXPECT_EQ(words_of_lane_0(narrow).at(1), 65535U);
  EXPECT_EQ(words_of_lane_0(narrow).at(3), 65535U);
  EXPECT_EQ(words_of_lane_0(narrow).at(4), (1U << 16) | (199'997U - 3U * 65535U));

  const CodedMatrix wide = build_coded(source, {}, {.narrow_jump_rows = 10});
  EXPECT_TRUE(wide.has_wide_jumps);
  EXPECT_EQ(words_of_lane_0(wide).at(1), 199'997U >> 16);
  EXPECT_EQ(words_of_lane_0(wide).at(2), (1U << 16) | (199'997U & 0xffffU));
}

class CodedMatrixOf : public ::testing::TestWithParam<CodedCase> {};

TEST_P(CodedMatrixOf, ProductsMatchLongDouble) {
  const CodedSource source = GetParam().make();
  const std::int64_t n = source.num_rows();
  const CsrMatrix csr = build_csr(source);
  const CodedMatrix a = build_coded(source, {}, GetParam().layout);
  EXPECT_EQ(a.num_nonzeros(), csr.num_nonzeros());
  SpmvWorkspace workspace;
  const std::int64_t stride = n + 3;  // columns of a larger block
  for (const int k : {1, 2, 3, 4, 7}) {
    const auto size = static_cast<std::size_t>(stride * k);
    const std::vector<double> x = random_vector(size, 7);
    const ConstHostView view{x.data(), n, k, stride};
    const std::vector<double> expected = long_double_product(csr, view);
    const std::vector<double> bound = rounding_bound(csr, view);
    for (const bool in_parallel : {false, true}) {
      std::vector<double> y(size, -1.0);
      if (in_parallel) spmv(a, view, {y.data(), n, k, stride}, workspace);
      else spmv(a, view, {y.data(), n, k, stride});
      for (std::int64_t i = 0; i < stride * k; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto packed = static_cast<std::size_t>(i / stride * n + i % stride);
        if (i % stride >= n) {
          ASSERT_EQ(y[at], -1.0) << "wrote between the columns";
        } else {
          ASSERT_NEAR(y[at], expected[packed], bound[packed]) << "element " << i << " of " << k;
        }
      }
    }
  }
}

TEST_P(CodedMatrixOf, DoesNotDependOnThreads) {
  const CodedSource source = GetParam().make();
  const std::int64_t n = source.num_rows();
  CodedMatrix alone, together;
  SpmvWorkspace workspace;
  const std::vector<double> x = random_vector(static_cast<std::size_t>(7 * n), 8);
  std::vector<double> once(x.size()), again(x.size());
  {
    const ThreadCount one(1);
    alone = build_coded(source, {}, GetParam().layout);
    spmv(alone, {x.data(), n, 7, n}, {once.data(), n, 7, n}, workspace);
  }
  for (int turn = 0; turn < 3; ++turn) {
    const ThreadCount many(5);
    together = build_coded(source, {.progress = {}, .stop = {}, .rows_per_chunk = 7}, GetParam().layout);
    spmv(together, {x.data(), n, 7, n}, {again.data(), n, 7, n}, workspace);
    expect_same_matrix(alone, together);
    EXPECT_EQ(once, again);
  }
}

TEST_P(CodedMatrixOf, EveryRowHasOneLaneAndBasesAreWhereAWalkArrives) {
  const CodedMatrix a = build_coded(GetParam().make(), {}, GetParam().layout);
  std::set<std::int32_t> rows;
  for (const std::int32_t row : a.permutation) {
    if (row >= 0) {
      EXPECT_TRUE(rows.insert(row).second) << row;
    }
  }
  EXPECT_EQ(std::ssize(rows), a.num_rows);
  for (std::int64_t slice = 0; slice < a.num_slices(); ++slice) {
    const auto at = static_cast<std::size_t>(slice);
    const std::int64_t chunks = a.chunk_offsets[at + 1] - a.chunk_offsets[at];
    for (int lane = 0; lane < coded_lanes; ++lane) {
      const ColumnIndex* bases = a.bases.data() + slice * coded_parts * coded_lanes + lane;
      std::int64_t column = bases[0];
      int part = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        for (; part < coded_parts && chunks * part / coded_parts == chunk; ++part) {
          ASSERT_EQ(bases[part * coded_lanes], column) << "slice " << slice << ", lane " << lane;
        }
        for (int step = 0; step < coded_chunk_words; ++step) {
          const CodedWord word = a.words_of(slice)[(chunk * coded_lanes + lane) * coded_chunk_words + step];
          const bool is_wide = a.has_wide_jumps && code_of(word) == 0;
          column += std::int64_t{delta_of(word)} << (is_wide ? 16 : 0);
          ASSERT_LT(column, a.num_rows);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CodedMatrixOf, ::testing::ValuesIn(coded_cases()),
                         [](const auto& param) { return param.param.name; });

TEST(CodedMatrix, KeepsTheMostFrequentValuesOfTooMany) {
  // Magnitude j + 1 occurs in every row of a multiple of j + 1: the small ones are frequent.
  std::vector<CodedSource::Row> rows(64);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (i % (j + 1) != 0) continue;
      rows[i].row.columns.push_back(static_cast<ColumnIndex>(j));
      rows[i].row.values.push_back(i % 2 == 0 ? -static_cast<double>(j + 1) : static_cast<double>(j + 1));
    }
  }
  const CodedMatrix a = build_coded(CodedSource(std::move(rows)), {}, {.max_codes = 5});
  std::vector<double> kept(a.dictionary.begin(), a.dictionary.end());
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(a.num_coded, 64 + 32 + 22 + 16 + 13);
  EXPECT_EQ(a.num_uncoded_values, a.num_nonzeros() - a.num_coded);
}

TEST(CodedMatrix, TheDictionaryIsUsedToItsEnd) {
  const CodedMatrix a = build_coded(testing::ci_like_source(2000, 60, 40'000));
  EXPECT_EQ(a.dictionary.size(), 32768U);
  EXPECT_GT(a.num_uncoded_values, 0);
  EXPECT_GT(a.num_coded, 10 * a.num_uncoded_values);
}

TEST(CodedMatrix, TheNarrowestWindowThatIsNotMuchLargerIsTaken) {
  const CodedSource even = testing::ci_like_source(2000, 40, 30);
  CodedLayout unsorted;
  unsorted.window = 32;
  expect_same_matrix(build_coded(even, {}, {.window_tolerance = 1.0}), build_coded(even, {}, unsorted));

  const CodedSource uneven = testing::uneven_coded_source(1000);
  const std::int64_t sorted = real_bytes(build_coded(uneven, {}, {.window_tolerance = 0.0}));
  EXPECT_LT(sorted, real_bytes(build_coded(uneven, {}, unsorted)));
}

TEST(CodedMatrix, TakesLittleMoreThanFourBytesPerNonzero) {
  const CodedMatrix a = build_coded(testing::ci_like_source(3000, 400, 200));
  EXPECT_LE(static_cast<double>(real_bytes(a)), 4.5 * static_cast<double>(a.num_nonzeros()));
  const std::vector<std::int64_t> lengths = count_rows(testing::ci_like_source(3000, 400, 200));
  const auto estimate = static_cast<double>(estimate_coded_bytes(lengths));
  EXPECT_NEAR(estimate / static_cast<double>(real_bytes(a)), 1.0, 0.15);
}

TEST(CodedMatrix, ShapesAndLayoutsAreChecked) {
  const CodedSource source = testing::uneven_coded_source(10);
  const CodedMatrix a = build_coded(source);
  std::vector<double> x(30), y(30);
  SpmvWorkspace workspace;
  EXPECT_THROW(spmv(a, {x.data(), 9, 1, 9}, {y.data(), 10, 1, 10}), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 10, 1, 10}, {y.data(), 9, 1, 9}, workspace), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 10, 2, 10}, {y.data(), 10, 1, 10}, workspace), DimensionError);
  for (const CodedLayout& layout : {CodedLayout{.max_codes = 0}, CodedLayout{.max_codes = 32768},
                                    CodedLayout{.window = 48}, CodedLayout{.window = 4096},
                                    CodedLayout{.window_tolerance = -1.0}}) {
    EXPECT_THROW(build_coded(source, {}, layout), DimensionError);
  }
}

TEST(CodedMatrix, SourcesThatContradictThemselvesAreRefused) {
  const auto with_general = [](std::vector<std::int32_t> general) {
    return CodedSource({{{{0, 1}, {1.0, 2.0}}, std::move(general)}, {}});
  };
  EXPECT_NO_THROW(build_coded(with_general({0, 1})));
  EXPECT_THROW(build_coded(with_general({1, 0})), DimensionError);
  EXPECT_THROW(build_coded(with_general({2})), DimensionError);
  EXPECT_THROW(build_coded(with_general({-1})), DimensionError);
  EXPECT_THROW(build_coded(CodedSource({{{{0, 2}, {1.0, 2.0}}, {}}, {}})), DimensionError);
}

TEST(CodedMatrix, ProgressNeverGoesBackAndStopEndsTheBuild) {
  std::vector<double> seen;
  const auto note = [&](double fraction) { seen.push_back(fraction); };
  build_coded(testing::ci_like_source(3000, 20, 500), {.progress = note}, {.max_codes = 100});
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_DOUBLE_EQ(seen.back(), 1.0);

  std::stop_source stop;
  const auto stop_half_way = [&](double fraction) { if (fraction > 0.3) stop.request_stop(); };
  EXPECT_THROW(build_coded(testing::ci_like_source(3000, 20, 50),
                           {.progress = stop_half_way, .stop = stop.get_token()}),
               Interrupted);
}

}  // namespace
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/sparse/coded_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sparse/coded_sample.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/coded_source.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve {
namespace test_coded_matrix {

using test::coded_cases;
using test::CodedCase;
using test::CodedSource;
using test::long_double_product;
using test::random_vector;
using test::rounding_bound;

template <class T>
void expect_same(const Array<T>& a, const Array<T>& b, const char* what) {
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << what;
}

void expect_same_matrix(const CodedMatrix& a, const CodedMatrix& b) {
  EXPECT_EQ(a.num_rows, b.num_rows);
  EXPECT_EQ(a.num_columns, b.num_columns);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.num_coded, b.num_coded);
  EXPECT_EQ(a.num_uncoded_values, b.num_uncoded_values);
  expect_same(a.order, b.order, "order");
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
  EXPECT_EQ(array_bytes(a), 3 * 8 + 32 * 4 + 4 * 32 * 4 + 2 * (2 * 8) + 32 * 16 + 32 * 12);
}

TEST(CodedMatrix, JumpsOfBothKinds) {
  constexpr ColumnIndex far = 200'000;
  std::vector<CodedSource::Row> rows(far + 1);
  rows[0] = {{{3, far}, {1.0, 1.0}}, {}};
  const CodedSource source(std::move(rows));
  const CodedMatrix narrow = build_coded(source);
  EXPECT_FALSE(narrow.has_wide_jumps);
  EXPECT_EQ(words_of_lane_0(narrow).at(0), 1U << 16);
  EXPECT_EQ(words_of_lane_0(narrow).at(1), 65535U);
  EXPECT_EQ(words_of_lane_0(narrow).at(3), 65535U);
  EXPECT_EQ(words_of_lane_0(narrow).at(4), (1U << 16) | (199'997U - 3U * 65535U));

  const CodedMatrix wide = build_coded(source, {}, {.narrow_jump_columns = 10});
  EXPECT_TRUE(wide.has_wide_jumps);
  EXPECT_EQ(words_of_lane_0(wide).at(1), 199'997U >> 16);
  EXPECT_EQ(words_of_lane_0(wide).at(2), (1U << 16) | (199'997U & 0xffffU));
}

class CodedMatrixOf : public ::testing::TestWithParam<CodedCase> {};

TEST_P(CodedMatrixOf, ProductsMatchLongDouble) {
  const CodedSource source = GetParam().make();
  const std::int64_t n = source.num_rows(), m = source.num_columns();
  const CsrMatrix csr = build_csr(source);
  const CodedMatrix a = build_coded(source, {}, GetParam().layout);
  EXPECT_EQ(a.num_nonzeros(), csr.num_nonzeros());
  SpmvWorkspace workspace;
  const std::int64_t stride = n + 3;  // columns of a larger block
  for (const int k : {1, 2, 3, 4, 7}) {
    const std::size_t size = stride * k;
    const std::vector<double> x = random_vector((m + 5) * k, 7);
    const ConstHostView view{x.data(), m, k, m + 5};
    const std::vector<double> expected = long_double_product(csr, view);
    const std::vector<double> bound = rounding_bound(csr, view);
    for (const bool in_parallel : {false, true}) {
      std::vector<double> y(size, -1.0);
      if (in_parallel)
        spmv(a, view, {y.data(), n, k, stride}, workspace);
      else
        spmv(a, view, {y.data(), n, k, stride});
      for (std::int64_t i = 0; i < stride * k; ++i) {
        const std::size_t at = i;
        const std::size_t packed = i / stride * n + i % stride;
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
  const std::int64_t n = source.num_rows(), m = source.num_columns();
  CodedMatrix alone, together;
  SpmvWorkspace workspace;
  const std::vector<double> x = random_vector(7 * m, 8);
  std::vector<double> once(7 * n), again(once.size());
  {
    const ThreadScope one(1);
    alone = build_coded(source, {}, GetParam().layout);
    spmv(alone, {x.data(), m, 7, m}, {once.data(), n, 7, n}, workspace);
  }
  for (int turn = 0; turn < 3; ++turn) {
    const ThreadScope many(5);
    together = build_coded(source, {.progress = {}, .stop = {}, .rows_per_chunk = 7}, GetParam().layout);
    spmv(together, {x.data(), m, 7, m}, {again.data(), n, 7, n}, workspace);
    expect_same_matrix(alone, together);
    EXPECT_EQ(once, again);
  }
}

TEST_P(CodedMatrixOf, IsTheSameWhoeverNumbersTheValues) {
  const CodedMatrix by_bits = build_coded(GetParam().make(), {}, GetParam().layout);
  const CodedMatrix by_source = build_coded(test::NumberingSource(GetParam().make()), {}, GetParam().layout);
  expect_same_matrix(by_bits, by_source);
}

TEST_P(CodedMatrixOf, TheDictionaryHasNothingThatIsNotUsed) {
  const CodedMatrix a = build_coded(test::NumberingSource(GetParam().make()), {}, GetParam().layout);
  std::vector<bool> is_used(a.dictionary.size(), false);
  is_used[0] = true;
  for (const CodedBlock& block : a.blocks) {
    for (const CodedWord word : block.words) is_used.at(code_of(word)) = true;
  }
  EXPECT_EQ(std::ranges::count(is_used, false), 0);
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
    const std::size_t at = slice;
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
          ASSERT_LT(column, a.num_columns);
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
  const CodedMatrix a = build_coded(test::ci_like_source(2000, 60, 40'000));
  EXPECT_EQ(a.dictionary.size(), 32768U);
  EXPECT_GT(a.num_uncoded_values, 0);
  EXPECT_GT(a.num_coded, 10 * a.num_uncoded_values);
}

/// Row i has `length(i)` columns from i on.
template <class Length>
CodedSource band(std::int64_t n, const Length& length) {
  std::vector<CodedSource::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i; j < std::min(i + length(i), n); ++j) {
      rows[i].row.columns.push_back(static_cast<ColumnIndex>(j));
      rows[i].row.values.push_back(1.0 + static_cast<double>((i + j) % 3));
    }
  }
  return CodedSource(std::move(rows));
}

TEST(CodedMatrix, TheCheapestWindowIsTaken) {
  constexpr std::int64_t n = 2000;
  const auto build = [](const CodedSource& source, std::int32_t window) {
    return build_coded(source, {}, {.window = window});
  };
  // Lengths of 100 to 104: sorting saves 4% of the padding, and would tear neighbours apart.
  const CodedSource even = band(n, [](std::int64_t i) { return 100 + 4 * (i % 7 == 0); });
  expect_same_matrix(build(even, 0), build(even, 32));
  // Lengths of 20 and 400: without sorting half of the words would be padding.
  const CodedSource uneven = band(n, [](std::int64_t i) { return i % 2 == 0 ? 20 : 400; });
  EXPECT_LT(array_bytes(build(uneven, 0)), 0.7 * static_cast<double>(array_bytes(build(uneven, 32))));
}

TEST(CodedMatrix, OrdersThatAreNoneAreRefused) {
  for (const std::vector<std::int32_t>& order :
       {std::vector<std::int32_t>{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}}) {
    EXPECT_THROW(build_coded(test::uneven_coded_source(3).in_order(order)), DimensionError);
  }
  const CodedMatrix a = build_coded(test::uneven_coded_source(3).in_order({2, 0, 1}));
  EXPECT_EQ(std::vector<std::int32_t>(a.order.begin(), a.order.end()), (std::vector<std::int32_t>{2, 0, 1}));
}

TEST(CodedMatrix, OrdersAreThoseOfSquareMatrices) {
  const CodedSource square = test::uneven_coded_source(40).shuffled();
  std::vector<std::int32_t> order(30);
  std::iota(order.rbegin(), order.rend(), 0);
  const CodedMatrix a =
      build_coded(square.part({5, 35}, 40).in_order(order), {}, {.row_order = RowOrder::local});
  EXPECT_EQ(a.order.size(), 0U);
  EXPECT_GT(build_coded(square).order.size(), 0U);
}

TEST(CodedMatrix, TakesLittleMoreThanFourBytesPerNonzero) {
  const CodedMatrix a = build_coded(test::ci_like_source(3000, 400, 200));
  EXPECT_LE(static_cast<double>(array_bytes(a)), 4.5 * static_cast<double>(a.num_nonzeros()));
}

TEST(CodedSample, ForetellsWhatFindsNoCode) {
  const test::NumberingSource source(test::ci_like_source(3000, 400, 40'000));
  const CodedSample sample = sample_coded(source);
  const CodedMatrix a = build_coded(source);
  const auto nonzeros = static_cast<double>(a.num_nonzeros());
  EXPECT_GT(sample.num_values, largest_code);
  EXPECT_EQ(a.dictionary.size(), 32768U);
  // The least frequent fifth of the values: in a third of the rows, chance makes more of what is rare there.
  const double share = static_cast<double>(a.num_uncoded_values) / nonzeros;
  EXPECT_GT(share, 0.10);
  EXPECT_NEAR(sample.uncoded_share, share, 0.05);
  const std::vector<std::int64_t> lengths = count_rows(source);
  const auto bytes = static_cast<double>(array_bytes(a));
  EXPECT_NEAR(static_cast<double>(estimate_coded_bytes(lengths, sample)) / bytes, 1.0, 0.08);
  EXPECT_LT(static_cast<double>(estimate_coded_bytes(lengths)) / bytes, 0.9) << "the share is not looked at";
}

TEST(CodedSample, OfFewValuesAndOfNoRows) {
  const CodedSample few = sample_coded(test::ci_like_source(3000, 400, 200));
  EXPECT_EQ(few.num_values, 200);
  EXPECT_EQ(few.uncoded_share, 0.0);
  EXPECT_EQ(few.jump_share, 0.0);
  const CodedSample none = sample_coded(CodedSource({}));
  EXPECT_EQ(none.remainder_share, CodedSample{}.remainder_share);
  EXPECT_EQ(estimate_coded_bytes({}, none), array_bytes(build_coded(CodedSource({}))) + 8 * largest_code);
}

TEST(CodedSample, CountsTheWordsOfJumps) {
  const CodedSample sample = sample_coded(test::far_source());
  EXPECT_GT(sample.jump_share, 0.0);
}

TEST(CodedMatrix, ShapesAndLayoutsAreChecked) {
  const CodedSource source = test::uneven_coded_source(10);
  const CodedMatrix a = build_coded(source);
  std::vector<double> x(30), y(30);
  SpmvWorkspace workspace;
  EXPECT_THROW(spmv(a, {x.data(), 9, 1, 9}, {y.data(), 10, 1, 10}), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 10, 1, 10}, {y.data(), 9, 1, 9}, workspace), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 10, 2, 10}, {y.data(), 10, 1, 10}, workspace), DimensionError);
  for (const CodedLayout& layout : {CodedLayout{.max_codes = 0}, CodedLayout{.max_codes = 32768},
                                    CodedLayout{.window = 48}, CodedLayout{.window = 4096}}) {
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

/// One row of a numbered source that may contradict itself.
class OneNumberedRow final : public RowSource, public NumberedRowSource {
public:
  OneNumberedRow(std::vector<ColumnIndex> columns, std::vector<ValueNumber> numbers)
      : columns_(std::move(columns)), numbers_(std::move(numbers)) {}
  std::int64_t num_rows() const override { return 200'000; }
  void count(RowRange, std::span<std::int64_t> lengths) const override { std::ranges::fill(lengths, 0); }
  void fill(RowRange, RowSink&) const override {}
  std::unique_ptr<const NumberedRowSource> numbered() const override {
    return std::make_unique<OneNumberedRow>(*this);
  }
  std::span<const double> magnitudes() const override { return magnitudes_; }
  void fill(RowRange range, NumberedRowSink& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      if (i == 77)
        sink.row({i, columns_, numbers_, {}, {}, 0});
      else
        sink.row({i, {}, {}, {}, {}, 0});
    }
  }

private:
  std::vector<ColumnIndex> columns_;
  std::vector<ValueNumber> numbers_;
  std::vector<double> magnitudes_ = {0.5, 0.25};
};

TEST(CodedMatrix, NumberedRowsThatContradictThemselvesAreRefused) {
  EXPECT_EQ(build_coded(OneNumberedRow({0, 199'999}, {0, 1})).num_coded, 2);
  EXPECT_THROW(build_coded(OneNumberedRow({0, 1}, {0, 2})), DimensionError);  // no such place
  EXPECT_THROW(build_coded(OneNumberedRow({0, 1}, {0})), DimensionError);     // unlike numbers
  EXPECT_THROW(build_coded(OneNumberedRow({5, 4}, {0, 1})), DimensionError);  // descending
  EXPECT_THROW(build_coded(OneNumberedRow({5, 5}, {0, 1})), DimensionError);  // twice
  EXPECT_THROW(build_coded(OneNumberedRow({-1, 5}, {0, 1})), DimensionError);
  EXPECT_THROW(build_coded(OneNumberedRow({5, 200'000}, {0, 1})), DimensionError);
  const std::vector<std::int64_t> lengths(200'000, 0);
  EXPECT_THROW(build_coded(OneNumberedRow({0}, {0}), lengths), DimensionError);
}

TEST(CodedMatrix, ProgressNeverGoesBackAndStopEndsTheBuild) {
  std::vector<double> seen;
  const auto note = [&](double fraction) { seen.push_back(fraction); };
  build_coded(test::ci_like_source(3000, 20, 500), {.progress = note}, {.max_codes = 100});
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_DOUBLE_EQ(seen.back(), 1.0);

  std::stop_source stop;
  const auto stop_half_way = [&](double fraction) {
    if (fraction > 0.3) stop.request_stop();
  };
  EXPECT_THROW(
      build_coded(test::ci_like_source(3000, 20, 50), {.progress = stop_half_way, .stop = stop.get_token()}),
      Interrupted);
}

}  // namespace test_coded_matrix
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/sparse/csr_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve {
namespace test_csr_matrix {

using test::ListedSource;
using test::random_vector;
using test::rounding_bound;
using test::uneven_matrix;

/// [[1, 2, 3], [2, 0, 0], [3, 0, 4]]
ListedSource small_matrix() { return ListedSource({{{0, 1, 2}, {1, 2, 3}}, {{0}, {2}}, {{0, 2}, {3, 4}}}); }

void expect_same_matrix(const CsrMatrix& a, const CsrMatrix& b) {
  ASSERT_EQ(a.num_rows, b.num_rows);
  EXPECT_TRUE(std::equal(a.offsets.begin(), a.offsets.end(), b.offsets.begin(), b.offsets.end()));
  EXPECT_TRUE(std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end()));
  EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end()));
}

TEST(CsrMatrix, HoldsHandMadeRows) {
  const CsrMatrix a = build_csr(small_matrix());

  EXPECT_EQ(std::vector(a.offsets.begin(), a.offsets.end()), (std::vector<std::int64_t>{0, 3, 4, 6}));
  EXPECT_EQ(std::vector(a.columns.begin(), a.columns.end()), (std::vector<ColumnIndex>{0, 1, 2, 0, 0, 2}));
  EXPECT_EQ(std::vector(a.values.begin(), a.values.end()), (std::vector<double>{1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(a.num_nonzeros(), 6);
  EXPECT_EQ(array_bytes(a), 4 * 8 + 6 * 12);
}

TEST(CsrMatrix, MultipliesByHand) {
  const CsrMatrix a = build_csr(small_matrix());
  const std::vector<double> x = {1, 10, 100};
  std::vector<double> y(3);

  spmv(a, {x.data(), 3, 1, 3}, {y.data(), 3, 1, 3});

  EXPECT_EQ(y, (std::vector<double>{321, 2, 403}));
}

TEST(CsrMatrix, EmptyMatrixIsAllowed) {
  const CsrMatrix a = build_csr(ListedSource());
  SpmvWorkspace workspace;
  EXPECT_EQ(a.num_nonzeros(), 0);
  EXPECT_NO_THROW(spmv(a, {nullptr, 0, 3, 0}, {nullptr, 0, 3, 0}, workspace));
}

// One row, below and around a chunk of 256 rows, several chunks.
class CsrMatrixOfSize : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(CsrMatrixOfSize, IsTheSourceForAnyNumberOfThreads) {
  const ListedSource source = uneven_matrix(GetParam());
  CsrMatrix alone, together;
  {
    const ThreadScope one(1);
    alone = build_csr(source);
  }
  {
    const ThreadScope many(5);
    together = build_csr(source, {.progress = {}, .stop = {}, .rows_per_chunk = 7});
  }
  expect_same_matrix(alone, together);
  for (std::int64_t i = 0; i < source.num_rows(); ++i) {
    const std::size_t first = alone.offsets[i];
    const std::size_t last = alone.offsets[i + 1];
    ASSERT_EQ(std::vector(alone.columns.data() + first, alone.columns.data() + last), source.row(i).columns);
    ASSERT_EQ(std::vector(alone.values.data() + first, alone.values.data() + last), source.row(i).values);
  }
}

TEST_P(CsrMatrixOfSize, ParallelProductMatchesTheDefinition) {
  const std::int64_t n = GetParam();
  const CsrMatrix a = build_csr(uneven_matrix(n));
  SpmvWorkspace workspace;
  const std::int64_t stride = n + 3;  // columns of a larger block
  for (int k = 1; k <= 9; ++k) {
    const std::size_t size = stride * k;
    const std::vector<double> x = random_vector(size, 7);
    std::vector<double> expected(size, -1.0), actual(size, -1.0);
    const ConstHostView view{x.data(), n, k, stride};
    spmv(a, view, {expected.data(), n, k, stride});
    spmv(a, view, {actual.data(), n, k, stride}, workspace);

    const std::vector<double> bound = rounding_bound(a, view);
    for (std::int64_t i = 0; i < stride * k; ++i) {
      const std::size_t at = i;
      if (i % stride >= n) {
        ASSERT_EQ(actual[at], -1.0) << "wrote between the columns";
      } else {
        const std::size_t in_bound = i / stride * n + i % stride;
        ASSERT_NEAR(actual[at], expected[at], bound[in_bound]) << "element " << i << " of " << k;
      }
    }
  }
}

TEST_P(CsrMatrixOfSize, ProductDoesNotDependOnThreads) {
  const std::int64_t n = GetParam();
  const CsrMatrix a = build_csr(uneven_matrix(n));
  SpmvWorkspace workspace;
  const std::vector<double> x = random_vector(7 * n, 8);
  std::vector<double> once(x.size()), again(x.size());
  {
    const ThreadScope one(1);
    spmv(a, {x.data(), n, 7, n}, {once.data(), n, 7, n}, workspace);
  }
  {
    const ThreadScope many(5);
    spmv(a, {x.data(), n, 7, n}, {again.data(), n, 7, n}, workspace);
  }
  EXPECT_EQ(once, again);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CsrMatrixOfSize, ::testing::Values(1, 5, 255, 256, 257, 1000));

TEST(CsrMatrix, ShapesMustAgree) {
  const CsrMatrix a = build_csr(small_matrix());
  std::vector<double> x(6), y(6);
  SpmvWorkspace workspace;
  EXPECT_THROW(spmv(a, {x.data(), 2, 1, 2}, {y.data(), 3, 1, 3}), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 3, 1, 3}, {y.data(), 2, 1, 2}, workspace), DimensionError);
  EXPECT_THROW(spmv(a, {x.data(), 3, 2, 3}, {y.data(), 3, 1, 3}, workspace), DimensionError);
}

TEST(CsrMatrix, ProgressRunsToOne) {
  std::vector<double> seen;
  build_csr(
      uneven_matrix(1000),
      {.progress = [&](double fraction) { seen.push_back(fraction); }, .stop = {}, .rows_per_chunk = 10});
  ASSERT_EQ(seen.size(), 200U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_GT(seen.front(), 0.0);
  EXPECT_DOUBLE_EQ(seen.back(), 1.0);
}

TEST(CsrMatrix, StopEndsTheBuild) {
  std::stop_source stop;
  const auto stop_half_way = [&](double fraction) {
    if (fraction > 0.7) stop.request_stop();
  };
  EXPECT_THROW(build_csr(uneven_matrix(1000),
                         {.progress = stop_half_way, .stop = stop.get_token(), .rows_per_chunk = 10}),
               Interrupted);
}

class FailingSource final : public ListedSource {
public:
  using ListedSource::ListedSource;
  void fill(RowRange range, RowSink& sink) const override {
    if (range.first <= 700 && 700 < range.last) throw InputError("row 700 is wrong");
    ListedSource::fill(range, sink);
  }
};

TEST(CsrMatrix, ExceptionsOfTheSourceComeThrough) {
  EXPECT_THROW(build_csr(FailingSource(std::vector<ListedSource::Row>(1000))), InputError);
}

class LyingSource final : public ListedSource {
public:
  enum class Lie {
    longer_row,
    missing_row,
    column_out_of_range,
    negative_column,
    too_many_rows,
    wrong_index
  };
  explicit LyingSource(Lie lie) : ListedSource(uneven_matrix(300)), lie_(lie) {}

  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    ListedSource::count(range, lengths);
    if (lie_ == Lie::longer_row && range.first == 0) --lengths[1];
  }
  void fill(RowRange range, RowSink& sink) const override {
    if (range.first != 0) return ListedSource::fill(range, sink);
    if (lie_ == Lie::wrong_index) return ListedSource::fill({1, range.last}, sink);
    if (lie_ == Lie::missing_row) return ListedSource::fill({0, range.last - 1}, sink);
    if (lie_ == Lie::too_many_rows) return ListedSource::fill({0, range.last + 1}, sink);
    ListedSource changed = *this;
    if (lie_ == Lie::column_out_of_range) changed.row(2).columns.back() = 300;
    if (lie_ == Lie::negative_column) changed.row(2).columns.front() = -1;
    changed.fill(range, sink);
  }

private:
  Lie lie_;
};

TEST(CsrMatrix, SourcesThatContradictThemselvesAreRefused) {
  using Lie = LyingSource::Lie;
  for (const Lie lie : {Lie::longer_row, Lie::missing_row, Lie::column_out_of_range, Lie::negative_column,
                        Lie::too_many_rows, Lie::wrong_index}) {
    EXPECT_THROW(build_csr(LyingSource(lie)), DimensionError) << static_cast<int>(lie);
  }
}

class HugeSource final : public RowSource {
public:
  std::int64_t num_rows() const override { return std::int64_t{1} << 31; }
  void count(RowRange, std::span<std::int64_t>) const override { throw Error("was asked to count"); }
  void fill(RowRange, RowSink&) const override { throw Error("was asked to fill"); }
};

TEST(CsrMatrix, TooManyRowsAreRefusedBeforeAnythingElse) {
  EXPECT_THROW(build_csr(HugeSource()), DimensionError);
}

}  // namespace test_csr_matrix
}  // namespace cisolve

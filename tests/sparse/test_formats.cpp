// SPDX-License-Identifier: MIT
// What every row of the table of formats has to keep.
#include "cisolve/sparse/formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "core/instruction_limit.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve {
namespace test_formats {

using test::FormatCase;
using test::ListedSource;
using test::random_vector;
using test::uneven_matrix;

constexpr double error_limit = 1e-14;

std::unique_ptr<StoredMatrix> build(const FormatCase& wanted, const RowSource& source,
                                    const BuildOptions& options = {}) {
  return wanted.format().build(source, count_rows(source), wanted.options, options);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<FormatCase, std::int64_t>>& info) {
  std::string name = std::get<0>(info.param).name + "_" + std::to_string(std::get<1>(info.param));
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}

class StoredFormat : public ::testing::TestWithParam<std::tuple<FormatCase, std::int64_t>> {
protected:
  const FormatCase& wanted() const { return std::get<0>(GetParam()); }
  std::int64_t n() const { return std::get<1>(GetParam()); }
  void SetUp() override {
    if (wanted().options.reference_columns.value_or(0) > n()) GTEST_SKIP() << "more columns than there are";
  }
};

TEST_P(StoredFormat, ProductsMatchLongDoubleSums) {
  const ListedSource source = uneven_matrix(n());
  const CsrMatrix csr = build_csr(source);
  const auto a = build(wanted(), source);
  SpmvWorkspace workspace;
  const std::int64_t stride = n() + 3;  // columns of a larger block
  for (const int k : {1, 2, 3, 4, 7}) {
    const std::size_t size = stride * k;
    const std::vector<double> x = random_vector(size, 7);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> plain(size, nan), fast(size, nan);
    const ConstHostView view{x.data(), n(), k, stride};
    a->multiply_plainly(view, {plain.data(), n(), k, stride});
    EXPECT_LE(test::product_error(csr, view, {plain.data(), n(), k, stride}), error_limit);
    for (const InstructionSet set : test::all_instruction_sets) {
      const test::InstructionLimit limit(set);
      std::ranges::fill(fast, nan);
      a->multiply(view, {fast.data(), n(), k, stride}, workspace);
      EXPECT_LE(test::product_error(csr, view, {fast.data(), n(), k, stride}), error_limit);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (static_cast<std::int64_t>(i) % stride < n()) continue;
      ASSERT_TRUE(std::isnan(fast[i]) && std::isnan(plain[i])) << "wrote between the columns";
    }
  }
}

TEST_P(StoredFormat, DependsOnNeitherThreadsNorChunks) {
  const ListedSource source = uneven_matrix(n());
  const std::vector<double> x = random_vector(7 * n(), 8);
  std::vector<double> alone(x.size()), together(x.size());
  SpmvWorkspace workspace;
  const auto multiply = [&](const BuildOptions& options, std::vector<double>& y) {
    build(wanted(), source, options)->multiply({x.data(), n(), 7, n()}, {y.data(), n(), 7, n()}, workspace);
  };
  {
    const ThreadScope one(1);
    multiply({}, alone);
  }
  const ThreadScope many(5);
  multiply({.progress = {}, .stop = {}, .rows_per_chunk = 7}, together);
  EXPECT_EQ(alone, together);
}

TEST_P(StoredFormat, NothingButItsOwnRowReachesARow) {
  if (n() < 3) GTEST_SKIP() << "needs a row with neighbours";
  ListedSource source = uneven_matrix(n());
  for (double& value : source.row(1).values) value = std::numeric_limits<double>::quiet_NaN();
  const auto a = build(wanted(), source);
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 4}) {
    const std::vector<double> x = random_vector(k * n(), 9);
    std::vector<double> y(x.size());
    a->multiply({x.data(), n(), k, n()}, {y.data(), n(), k, n()}, workspace);
    for (std::int64_t i = 0; i < k * n(); ++i) {
      const bool expected = i % n() == 1 && !source.row(1).values.empty();
      ASSERT_EQ(std::isnan(y[i]), expected) << "element " << i;
    }
  }
}

TEST_P(StoredFormat, SizesAreForetold) {
  const ListedSource source = uneven_matrix(n());
  const auto lengths = count_rows(source);
  const auto a = build(wanted(), source);
  EXPECT_EQ(a->format(), wanted().format().name);
  EXPECT_EQ(a->num_rows(), n());
  EXPECT_EQ(a->num_nonzeros(), std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  const std::int64_t foretold = wanted().format().bytes_for(lengths, wanted().options);
  if (a->format() == "coded") return;  // an estimate from a sample; see CodedSample
  // Where the pattern decides too, only a bound can be had from the lengths.
  if (wanted().options.reference_columns)
    EXPECT_LE(a->bytes(), foretold);
  else
    EXPECT_EQ(a->bytes(), foretold);
}

TEST_P(StoredFormat, ProgressRunsToOneAndStopsWhenAsked) {
  if (n() < 257) GTEST_SKIP() << "needs several chunks";
  const ListedSource source = uneven_matrix(n());
  std::vector<double> seen;
  BuildOptions options;
  options.progress = [&](double fraction) { seen.push_back(fraction); };
  options.rows_per_chunk = 10;
  build(wanted(), source, options);
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  EXPECT_DOUBLE_EQ(seen.back(), 1.0);

  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  EXPECT_THROW(build(wanted(), source, options), Interrupted);
}

/// Rows of a source that has said otherwise when it was counted.
class LyingSource final : public ListedSource {
public:
  using ListedSource::ListedSource;
  void fill(RowRange range, RowSink& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i) {
      auto changed = row(i);
      if (i == 2) {
        changed.columns.pop_back();
        changed.values.pop_back();
      }
      sink.row({.index = i, .columns = changed.columns, .values = changed.values, .general = {}});
    }
  }
};

TEST_P(StoredFormat, WrongSourcesAndShapesAreRefused) {
  if (n() < 5) GTEST_SKIP() << "needs a row 2 with nonzeros";
  std::vector<ListedSource::Row> rows;
  const ListedSource source = uneven_matrix(n());
  for (std::int64_t i = 0; i < n(); ++i) rows.push_back(source.row(i));
  rows[2] = {{0, 1, 4}, {1.0, 2.0, 3.0}};
  EXPECT_THROW(build(wanted(), LyingSource(rows)), DimensionError);
  const std::vector<std::int64_t> too_few(1);
  EXPECT_THROW(wanted().format().build(source, too_few, wanted().options, {}), DimensionError);
  const auto a = build(wanted(), source);
  std::vector<double> x(2 * n()), y(x.size());
  SpmvWorkspace workspace;
  EXPECT_THROW(a->multiply({x.data(), n() - 1, 1, n()}, {y.data(), n(), 1, n()}, workspace), DimensionError);
  EXPECT_THROW(a->multiply({x.data(), n(), 2, n()}, {y.data(), n(), 1, n()}, workspace), DimensionError);
  EXPECT_THROW(a->multiply_plainly({x.data(), n(), 1, n()}, {y.data(), n() - 1, 1, n()}), DimensionError);
}

// Empty, one row, below a slice, around slices and blocks, several of all.
INSTANTIATE_TEST_SUITE_P(Table, StoredFormat,
                         ::testing::Combine(::testing::ValuesIn(test::format_cases()),
                                            ::testing::Values(0, 1, 5, 31, 32, 33, 257, 1000)),
                         name_of);

class StoredFormatLarge : public ::testing::TestWithParam<FormatCase> {};

TEST_P(StoredFormatLarge, ARowOfMoreThanSixteenBits) {
  const ListedSource source = test::long_row_matrix();
  const auto lengths = count_rows(source);
  const std::int64_t bytes = GetParam().format().bytes_for(lengths, GetParam().options);
  if (bytes > std::int64_t{1} << 30) GTEST_SKIP() << "this format takes " << bytes << " bytes for such a row";
  const CsrMatrix csr = build_csr(source);
  const auto a = build(GetParam(), source);
  const std::int64_t n = source.num_rows();
  const std::vector<double> x = random_vector(4 * n, 3);
  std::vector<double> y(x.size());
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 4}) {
    a->multiply({x.data(), n, k, n}, {y.data(), n, k, n}, workspace);
    EXPECT_LE(test::product_error(csr, {x.data(), n, k, n}, {y.data(), n, k, n}), error_limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, StoredFormatLarge, ::testing::ValuesIn(test::format_cases()));

TEST(StorageFormats, AreFoundByName) {
  for (const StorageFormat& format : storage_formats()) EXPECT_EQ(find_storage_format(format.name), &format);
  EXPECT_EQ(find_storage_format("auto"), nullptr);
  const auto names = selectable_formats();
  for (const char* name : {"csr", "ell", "ell-r", "sliced-ell", "sliced-ell-r", "csb", "hybrid"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(std::ranges::find(names, "hybrid-paper"), names.end());
}

}  // namespace test_formats
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "paper_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "formats_report.hpp"
#include "io/json.hpp"

namespace cisolve::bench {
namespace test_paper_matrix {

/// Checks rows as they come.
class CheckingSink final : public RowSink {
public:
  void row(const MatrixRow& row) override {
    ++rows;
    nonzeros += std::ssize(row.columns);
    const bool ascending = std::adjacent_find(row.columns.begin(), row.columns.end(),
                                              std::greater_equal<>()) == row.columns.end();
    const auto border =
        std::lower_bound(row.columns.begin(), row.columns.end(), paper_reference_columns(paper_rows));
    right = right && ascending && row.columns.front() >= 0 && row.columns.back() < paper_rows &&
            border - row.columns.begin() == paper_boundary &&
            std::find(row.values.begin(), row.values.end(), 0.0) == row.values.end() &&
            row.values.size() == row.columns.size() && row.general.size() == row.columns.size();
    for (const ColumnIndex column : row.columns) sum += column;
    for (const double value : row.values) value_sum += value;
  }
  std::int64_t rows = 0, nonzeros = 0, sum = 0;
  double value_sum = 0.0;
  bool right = true;
};

TEST(PaperMatrixLarge, HasThePublishedFigures) {
  for (int number = 1; number <= 10; ++number) {
    const PaperMatrix a(number, 1);
    const PaperMatrixFigures& figures = paper_matrices[number - 1];
    const auto lengths = count_rows(a);
    std::int64_t nonzeros = 0, tail = 0;
    for (const std::int64_t length : lengths) {
      nonzeros += length;
      tail += std::max<std::int64_t>(0, length - paper_boundary);
    }
    EXPECT_EQ(nonzeros, 21463040 + figures.expansion_nonzeros);
    EXPECT_EQ(tail, figures.expansion_nonzeros);
    const auto longest = std::max_element(lengths.begin(), lengths.end());
    EXPECT_EQ(*longest, figures.longest_row);
    EXPECT_EQ(longest - lengths.begin(), figures.longest_row_index);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), *longest), 1);
  }
}

TEST(PaperMatrixLarge, RowsAreAscendingDividedAsPrintedAndRepeatable) {
  const PaperMatrix a(3, 7);
  CheckingSink whole;
  a.fill({0, 500}, whole);
  EXPECT_TRUE(whole.right);
  std::vector<std::int64_t> lengths(500);
  a.count({0, 500}, lengths);
  EXPECT_EQ(whole.rows, 500);
  EXPECT_EQ(whole.nonzeros, std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  CheckingSink parts;
  a.fill({0, 123}, parts);
  a.fill({123, 500}, parts);
  EXPECT_EQ(parts.sum, whole.sum);
  EXPECT_EQ(parts.value_sum, whole.value_sum);
  CheckingSink other_seed;
  PaperMatrix(3, 8).fill({0, 500}, other_seed);
  EXPECT_NE(other_seed.sum, whole.sum);
}

TEST(PaperMatrixLarge, ColumnsAreSpreadEvenlyWithinARegion) {
  const PaperMatrix a(1, 1);
  struct Sink final : RowSink {
    void row(const MatrixRow& row) override {
      for (const ColumnIndex column : row.columns) ++counts[static_cast<std::size_t>(column) * 10 / 3276];
    }
    std::vector<std::int64_t> counts = std::vector<std::int64_t>(101);
  } sink;
  a.fill({0, 2000}, sink);
  // A hundredth of the columns: 2000 x 65.5 nonzeros on the left, 2000 x 3.28 on the right, to 5 deviations.
  for (std::size_t part = 0; part < 10; ++part)
    EXPECT_NEAR(static_cast<double>(sink.counts[part]), 131000, 1700);
  for (std::size_t part = 10; part < 100; ++part)
    EXPECT_NEAR(static_cast<double>(sink.counts[part]), 6563, 405);
}

TEST(PaperMatrixLarge, FormatsHaveThePublishedBytes) {
  FormatsOptions options;
  options.ell_width = static_cast<std::int32_t>(paper_boundary);
  const nlohmann::json report = describe_formats(PaperMatrix(1, 1), options);
  EXPECT_EQ(report["nonzeros"], 31141367);
  EXPECT_EQ(report["reference_nonzeros"], 21463040);
  EXPECT_EQ(report["tail_nonzeros"], 9678327);
  EXPECT_NEAR(report["reference_sparsity"].get<double>(), 0.800110, 5e-7);
  EXPECT_NEAR(report["expansion_sparsity"].get<double>(), 0.989985, 5e-7);
  EXPECT_NEAR(report["sparsity"].get<double>(), 0.970997, 5e-7);
  std::map<std::string, nlohmann::json> formats;
  for (const auto& format : report["formats"]) formats[format["name"].get<std::string>()] = format;
  EXPECT_EQ(formats.at("hybrid")["paper_bytes"], 374089620);  // Table 5 prints 356.76 MiB
  EXPECT_EQ(formats.at("csr")["paper_bytes"], 12LL * 31141367 + 4 * 32769);
  EXPECT_EQ(formats.at("ell")["paper_bytes"], 12LL * 32768 * 1074);
  EXPECT_EQ(formats.at("hybrid-paper")["bytes"], 374089620);
  EXPECT_TRUE(formats.at("csb")["paper_bytes"].is_null());
  EXPECT_LT(formats.at("sliced-ell")["paper_bytes"], formats.at("ell")["paper_bytes"]);
}

TEST(PaperMatrixLarge, LargerOrdersKeepTheirRows) {
  const std::int64_t rows = 4 * paper_rows;
  const PaperMatrix a(5, 1, rows);
  const auto lengths = count_rows(a);
  EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), 4LL * 31132773);
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 1060);
  EXPECT_EQ(lengths[4 * 4233], 1060);
}

TEST(PaperMatrix, ImpossibleMatricesAreRefused) {
  EXPECT_THROW(PaperMatrix(0, 1), InputError);
  EXPECT_THROW(PaperMatrix(11, 1), InputError);
  EXPECT_THROW(PaperMatrix(1, 1, 1000), InputError);
  EXPECT_THROW(PaperMatrix(1, 1, std::int64_t{1} << 31), InputError);
}

}  // namespace test_paper_matrix
}  // namespace cisolve::bench

// SPDX-License-Identifier: MIT
#include "cisolve/sparse/row_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/coded_source.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve {
namespace test_row_shares {

using test::FormatCase;
using test::random_vector;

TEST(RowShares, AreCutWhereNonzerosAreShared) {
  const std::vector<std::int64_t> even(1000, 50);
  EXPECT_EQ(cut_rows(even, 4), (std::vector<std::int64_t>{0, 250, 500, 750, 1000}));
  std::vector<std::int64_t> uneven(1000, 10);
  std::fill_n(uneven.begin(), 10, 4000);
  const std::vector<std::int64_t> first_rows = cut_rows(uneven, 2);
  ASSERT_EQ(first_rows.size(), 3u);
  EXPECT_GT(first_rows[1], 10);
  EXPECT_LT(first_rows[1], 100);
}

TEST(RowShares, HaveAllRowsOnce) {
  std::vector<std::int64_t> lengths(101);
  std::iota(lengths.begin(), lengths.end(), 0);
  for (const std::size_t rows : {0, 1, 2, 7, 101}) {
    for (const int ranks : {1, 2, 3, 4, 7, 20}) {
      const std::vector<std::int64_t> first_rows = cut_rows(std::span(lengths).first(rows), ranks);
      ASSERT_EQ(first_rows.size(), static_cast<std::size_t>(ranks) + 1);
      EXPECT_EQ(first_rows.front(), 0);
      EXPECT_EQ(first_rows.back(), static_cast<std::int64_t>(rows));
      EXPECT_TRUE(std::ranges::is_sorted(first_rows));
    }
  }
}

/// A square source that knows an order of its rows: the reverse.
class ReversedSource final : public RowSource {
public:
  explicit ReversedSource(const RowSource& source) : source_(source) {}
  std::int64_t num_rows() const override { return source_.num_rows(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    source_.count(range, lengths);
  }
  void fill(RowRange range, RowSink& sink) const override { source_.fill(range, sink); }
  bool rows_are_independent() const override { return true; }
  Array<std::int32_t> local_order() const override {
    Array<std::int32_t> order(static_cast<std::size_t>(num_rows()));
    for (std::size_t place = 0; place < order.size(); ++place)
      order[place] = static_cast<std::int32_t>(order.size() - 1 - place);
    return order;
  }

private:
  const RowSource& source_;
};

class PartsOfRanks : public ::testing::TestWithParam<FormatCase> {};

std::string name_of(const ::testing::TestParamInfo<FormatCase>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}

/// y += A x, or = of the first.
void multiply(const StoredMatrix& a, std::span<const double> x, std::span<double> y, ProductUpdate update) {
  SpmvWorkspace workspace;
  a.multiply({x.data(), std::ssize(x), 1, std::ssize(x)}, {y.data(), std::ssize(y), 1, std::ssize(y)},
             workspace, update);
}

/// The whole matrix's product, rank after rank, from whole rows and from two parts each.
TEST_P(PartsOfRanks, MakeTheProductOfTheWhole) {
  constexpr std::int64_t n = 333;
  const test::ListedSource listed = test::uneven_matrix(n, n, 5);
  const ReversedSource source(listed);
  const std::vector<std::int64_t> lengths = count_rows(source);
  const std::vector<double> x = random_vector(n, 3);
  std::vector<double> expected(n);
  multiply(*GetParam().format().build(source, lengths, GetParam().options, {}), x, expected,
           ProductUpdate::assign);
  for (const int ranks : {1, 2, 3, 4, 7}) {
    for (const bool are_counted : {true, false}) {
      const RowsToStore matrix{
          source, are_counted ? std::span<const std::int64_t>(lengths) : std::span<const std::int64_t>(),
          GetParam().format(), GetParam().options};
      RowShares shares{cut_rows(lengths, ranks), 0};
      if (ranks == 7) shares.first_rows[3] = shares.first_rows[4];  // one has none
      std::vector<double> whole(n), parts(n);
      for (shares.rank = 0; shares.rank < ranks; ++shares.rank) {
        const auto first = static_cast<std::size_t>(shares.own().first),
                   count = static_cast<std::size_t>(shares.own().size());
        RowsOfRank rows(matrix, shares);
        const auto all = rows.whole(), near_part = rows.near_part(), far_part = rows.far_part();
        EXPECT_EQ(near_part == nullptr, count == 0);
        EXPECT_EQ(far_part == nullptr, count == 0 || ranks == 1);
        if (count == 0) continue;
        const auto own = std::span(parts).subspan(first, count);
        multiply(*all, x, std::span(whole).subspan(first, count), ProductUpdate::assign);
        multiply(*near_part, std::span(x).subspan(first, count), own, ProductUpdate::assign);
        if (far_part) multiply(*far_part, x, own, ProductUpdate::add);
        EXPECT_EQ(near_part->num_nonzeros() + (far_part ? far_part->num_nonzeros() : 0), all->num_nonzeros());
        EXPECT_EQ(rows.sizes().bytes, all->bytes() + near_part->bytes() + (far_part ? far_part->bytes() : 0));
      }
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(whole[i], expected[i], 1e-12) << i;
        ASSERT_NEAR(parts[i], expected[i], 1e-12) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, PartsOfRanks, ::testing::ValuesIn(test::format_cases()), name_of);

TEST(PartsOfRanks, KeepTheLocalOrderOfTheNearPart) {
  constexpr std::int64_t n = 100;
  const test::ListedSource listed = test::uneven_matrix(n, n, 5);
  const ReversedSource source(listed);
  const FormatOptions options;
  RowsOfRank rows({source, {}, *find_storage_format("coded"), options}, {{0, 30, 80, 100}, 1});
  const auto near_part = rows.near_part();
  const auto* coded = dynamic_cast<const StoredAs<CodedMatrix>*>(near_part.get());
  ASSERT_NE(coded, nullptr);
  ASSERT_EQ(coded->matrix().order.size(), 50u);
  EXPECT_EQ(coded->matrix().order[0], 49);
  EXPECT_EQ(coded->matrix().order[49], 0);
}

TEST(PartsOfRanks, RefuseTheSharesOfAnotherMatrix) {
  const test::ListedSource source = test::uneven_matrix(10, 10, 5);
  const FormatOptions options;
  EXPECT_THROW(RowsOfRank({source, {}, *find_storage_format("csr"), options}, {{0, 5, 11}, 0}),
               DimensionError);
}

}  // namespace test_row_shares
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/vectors/vector_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "cisolve/core/thread_scope.hpp"
#include "vectors/hidden_vectors.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_vector_source {

/// Of more rows than are looked at at a time, which the last two of 2^22 + 77 see.
class VectorSources : public testing::TestWithParam<int> {
protected:
  VectorSources() : values_(test::random_vector(static_cast<std::size_t>(2 * n_), 5)) {
    values_[static_cast<std::size_t>(n_ / 2)] = 9.0;  // larger than any other, thrice in the first column
    values_[static_cast<std::size_t>(n_ / 3)] = values_[static_cast<std::size_t>(n_ - 1)] = -9.0;
  }

  double element(int column, std::int64_t row) const {
    return values_[static_cast<std::size_t>(column * n_ + row)];
  }

  /// What the test is about: seen, or hidden.
  const VectorSource& source() const {
    return GetParam() % 2 == 0 ? seen_ : static_cast<const VectorSource&>(hidden_);
  }

  const std::int64_t n_ = GetParam() < 2 ? 1000 : (std::int64_t{1} << 22) + 77;
  std::vector<double> values_;
  const SeenVectors seen_{values_, n_, 2};
  const test::HiddenVectors hidden_{seen_};
};

TEST_P(VectorSources, GatherInAnyOrder) {
  const std::vector<std::int64_t> rows{n_ - 1, 0, n_ / 2, n_ - 1, 7, n_ / 2 + 1};
  for (const int column : {0, 1}) {
    std::vector<double> found(rows.size());
    source().gather(column, rows, found);
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(found[k], element(column, rows[k])) << k;
  }
  source().gather(0, {}, {});
}

TEST_P(VectorSources, HaveOverlaps) {
  const Matrix found = source().overlaps();
  ASSERT_EQ(found.rows(), 2);
  for (const auto& [j, k] : {std::pair{0, 0}, {0, 1}, {1, 1}}) {
    double sum = 0.0, magnitudes = 0.0;
    for (std::int64_t row = 0; row < n_; ++row) {
      sum += element(j, row) * element(k, row);
      magnitudes += std::abs(element(j, row) * element(k, row));
    }
    EXPECT_NEAR(found(j, k), sum, 1e-13 * magnitudes);
    EXPECT_EQ(found(j, k), found(k, j));
  }
  const ThreadScope one_thread(1);
  const Matrix by_one = seen_.overlaps();
  for (const auto& [j, k] : {std::pair{0, 0}, {0, 1}, {1, 1}}) EXPECT_EQ(by_one(j, k), found(j, k));
}

TEST_P(VectorSources, HaveHeaviestElements) {
  for (const int column : {0, 1}) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(n_));
    std::iota(rows.begin(), rows.end(), 0);
    std::partial_sort(rows.begin(), rows.begin() + 20, rows.end(), [&](std::int64_t a, std::int64_t b) {
      return is_heavier({a, element(column, a)}, {b, element(column, b)});
    });
    const auto found = source().heaviest(column, 20);
    ASSERT_EQ(found.size(), 20U);
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(found[k], (VectorElement{rows[k], element(column, rows[k])})) << k;
  }
  EXPECT_EQ(source().heaviest(0, 3).back().row, n_ - 1);
  EXPECT_EQ(source().heaviest(0, 0).size(), 0U);
}

TEST_P(VectorSources, AreSeenInPieces) {
  Array<double> buffer;
  for (const std::int64_t count : {n_ / 3, std::int64_t{5}}) {
    const auto piece = source().piece(1, n_ / 4, count, buffer);
    ASSERT_EQ(std::ssize(piece), count);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(piece[i], element(1, n_ / 4 + i));
  }
}

INSTANTIATE_TEST_SUITE_P(SeenAndHidden, VectorSources, testing::Values(0, 1, 2, 3));

TEST(ChosenVectors, AreThoseOfTheirNumbers) {
  const std::vector<double> values = test::random_vector(40, 3);
  Array<double> held(40);
  std::ranges::copy(values, held.begin());
  const auto all = std::make_shared<HeldVectors>(std::move(held), 10, 4);
  const ChosenVectors some(all, {3, 1});
  EXPECT_EQ(some.rows(), 10);
  ASSERT_EQ(some.columns(), 2);
  Array<double> buffer;
  EXPECT_TRUE(std::ranges::equal(some.view(1, 1, buffer), std::span(values).subspan(10, 10)));
  EXPECT_TRUE(std::ranges::equal(some.piece(0, 2, 3, buffer), std::span(values).subspan(32, 3)));
  EXPECT_EQ(some.heaviest(0, 4), all->heaviest(3, 4));
  EXPECT_EQ(some.overlaps()(0, 1), all->overlaps()(3, 1));
  std::vector<double> found(2);
  some.gather(1, std::vector<std::int64_t>{9, 0}, found);
  EXPECT_EQ(found, (std::vector<double>{values[19], values[10]}));
}

}  // namespace test_vector_source
}  // namespace cisolve

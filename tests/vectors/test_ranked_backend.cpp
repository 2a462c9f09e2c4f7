// SPDX-License-Identifier: MIT
// Blocks whose rows are shared out among ranks, against the same blocks whole.
#include "cisolve/vectors/ranked_backend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/ranks/rows.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_ranked_backend {

using Ranked = RankedBackend<HostBackend>;
static_assert(VectorBackend<Ranked> && VectorBackend<RankedBackend<ComplexHostBackend>>);

constexpr double epsilon = std::numeric_limits<double>::epsilon();

enum class Sharing { even, slabs };

/// Rows of a rank: one slab, or several short ones; with seven ranks the last of few rows have none.
RowMap rows_of(Sharing sharing, std::int64_t rows, const Communicator& ranks) {
  if (sharing == Sharing::even) return RowMap::even(rows, ranks.size(), ranks.rank());
  std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
  std::int64_t first = 0;
  for (std::int64_t k = 0; first < rows; ++k) {
    const std::int64_t count = std::min(rows - first, 1 + (k * k) % 5);
    if (k % ranks.size() == ranks.rank()) slabs.emplace_back(first, count);
    first += count;
  }
  return RowMap(rows, std::move(slabs));
}

struct Case {
  int ranks;
  Sharing sharing;
  std::int64_t rows;
};

class RankedBackendCases : public testing::TestWithParam<Case> {
protected:
  static constexpr int columns = 3;

  /// Whole columns.
  Ranked::Block whole(unsigned seed) const {
    const std::vector<double> values =
        test::random_vector(static_cast<std::size_t>(GetParam().rows * columns), seed);
    Ranked::Block block = HostBackend().allocate(GetParam().rows, columns);
    HostBackend().from_host(values, block.view());
    return block;
  }

  /// body(backend, a function that gives a rank's rows of whole columns)
  template <class Body>
  void on_ranks(const Body& body) const {
    run_ranks(GetParam().ranks, [&](const Communicator& ranks) {
      const RowMap map = rows_of(GetParam().sharing, GetParam().rows, ranks);
      const Ranked backend(ranks, map);
      body(backend, [&](const Ranked::Block& all) {
        Ranked::Block own = backend.allocate(map.local_rows(), all.columns());
        for (int k = 0; k < all.columns(); ++k) {
          take_rows(map, {all.view().column(k), static_cast<std::size_t>(all.rows())},
                    {own.view().column(k), static_cast<std::size_t>(own.rows())});
        }
        return own;
      });
    });
  }
};

/// Sums in another order differ by a rounding of each of their terms at most.
TEST_P(RankedBackendCases, SumsAreThoseOfWholeBlocks) {
  const auto a = whole(1), b = whole(2);
  const HostBackend base;
  const Matrix expected = base.gram(std::as_const(a).view(), std::as_const(b).view());
  const std::vector<double> norms = base.norms(std::as_const(a).view());
  const double bound = epsilon * static_cast<double>(GetParam().rows * GetParam().rows + 1) * 10.0;
  on_ranks([&](const Ranked& backend, const auto& rows_of_rank) {
    const auto x = rows_of_rank(a), y = rows_of_rank(b);
    const Matrix found = backend.gram(x.view(), y.view());
    const std::vector<double> found_norms = backend.norms(x.view());
    std::vector<double> bits(found_norms);
    for (int k = 0; k < columns; ++k) {
      EXPECT_NEAR(found_norms[k], norms[k], bound);
      for (int i = 0; i < columns; ++i) {
        EXPECT_NEAR(found(i, k), expected(i, k), bound);
        bits.push_back(found(i, k));
      }
    }
    for (const auto& of_rank : gather_all<double>(backend.ranks(), bits)) EXPECT_EQ(of_rank, bits);
  });
}

TEST_P(RankedBackendCases, RowsAreFoundWhereverTheyAre) {
  const auto a = whole(3);
  const std::int64_t n = GetParam().rows;
  const HostBackend base;
  const std::vector<std::int64_t> wanted{n - 1, 0, n / 2, n / 3};
  const Matrix expected = base.gather(std::as_const(a).view(), wanted);
  auto written = whole(4);
  Matrix values(static_cast<int>(wanted.size()), columns);
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < values.rows(); ++i) values(i, k) = 10.0 * k + static_cast<double>(wanted[i] + 1);
  }
  const auto before = whole(4);
  base.scatter(values, wanted, written.view());
  on_ranks([&](const Ranked& backend, const auto& rows_of_rank) {
    const auto x = rows_of_rank(a);
    const auto indices = backend.make_indices(wanted);
    const Matrix found = backend.gather(x.view(), indices);
    auto y = rows_of_rank(before);
    backend.scatter(values, indices, y.view());
    const auto after = rows_of_rank(written);
    for (int k = 0; k < columns; ++k) {
      for (int i = 0; i < found.rows(); ++i) EXPECT_EQ(found(i, k), expected(i, k));
      for (std::int64_t i = 0; i < y.rows(); ++i)
        EXPECT_EQ(std::as_const(y).view().column(k)[i], after.view().column(k)[i]);
    }
    EXPECT_THROW(static_cast<void>(backend.make_indices(std::vector<std::int64_t>{n})), DimensionError);
    EXPECT_THROW(static_cast<void>(backend.make_indices(std::vector<std::int64_t>{-1})), DimensionError);
  });
}

TEST_P(RankedBackendCases, LowestElementsAreThoseOfAllRanks) {
  auto a = whole(5);
  if (a.rows() > 3) a.view().data[3] = a.view().data[1];  // equal ones by row
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{5}, GetParam().rows + 2}) {
    const auto expected = HostBackend().lowest(std::as_const(a).view().slice(0, 1), count);
    on_ranks([&](const Ranked& backend, const auto& rows_of_rank) {
      const auto x = rows_of_rank(a);
      EXPECT_EQ(backend.lowest(x.view().slice(0, 1), count), expected);
    });
  }
}

TEST_P(RankedBackendCases, NoiseDoesNotDependOnRanks) {
  const auto diagonal = whole(6);
  const LowLyingNoise noise{.lowest = -5.0, .spread = 0.7, .number = 4};
  auto expected = HostBackend().allocate(GetParam().rows, 1);
  HostBackend().fill_with_noise(noise, std::as_const(diagonal).view().slice(0, 1), expected.view());
  on_ranks([&](const Ranked& backend, const auto& rows_of_rank) {
    const auto own_diagonal = rows_of_rank(diagonal);
    auto y = backend.allocate(own_diagonal.rows(), 1);
    backend.fill_with_noise(noise, own_diagonal.view().slice(0, 1), y.view());
    const auto own = rows_of_rank(expected);
    for (std::int64_t i = 0; i < y.rows(); ++i) EXPECT_EQ(y.view().data[i], own.view().data[i]);
  });
}

TEST_P(RankedBackendCases, RowsAreCollectedInTheOrderOfFiles) {
  const auto a = whole(7);
  const std::int64_t n = GetParam().rows;
  for (const auto& [first, count] :
       {std::pair{std::int64_t{0}, n}, {n / 3, n / 2}, {n - 1, std::int64_t{1}}, {n, std::int64_t{0}}}) {
    on_ranks([&, first = first, count = count](const Ranked& backend, const auto& rows_of_rank) {
      const auto x = rows_of_rank(a);
      const RowMap& map = backend.map();
      const std::int64_t from = map.local_below(first);
      const std::span<const double> own{x.view().data + from,
                                        static_cast<std::size_t>(map.local_below(first + count) - from)};
      const int root = backend.ranks().size() - 1;
      std::vector<double> out(backend.ranks().rank() == root ? static_cast<std::size_t>(count) : 0);
      collect_rows(backend.ranks(), map, first, count, own, out, root);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], a.view().data[first + static_cast<std::int64_t>(i)]);
    });
  }
}

TEST_P(RankedBackendCases, RowsAreHandedOutAndPutTogetherAgain) {
  const auto a = whole(8);
  const std::span<const double> column{a.view().data, static_cast<std::size_t>(GetParam().rows)};
  on_ranks([&](const Ranked& backend, const auto& rows_of_rank) {
    const RowMap& map = backend.map();
    const int root = backend.ranks().size() / 2;
    std::vector<double> own(static_cast<std::size_t>(map.local_rows()));
    for (const std::int64_t piece : {map.rows(), std::int64_t{3}, map.rows() / 2 + 1}) {
      std::ranges::fill(own, 0.0);
      for (std::int64_t first = 0; first < map.rows(); first += piece) {
        const std::int64_t count = std::min(piece, map.rows() - first);
        const std::int64_t below = map.local_below(first), end = map.local_below(first + count);
        hand_out_rows(
            backend.ranks(), map, first, count,
            backend.ranks().rank() == root ? column.subspan(first, count) : std::span<const double>(),
            std::span(own).subspan(below, end - below), root);
      }
      const auto expected = rows_of_rank(a);
      EXPECT_TRUE(std::ranges::equal(own, std::span(expected.view().data, own.size())));
    }
    std::vector<double> all(column.size());
    gather_rows(backend.ranks(), map, own, all);
    EXPECT_TRUE(std::ranges::equal(all, column));
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, RankedBackendCases,
                         testing::Values(Case{1, Sharing::even, 10}, Case{2, Sharing::even, 9001},
                                         Case{3, Sharing::slabs, 100}, Case{4, Sharing::even, 5},
                                         Case{4, Sharing::slabs, 1003}, Case{7, Sharing::even, 8},
                                         Case{7, Sharing::slabs, 4}),
                         [](const auto& one) {
                           return std::to_string(one.param.ranks) +
                                  (one.param.sharing == Sharing::even ? "Even" : "Slabs") +
                                  std::to_string(one.param.rows);
                         });

}  // namespace test_ranked_backend
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/model_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {
namespace test_model_rows {

class ModelRows : public testing::Test {
protected:
  ModelRows()
      : integrals(random_integrals(6, 1, 0.0, 23)),
        space({.num_orbitals = 6,
               .irreps = integrals.irreps,
               .references = {{String::lowest(3), String::lowest(3)}},
               .excitation_level = 6,
               .irrep = any_irrep}),
        diagonal_elements(diagonal(integrals, space)) {}

  static int open_shells(const Determinant<1>& d) { return (d.alpha ^ d.beta).count(); }

  Integrals integrals;
  ProductSpace<1> space;
  std::vector<double> diagonal_elements;
};

TEST_F(ModelRows, AreClosedUnderSpinFlips) {
  const auto rows =
      choose_model_rows(space, diagonal_elements, {.minimum = 30, .maximum = 200, .cover_all_spins = false});
  EXPECT_GE(std::ssize(rows), 30);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const std::int64_t row : rows) {
    const auto d = space.determinant(row);
    for (std::int64_t other = 0; other < space.size(); ++other) {
      const auto e = space.determinant(other);
      const bool flipped =
          (d.alpha ^ d.beta) == (e.alpha ^ e.beta) && (d.alpha & d.beta) == (e.alpha & e.beta);
      if (flipped) {
        EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), other));
      }
    }
  }
}

TEST_F(ModelRows, HoldTheLowestDiagonalElement) {
  const auto rows =
      choose_model_rows(space, diagonal_elements, {.minimum = 5, .maximum = 200, .cover_all_spins = false});
  const auto lowest =
      std::min_element(diagonal_elements.begin(), diagonal_elements.end()) - diagonal_elements.begin();
  EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), lowest));
  EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), 0)) << "the reference";
}

TEST_F(ModelRows, CoverEverySpinIfAsked) {
  const auto most_open = [&](bool cover) {
    int most = 0;
    for (const auto row : choose_model_rows(space, diagonal_elements,
                                            {.minimum = 1, .maximum = 200, .cover_all_spins = cover})) {
      most = std::max(most, open_shells(space.determinant(row)));
    }
    return most;
  };
  EXPECT_EQ(most_open(true), 6);
  EXPECT_LT(most_open(false), 6);
}

TEST_F(ModelRows, TakeAllOfASmallSpace) {
  const auto rows = choose_model_rows(space, diagonal_elements,
                                      {.minimum = 1000, .maximum = 1000, .cover_all_spins = true});
  EXPECT_EQ(std::ssize(rows), space.size());
}

TEST_F(ModelRows, TakeTheLowestOfManyReferences) {
  // Full CI as a reference space: 400 references, of which some must do.
  std::vector<Determinant<1>> all(space.size());
  space.enumerate(0, all);
  const ListSpace<1> list(all, 6, any_irrep, space.size(), {});
  const auto rows =
      choose_model_rows(list, diagonal_elements, {.minimum = 20, .maximum = 60, .cover_all_spins = true});
  EXPECT_LE(std::ssize(rows), 60);
  EXPECT_GE(std::ssize(rows), 55) << "the largest configuration has 20 determinants, the next 6";
  std::vector<double> sorted = diagonal_elements;
  std::sort(sorted.begin(), sorted.end());
  int low = 0;
  for (const std::int64_t row : rows) low += diagonal_elements[row] <= sorted[60] ? 1 : 0;
  EXPECT_GE(low, 30) << "by energy, not by number";
}

TEST_F(ModelRows, FollowFromWhatRanksFind) {
  constexpr std::int64_t piece = 7;  // rows that a rank has, before the next has some
  for (const int ranks : {1, 2, 3, 7, 80}) {
    for (const ModelRowsConfig& config :
         {ModelRowsConfig{.minimum = 30, .maximum = 200}, ModelRowsConfig{.minimum = 5, .maximum = 12},
          ModelRowsConfig{.minimum = 20, .maximum = 60, .cover_all_spins = false}}) {
      LowestRows lowest;
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
        for (std::int64_t first = rank * piece; first < space.size(); first += ranks * piece)
          slabs.emplace_back(first, std::min(piece, space.size() - first));
        const RowMap map(space.size(), slabs);
        std::vector<double> own;
        for (std::int64_t local = 0; local < map.local_rows(); ++local)
          own.push_back(diagonal_elements[map.global(local)]);
        lowest.merge(find_lowest_rows(space, map, own, config), config.maximum);
      }
      EXPECT_EQ(choose_model_rows(space, lowest, config),
                choose_model_rows(space, diagonal_elements, config));
    }
  }
  EXPECT_THROW(find_lowest_rows(space, RowMap::whole(399), diagonal_elements, {}), DimensionError);
}

TEST_F(ModelRows, CutAConfigurationThatIsTooLarge) {
  std::vector<double> lowest_is_open = diagonal_elements;
  for (std::int64_t row = 0; row < space.size(); ++row) {
    if (open_shells(space.determinant(row)) == 6) lowest_is_open[row] -= 1000.0;
  }
  const auto rows =
      choose_model_rows(space, lowest_is_open, {.minimum = 5, .maximum = 12, .cover_all_spins = true});
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const std::int64_t row : rows) EXPECT_EQ(open_shells(space.determinant(row)), 6);
  const auto none = choose_model_rows(
      space, lowest_is_open, {.minimum = 5, .maximum = 12, .cover_all_spins = true, .may_cut = false});
  EXPECT_TRUE(none.empty());
}

}  // namespace test_model_rows
}  // namespace cisolve

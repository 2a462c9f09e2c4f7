// SPDX-License-Identifier: MIT
// All determinants without double occupation, beside the same found by looking at every pair of strings.
#include "cisolve/space/single_occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/space.hpp"
#include "space/bit_gather.hpp"

namespace cisolve {
namespace test_single_occupancy {

using Det = Determinant<1>;

SpaceSelection<1> selection_of(int orbitals, int alpha, int beta) {
  return {.num_orbitals = orbitals,
          .irreps = std::vector<int>(static_cast<std::size_t>(orbitals), 0),
          .references = {{String::lowest(alpha), String::lowest(beta)}},
          .single_occupancy = true};
}

/// The definition.
std::vector<Det> all_single(int orbitals, int alpha, int beta) {
  std::vector<Det> all;
  const std::uint64_t end = std::uint64_t{1} << orbitals;
  for (std::uint64_t a = 0; a < end; ++a) {
    if (std::popcount(a) != alpha) continue;
    for (std::uint64_t b = 0; b < end; ++b) {
      if (std::popcount(b) == beta && (a & b) == 0) all.push_back({String{{a}}, String{{b}}});
    }
  }
  return all;
}

struct Electrons {
  int orbitals, alpha, beta;
};

class SingleOccupancy : public testing::TestWithParam<Electrons> {};

TEST_P(SingleOccupancy, IsAllDeterminantsWithoutDoubleOccupation) {
  const auto [n, alpha, beta] = GetParam();
  const std::vector<Det> expected = all_single(n, alpha, beta);
  const SpaceSelection<1> selection = selection_of(n, alpha, beta);
  const auto space = make_space(selection);
  ASSERT_EQ(space->size(), std::ssize(expected));
  EXPECT_TRUE(std::ranges::is_sorted(expected));
  EXPECT_EQ(space->num_orbitals(), n);
  EXPECT_EQ(space->num_alpha(), alpha);
  EXPECT_EQ(space->num_beta(), beta);
  EXPECT_EQ(space->irrep(), any_irrep);
  EXPECT_EQ(space->as_product(), nullptr);
  ASSERT_NE(space->as_single_occupancy(), nullptr);
  EXPECT_EQ(space->as_single_occupancy()->rows(), space->size());
  EXPECT_EQ(space->num_references(), space->size());
  EXPECT_EQ(space->level_counts(), std::vector<std::int64_t>{space->size()});
  EXPECT_EQ(count_listed(selection), space->level_counts());
  EXPECT_EQ(count_determinants(selection), std::vector<double>{static_cast<double>(space->size())});
  std::vector<Det> found(expected.size());
  space->enumerate(0, found);
  EXPECT_EQ(found, expected);
  for (std::int64_t row = 0; row < space->size(); ++row) {
    ASSERT_EQ(space->find(expected[row]), row);
    ASSERT_EQ(space->determinant(row), expected[row]);
    ASSERT_TRUE(keeps_bounds(selection, expected[row]));
  }
}

TEST_P(SingleOccupancy, IsTheSameWithWiderStrings) {
  const auto [n, alpha, beta] = GetParam();
  const auto selection = selection_of(n, alpha, beta);
  const auto narrow = make_space(selection);
  const auto wide = make_space(with_words<4>(selection));
  ASSERT_EQ(wide->size(), narrow->size());
  EXPECT_EQ(wide->fingerprint(), narrow->fingerprint());
  std::vector<Determinant<4>> found(static_cast<std::size_t>(wide->size()));
  wide->enumerate(0, found);
  for (std::int64_t row = 0; row < wide->size(); ++row) {
    ASSERT_EQ(found[row], with_words<4>(narrow->determinant(row)));
    ASSERT_EQ(wide->find(found[row]), row);
  }
  if (found.empty()) return;
  Determinant<4> beyond = found.front();
  beyond.alpha.set(200);
  EXPECT_EQ(wide->find(beyond), -1);
}

INSTANTIATE_TEST_SUITE_P(Electrons, SingleOccupancy,
                         testing::Values(Electrons{1, 0, 0}, Electrons{1, 1, 0}, Electrons{1, 0, 1},
                                         Electrons{4, 2, 1}, Electrons{5, 0, 3}, Electrons{5, 3, 0},
                                         Electrons{6, 0, 0}, Electrons{6, 3, 3}, Electrons{6, 6, 0},
                                         Electrons{6, 0, 6}, Electrons{6, 2, 2}, Electrons{8, 3, 4},
                                         Electrons{10, 4, 3}, Electrons{11, 2, 2}, Electrons{12, 1, 1},
                                         Electrons{4, 3, 2}));

TEST(SingleOccupancySpace, RangesMayBeginAndEndAnywhere) {
  const std::vector<Det> expected = all_single(9, 3, 4);  // 84 alpha strings with 15 beta strings each
  const auto space = make_space(selection_of(9, 3, 4));
  for (std::int64_t first = 0; first < space->size(); first += 7) {
    for (const std::int64_t length : {0, 1, 14, 15, 16, 31, 100}) {
      std::vector<Det> found(static_cast<std::size_t>(std::min(length, space->size() - first)));
      space->enumerate(first, found);
      ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin() + first)) << first << ' ' << length;
    }
  }
}

TEST(SingleOccupancySpace, DoesNotFindOthers) {
  const auto selection = selection_of(6, 3, 2);
  const auto space = make_space(selection);
  const auto find = [&](std::uint64_t alpha, std::uint64_t beta) {
    return space->find({String{{alpha}}, String{{beta}}});
  };
  EXPECT_EQ(find(0b000111, 0b011000), 0);
  EXPECT_EQ(find(0b000111, 0b001100), -1);   // two electrons at the third site
  EXPECT_EQ(find(0b000111, 0b111000), -1);   // too many
  EXPECT_EQ(find(0b000011, 0b011000), -1);   // too few
  EXPECT_EQ(find(0b011000, 0b000111), -1);   // the spins the other way round
  EXPECT_EQ(find(0b000111, 0b1001000), -1);  // beyond the sites
  EXPECT_FALSE(keeps_bounds(selection, Det{String{{0b000111}}, String{{0b001100}}}));
}

/// Rows at random, and the first and the last, of spaces that nobody could list.
TEST(SingleOccupancySpace, NumbersAnyOfMany) {
  std::mt19937_64 engine(3);
  for (const auto& [n, alpha, beta] :
       {Electrons{64, 3, 3}, Electrons{64, 0, 2}, Electrons{64, 2, 0}, Electrons{64, 32, 0},
        Electrons{64, 0, 32}, Electrons{64, 62, 1}, Electrons{63, 20, 1}, Electrons{40, 12, 11},
        Electrons{32, 16, 14}, Electrons{36, 10, 10}, Electrons{26, 10, 10}, Electrons{64, 64, 0}}) {
    const auto space = make_space(selection_of(n, alpha, beta));
    const double expected = count_determinants(selection_of(n, alpha, beta))[0];
    EXPECT_NEAR(static_cast<double>(space->size()), expected, 1e-15 * expected);
    std::uniform_int_distribution<std::int64_t> any(0, space->size() - 1);
    std::vector<std::int64_t> rows{0, space->size() - 1};
    for (int k = 0; k < 200; ++k) rows.push_back(any(engine));
    std::ranges::sort(rows);
    Det before{};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Det d = space->determinant(rows[k]);
      ASSERT_EQ(space->find(d), rows[k]) << n << ' ' << alpha << ' ' << beta;
      ASSERT_TRUE(k == 0 || rows[k] == rows[k - 1] || before < d);
      before = d;
    }
  }
}

TEST(SingleOccupancySpace, KnowsHowManyThereAre) {
  EXPECT_EQ(num_strings(64, 32), 1832624140942590534);  // OEIS A000984(32)
  EXPECT_EQ(num_strings(5, 6), 0);
  EXPECT_EQ(num_strings(-1, 0), 0);
  EXPECT_THROW(num_strings(65, 1), DimensionError);
  EXPECT_EQ(make_space(selection_of(16, 8, 8))->size(), 12870);
  EXPECT_EQ(make_space(selection_of(18, 8, 8))->size(), 43758 * 45);
  // Most that has a name, and what has none: C(64, 20) C(44, 20).
  EXPECT_THROW(make_space(selection_of(64, 20, 20)), DimensionError);
  EXPECT_THROW(count_listed(selection_of(64, 20, 20)), DimensionError);
  EXPECT_NEAR(count_determinants(selection_of(64, 20, 20))[0], 3.45e28, 0.01e28);
}

TEST(SingleOccupancySpace, HasAFingerprintOfItsElectrons) {
  std::vector<std::uint64_t> prints;
  for (const auto& [n, alpha, beta] :
       {Electrons{6, 2, 3}, Electrons{6, 3, 2}, Electrons{6, 2, 2}, Electrons{7, 2, 3}, Electrons{64, 9, 2}})
    prints.push_back(make_space(selection_of(n, alpha, beta))->fingerprint());
  EXPECT_EQ(prints[0], make_space(selection_of(6, 2, 3))->fingerprint());
  std::ranges::sort(prints);
  EXPECT_EQ(std::ranges::adjacent_find(prints), prints.end());
}

TEST(SingleOccupancySpace, IsMadeOfElectronNumbersAlone) {
  SpaceSelection<1> selection = selection_of(6, 2, 3);
  const auto space = make_space(selection);
  selection.references = {{String{{0b100100}}, String{{0b000111}}}, {String{{0b11}}, String{{0b11100}}}};
  selection.excitation_level = 2;
  EXPECT_EQ(make_space(selection)->fingerprint(), space->fingerprint());
  EXPECT_FALSE(is_product(selection));
  EXPECT_EQ(max_excitation_level(selection), 0);
  EXPECT_TRUE(with_words<2>(selection).single_occupancy);
}

TEST(SingleOccupancySpace, RefusesWhatItIsNot) {
  const SpaceSelection<1> good = selection_of(6, 2, 3);
  const auto expect_refused = [&](auto change) {
    SpaceSelection<1> bad = good;
    change(bad);
    EXPECT_THROW(make_space(bad), DimensionError);
    EXPECT_THROW(count_listed(bad), DimensionError);
  };
  expect_refused([](auto& s) { s.irrep = 0; });
  expect_refused([](auto& s) { s.max_holes = {String::lowest(2), 1}; });
  expect_refused([](auto& s) { s.max_particles = {String::lowest(2), 1}; });
  expect_refused([](auto& s) { s.cas = {String(), String::lowest(6), any_irrep}; });
  expect_refused([](auto& s) { s.references.clear(); });
  expect_refused([](auto& s) { s.references[0].alpha = String::lowest(7); });
  SpaceSelection<1> other = good;
  other.single_occupancy = false;
  EXPECT_THROW(SingleOccupancySpace<1>{other}, DimensionError);
  SpaceSelection<2> large = with_words<2>(good);
  large.num_orbitals = 65;
  large.irreps.resize(65);
  EXPECT_THROW(make_space(large), DimensionError);
}

TEST(StringRank, NumbersStringsAscending) {
  for (const int bits : {0, 1, 5, 9, 10, 13, 18, 19}) {
    for (int ones = 0; ones <= bits; ++ones) {
      const StringRank rank(bits, ones);
      std::int64_t number = 0;
      std::uint64_t next = rank.first();
      for (std::uint64_t s = 0; s < std::uint64_t{1} << bits; ++s) {
        if (std::popcount(s) != ones) continue;
        ASSERT_EQ(s, next);
        ASSERT_EQ(rank.number(s), number);
        ASSERT_EQ(rank.string(number), s);
        if (++number < rank.size()) next = next_string(s);
      }
      EXPECT_EQ(number, rank.size());
    }
  }
  EXPECT_EQ(StringRank(3, 4).size(), 0);
  EXPECT_EQ(StringRank(64, 64).first(), ~std::uint64_t{0});
  EXPECT_EQ(StringRank(64, 64).number(~std::uint64_t{0}), 0);
  EXPECT_EQ(StringRank(64, 63).number(~std::uint64_t{0} >> 1), 0);
  EXPECT_EQ(StringRank(64, 63).number(~std::uint64_t{1}), 63);
  EXPECT_THROW(StringRank(65, 1), DimensionError);
  EXPECT_THROW(StringRank(-1, 0), DimensionError);
  EXPECT_THROW(StringRank(4, -1), DimensionError);
}

TEST(BitGather, IsWhatTheInstructionDoes) {
  EXPECT_EQ(gather_bits_by_loop(0b10110, 0b11010), 0b101U);
  EXPECT_EQ(scatter_bits_by_loop(0b101, 0b11010), 0b10010U);
  std::mt19937_64 engine(5);
  for (int k = 0; k < 1000; ++k) {
    const std::uint64_t from = engine(), mask = k == 0 ? 0 : k == 1 ? ~std::uint64_t{0} : engine() & engine();
    EXPECT_EQ(gather_bits(from, mask), gather_bits_by_loop(from, mask));
    EXPECT_EQ(scatter_bits(from, mask), scatter_bits_by_loop(from, mask));
    EXPECT_EQ(scatter_bits(gather_bits(from, mask), mask), from & mask);
  }
}

}  // namespace test_single_occupancy
}  // namespace cisolve

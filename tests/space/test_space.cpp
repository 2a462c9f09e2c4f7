// SPDX-License-Identifier: MIT
#include "cisolve/space/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cisolve/core/error.hpp"
#include "space/listed_space.hpp"

namespace cisolve {
namespace test_space {

using Det = Determinant<1>;

int degree(const Det& a, const Det& b) { return (a.alpha & ~b.alpha).count() + (a.beta & ~b.beta).count(); }

SpaceSelection<1> selection_of(int orbitals, int alpha, int beta, int level, int irrep, int num_irreps) {
  SpaceSelection<1> s{.num_orbitals = orbitals,
                      .irreps = {},
                      .references = {{String::lowest(alpha), String::lowest(beta)}},
                      .excitation_level = level,
                      .irrep = irrep};
  for (int p = 0; p < orbitals; ++p) s.irreps.push_back((p * 5 + p / 3) % num_irreps);
  return s;
}

bool is_within_bounds(const SpaceSelection<1>& s, const Det& d) {
  const auto in = [&](const String& orbitals) {
    return (d.alpha & orbitals).count() + (d.beta & orbitals).count();
  };
  if (s.max_holes && 2 * s.max_holes->orbitals.count() - in(s.max_holes->orbitals) > s.max_holes->count)
    return false;
  return !s.max_particles || in(s.max_particles->orbitals) <= s.max_particles->count;
}

/// The definition: all determinants, filtered and sorted.
std::vector<Det> brute_force(const SpaceSelection<1>& s) {
  std::vector<Det> all;
  const std::uint64_t end = std::uint64_t{1} << s.num_orbitals;
  const auto level_of = [&](const Det& d) {
    int level = degree(d, s.references[0]);
    for (const Det& r : s.references) level = std::min(level, degree(d, r));
    return level;
  };
  for (std::uint64_t a = 0; a < end; ++a) {
    for (std::uint64_t b = 0; b < end; ++b) {
      Det d;
      d.alpha.words[0] = a;
      d.beta.words[0] = b;
      if (d.alpha.count() != s.references[0].alpha.count() || d.beta.count() != s.references[0].beta.count())
        continue;
      if (level_of(d) > s.excitation_level) continue;
      if (s.irrep != any_irrep && (irrep_of(d.alpha, s.irreps) ^ irrep_of(d.beta, s.irreps)) != s.irrep)
        continue;
      if (!is_within_bounds(s, d)) continue;
      all.push_back(d);
    }
  }
  if (s.spin_complete) {
    std::set<std::pair<String, String>> configurations;
    for (const Det& d : all) configurations.insert({d.alpha & d.beta, d.alpha ^ d.beta});
    all.clear();
    for (std::uint64_t a = 0; a < end; ++a) {
      for (std::uint64_t b = 0; b < end; ++b) {
        Det d;
        d.alpha.words[0] = a;
        d.beta.words[0] = b;
        if (d.alpha.count() != s.references[0].alpha.count()) continue;
        if (configurations.contains({d.alpha & d.beta, d.alpha ^ d.beta})) all.push_back(d);
      }
    }
  }
  const auto key = [&](const Det& d) {
    const auto reference = std::find(s.references.begin(), s.references.end(), d) - s.references.begin();
    return std::tuple(reference, level_of(d), d.alpha, d.beta);
  };
  std::sort(all.begin(), all.end(), [&](const Det& x, const Det& y) { return key(x) < key(y); });
  return all;
}

/// Determinants per level, from level 0 to the highest that is allowed.
std::vector<std::int64_t> brute_counts(const SpaceSelection<1>& s) {
  std::vector<std::int64_t> counts(std::min(s.excitation_level, max_excitation_level(s)) + 1, 0);
  for (const Det& d : brute_force(s)) ++counts[degree(d, s.references[0])];
  return counts;
}

void expect_same(const Space<1>& space, const std::vector<Det>& expected) {
  ASSERT_EQ(space.size(), std::ssize(expected));
  std::vector<Det> found(expected.size());
  space.enumerate(0, found);
  EXPECT_TRUE(found == expected);
  for (std::int64_t row = 0; row < space.size(); ++row) {
    EXPECT_EQ(space.find(expected[row]), row);
    EXPECT_EQ(space.determinant(row), expected[row]);
  }
  const auto counts = space.level_counts();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), space.size());
}

class Spaces : public testing::TestWithParam<std::tuple<int, int, int, int, int, int>> {};

TEST_P(Spaces, HoldWhatBruteForceFindsInThatOrder) {
  const auto [orbitals, alpha, beta, level, irrep, num_irreps] = GetParam();
  const auto selection = selection_of(orbitals, alpha, beta, level, irrep, num_irreps);
  const auto expected = brute_force(selection);
  const ProductSpace<1> space(selection);
  expect_same(space, expected);
  const auto counted = count_determinants(selection);
  const auto found = space.level_counts();
  EXPECT_TRUE(std::equal(counted.begin(), counted.end(), found.begin(), found.end()));
  const bool reference_in = !expected.empty() && expected[0] == selection.references[0];
  EXPECT_EQ(space.num_references(), reference_in ? 1 : 0);
  std::vector<Det> part(expected.size() / 2);
  space.enumerate(static_cast<std::int64_t>(expected.size() / 3), part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(),
                         expected.begin() + static_cast<std::ptrdiff_t>(expected.size() / 3)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Spaces,
                         testing::Values(std::tuple(6, 3, 3, 2, 0, 4), std::tuple(6, 3, 3, 6, 2, 4),
                                         std::tuple(6, 3, 2, 3, any_irrep, 4),
                                         std::tuple(7, 2, 1, 9, any_irrep, 1), std::tuple(6, 1, 0, 1, 0, 1),
                                         std::tuple(5, 5, 4, 2, 1, 2), std::tuple(4, 4, 4, 3, 0, 2),
                                         std::tuple(7, 3, 3, 4, 1, 8), std::tuple(7, 3, 3, 0, 0, 8),
                                         std::tuple(3, 1, 1, 2, 7, 8)));

TEST(Spaces, MultireferenceHoldsEachDeterminantOnce) {
  for (const int irrep : {any_irrep, 0, 1}) {
    auto selection = selection_of(6, 3, 2, 2, irrep, 4);
    for (const auto& [from, to] : {std::pair(2, 3), std::pair(1, 4)}) {
      Det d = selection.references[0];
      d.alpha = d.alpha.moved(from, to);
      selection.references.push_back(d);
    }
    const auto space = make_list(selection, list_determinants(selection));
    const auto expected = brute_force(selection);
    expect_same(*space, expected);
    std::int64_t references = 0;
    for (const Det& r : selection.references) {
      references += irrep == any_irrep ||
                    (irrep_of(r.alpha, selection.irreps) ^ irrep_of(r.beta, selection.irreps)) == irrep;
    }
    EXPECT_EQ(space->num_references(), references);
  }
}

TEST(Spaces, BoundsAndSpinCompletionAreTheDefinition) {
  String low, high;
  low.words[0] = 0b000111;
  high.words[0] = 0b110000;
  for (const int irrep : {any_irrep, 1}) {
    for (const bool complete : {false, true}) {
      for (const int level : {0, 2, 6}) {
        for (const int bounds : {0, 1, 2, 3}) {
          SpaceSelection<1> s = selection_of(6, 3, 2, level, irrep, 2);
          s.spin_complete = complete;
          if (bounds % 2 == 1) s.max_holes = OccupationBound<1>{low, 2};
          if (bounds / 2 == 1) s.max_particles = OccupationBound<1>{high, 1};
          const auto space = make_space(s);
          expect_same(*space, brute_force(s));
          const bool full = level >= max_excitation_level(s);
          EXPECT_EQ(dynamic_cast<const ProductSpace<1>*>(space.get()) != nullptr, is_product(s));
          if (bounds == 0 && full) {
            EXPECT_TRUE(is_product(s));
          }
          if (!is_product(s) && !complete) {
            EXPECT_EQ(count_listed(s), brute_counts(s));
          }
        }
      }
    }
  }
}

TEST(Spaces, OneReferenceWithBoundsMakesAProductThatIsCountedBefore) {
  String low, high;
  low.words[0] = 0b0001101;
  high.words[0] = 0b1101000;
  for (const int irrep : {any_irrep, 0, 3}) {
    for (const int level : {0, 1, 3, 64}) {
      for (const int count : {0, 1, 2, 4, 6}) {
        SpaceSelection<1> s = selection_of(7, 4, 3, level, irrep, 4);
        s.max_holes = OccupationBound<1>{low, count};
        s.max_particles = OccupationBound<1>{high, 6 - count};
        if (!keeps_bounds(s, s.references[0])) continue;
        const ProductSpace<1> space(s);
        expect_same(space, brute_force(s));
        auto counted = count_determinants(s);
        auto found = space.level_counts();
        found.resize(counted.size(), 0);
        EXPECT_TRUE(std::equal(counted.begin(), counted.end(), found.begin()));
        EXPECT_EQ(space.fingerprint(), ProductSpace<1>(s).fingerprint());
        SpaceSelection<1> other = s;
        other.max_holes->count = 5;
        if (const ProductSpace<1> wider(other); wider.size() != space.size()) {
          EXPECT_NE(space.fingerprint(), wider.fingerprint());
        }
      }
    }
  }
}

TEST(Spaces, CompletedOutOfOpenShellsAreProductsThatAreCountedBefore) {
  String low, high;
  low.words[0] = 0b000011;
  high.words[0] = 0b110000;
  for (const auto& [alpha, beta] : {std::pair(4, 2), std::pair(2, 3), std::pair(4, 1), std::pair(3, 0)}) {
    for (const int level : {0, 1, 2, 3}) {
      for (const int irrep : {any_irrep, 1}) {
        for (const bool bounded : {false, true}) {
          SpaceSelection<1> s = selection_of(6, alpha, beta, level, irrep, 2);
          // Open shells that have empty orbitals between them.
          Det& reference = s.references[0];
          if (alpha > beta) reference.alpha = reference.alpha.moved(alpha - 1, 5);
          s.spin_complete = true;
          if (bounded) {
            s.max_holes = OccupationBound<1>{low, 1 + level % 2};
            s.max_particles = OccupationBound<1>{high, 2};
          }
          ASSERT_TRUE(is_product(s));
          const auto expected = brute_force(s);
          const auto space = make_space(s);
          expect_same(*space, expected);
          auto counted = count_determinants(s);
          auto found = space->level_counts();
          found.resize(counted.size(), 0);
          EXPECT_TRUE(std::equal(counted.begin(), counted.end(), found.begin(), found.end()));
        }
      }
    }
  }
}

TEST(Spaces, CompletedOutOfOpenShellsOfBothSpinsAreLists) {
  SpaceSelection<1> s = selection_of(6, 3, 3, 1, any_irrep, 2);
  s.references[0].alpha = s.references[0].alpha.moved(2, 3);
  s.spin_complete = true;
  EXPECT_FALSE(is_product(s));
  expect_same(*make_space(s), brute_force(s));
}

TEST(Spaces, FullSpacesOfSeveralReferencesAreProducts) {
  SpaceSelection<1> s = selection_of(5, 2, 2, 6, 0, 2);
  s.references.push_back({s.references[0].alpha.moved(0, 3), s.references[0].beta.moved(0, 3)});
  const auto space = make_space(s);
  ASSERT_NE(dynamic_cast<const ProductSpace<1>*>(space.get()), nullptr);
  EXPECT_EQ(space->size(), make_list(s, list_determinants(s))->size());
}

TEST(Spaces, WithoutExcitationsAreTheirReferences) {
  SpaceSelection<1> s = selection_of(6, 3, 3, 0, 0, 4);
  const Det first = s.references[0];
  const Det pair{first.alpha.moved(2, 4), first.beta.moved(2, 4)};
  const Det of_another_irrep{first.alpha.moved(2, 3), first.beta};
  ASSERT_NE(s.irreps[2], s.irreps[3]);
  const Det of_two_holes{first.alpha.moved(0, 5), first.beta.moved(0, 5)};
  s.references = {pair, first, of_another_irrep, pair, of_two_holes};
  EXPECT_EQ(count_listed(s), std::vector<std::int64_t>{3});
  expect_same(*make_space(s), brute_force(s));
  s.max_holes = {.orbitals = String::lowest(2), .count = 1};
  EXPECT_EQ(count_listed(s), std::vector<std::int64_t>{2});
  const auto space = make_space(s);
  expect_same(*space, brute_force(s));
  EXPECT_EQ(space->find(pair), 0) << "in the order given";
}

TEST(Spaces, FingerprintsTellSpacesApart) {
  std::set<std::uint64_t> seen;
  for (const int level : {1, 2, 3}) {
    for (const int irrep : {any_irrep, 0, 1}) {
      const ProductSpace<1> space(selection_of(6, 3, 3, level, irrep, 4));
      EXPECT_EQ(space.fingerprint(), ProductSpace<1>(selection_of(6, 3, 3, level, irrep, 4)).fingerprint());
      seen.insert(space.fingerprint());
    }
  }
  EXPECT_EQ(seen.size(), 9U);
}

TEST(Spaces, AbsentDeterminantsAreNotFound) {
  const ProductSpace<1> space(selection_of(6, 3, 3, 2, 0, 4));
  Det far{String::lowest(3), String::lowest(3)};
  far.alpha.words[0] = 0b111000;
  EXPECT_EQ(space.find(far), -1);
}

TEST(Spaces, ListRefusesDuplicates) {
  const Det d{String::lowest(2), String::lowest(2)};
  EXPECT_THROW(ListSpace<1>({d, d}, 4, any_irrep, 1, {2}), DimensionError);
}

TEST(Spaces, CountsAbsurdRequestsWithoutGeneratingThem) {
  SpaceSelection<1> s{.num_orbitals = 64,
                      .irreps = std::vector<int>(64, 0),
                      .references = {{String::lowest(32), String::lowest(32)}},
                      .excitation_level = 64,
                      .irrep = any_irrep};
  const auto counts = count_determinants(s);
  const double strings = std::accumulate(counts.begin(), counts.end(), 0.0);
  EXPECT_NEAR(strings / (1.832624140942590e18 * 1.832624140942590e18), 1.0, 1e-12);
}

}  // namespace test_space
}  // namespace cisolve

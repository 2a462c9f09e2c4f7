// SPDX-License-Identifier: MIT
// Spaces that are all of a CAS, beside the same determinants listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {
namespace test_cas_space {

using Det = Determinant<1>;

/// The definition: all determinants that a CAS has of its irrep and within the bounds, ascending.
std::vector<Det> brute_force(const SpaceSelection<1>& s) {
  std::vector<Det> all;
  const std::uint64_t end = std::uint64_t{1} << s.num_orbitals;
  const auto strings = [&](const String& like) {
    std::vector<String> found;
    for (std::uint64_t bits = 0; bits < end; ++bits) {
      const String string{{bits}};
      const bool is_in = string.count() == like.count() &&
                         (string & ~(s.cas->active | s.cas->doubly)).count() == 0 &&
                         (s.cas->doubly & ~string).count() == 0;
      if (is_in) found.push_back(string);
    }
    return found;
  };
  for (const String& alpha : strings(s.references[0].alpha)) {
    for (const String& beta : strings(s.references[0].beta)) {
      const int irrep = irrep_of(alpha, s.irreps) ^ irrep_of(beta, s.irreps);
      if (s.cas->irrep != any_irrep && irrep != s.cas->irrep) continue;
      if (keeps_bounds(s, Det{alpha, beta})) all.push_back({alpha, beta});
    }
  }
  return all;
}

/// A CAS of the orbitals with set bits.
SpaceSelection<1> cas_of(int orbitals, std::uint64_t doubly, std::uint64_t active, int alpha, int beta) {
  SpaceSelection<1> s{.num_orbitals = orbitals, .irreps = {}, .references = {Det{}}};
  s.irreps.assign(static_cast<std::size_t>(orbitals), 0);
  s.cas = {String{{doubly}}, String{{active}}, any_irrep};
  Det& first = s.references[0];
  first = {s.cas->doubly, s.cas->doubly};
  s.cas->active.for_each([&](int p) {
    if (alpha-- > 0) first.alpha.set(p);
    if (beta-- > 0) first.beta.set(p);
  });
  return s;
}

/// Everything of the space that others see.
void expect_like_list(const SpaceSelection<1>& s) {
  const std::vector<Det> references = brute_force(s);
  EXPECT_EQ(count_references(s), static_cast<double>(references.size()));
  const auto first = first_reference(s);
  ASSERT_EQ(first.has_value(), !references.empty());
  if (!first) return;
  EXPECT_EQ(*first, references.front());
  if (references.size() == 1) return;  // out of one reference, which needs no CAS

  SpaceSelection<1> whole = s, list = s;
  whole.references = {*first};
  list.references = references;
  list.cas.reset();
  const auto space = make_space(whole), expected = make_space(list);
  ASSERT_EQ(space->size(), expected->size());
  EXPECT_EQ(count_determinants(whole), std::vector<double>{static_cast<double>(space->size())});
  EXPECT_EQ(space->fingerprint(), expected->fingerprint());
  EXPECT_EQ(space->as_product() == nullptr, expected->as_product() == nullptr);
  EXPECT_EQ(space->num_references(), expected->num_references());
  EXPECT_EQ(space->level_counts(), expected->level_counts());
  EXPECT_EQ(space->irrep(), expected->irrep());
  EXPECT_EQ(make_space(with_words<4>(whole))->size(), space->size());
  std::vector<Det> found(references.size()), rows(references.size());
  found.resize(static_cast<std::size_t>(space->size()));
  rows.resize(found.size());
  space->enumerate(0, found);
  expected->enumerate(0, rows);
  EXPECT_EQ(found, rows);
  for (std::int64_t row = 0; row < space->size(); ++row) ASSERT_EQ(space->find(rows[row]), row);
  for (const Det& d : references) {
    EXPECT_EQ(space->find(d), expected->find(d));
    EXPECT_EQ(space->find({d.beta, d.alpha}), expected->find({d.beta, d.alpha}));
  }
}

TEST(CasSpaces, AreWhatAListOfThemIs) {
  const OccupationBound<1> in_doubly{.orbitals = {{0b11}}, .count = 1}, two_lowest{{{0b1111}}, 1},
      highest{{{0b11110000}}, 2}, beyond{{{0b110000000}}, 0};
  int products = 0;
  for (const auto& [alpha, beta] : {std::pair(3, 3), {4, 2}, {1, 1}, {6, 0}, {2, 5}, {6, 6}}) {
    for (const int num_irreps : {1, 2, 8}) {
      SpaceSelection<1> s = cas_of(9, 0b100000001, 0b11011010, alpha, beta);
      for (int p = 0; p < 9; ++p) s.irreps[static_cast<std::size_t>(p)] = (p * 5 + p / 3) % num_irreps;
      for (int irrep = any_irrep; irrep < num_irreps; ++irrep) {
        s.irrep = irrep;
        for (const bool of_all : {true, false}) {
          s.cas->irrep = of_all ? any_irrep : irrep;
          for (const auto& holes : {std::optional<OccupationBound<1>>(), {in_doubly}, {two_lowest}}) {
            for (const auto& particles : {std::optional<OccupationBound<1>>(), {highest}, {beyond}}) {
              s.max_holes = holes;
              s.max_particles = particles;
              SCOPED_TRACE(testing::Message() << alpha << " " << beta << " irrep " << irrep << " of "
                                              << num_irreps << (of_all ? ", all" : ", its own"));
              expect_like_list(s);
              const auto space = make_space(s);
              if (space->as_product() != nullptr) ++products;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(products, 10) << "larger blocks are among them";
}

TEST(CasSpaces, OfRandomOrbitalsAreWhatAListOfThemIs) {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    std::uint64_t doubly = 0, active = 0, some = 0, others = 0;
    for (int p = 0; p < 10; ++p) {
      const std::uint64_t bit = std::uint64_t{1} << p;
      const int role = below(5);
      (role == 0 ? doubly : role == 1 ? some : active) |= bit;
      if (below(2) == 0) some |= bit;
      if (below(2) == 0) others |= bit;
    }
    const int most = String{{active}}.count();
    SpaceSelection<1> s = cas_of(10, doubly, active, below(most + 1), below(most + 1));
    for (int& irrep : s.irreps) irrep = below(4);
    s.irrep = below(5) - 1;
    if (below(2) == 0) s.cas->irrep = s.irrep;
    if (below(2) == 0) s.max_holes = {{{some}}, below(8)};
    if (below(2) == 0) s.max_particles = {{{others}}, below(8)};
    expect_like_list(s);
  }
}

TEST(CasSpaces, TakeNoRoomForTheirDeterminants) {
  SpaceSelection<1> s = cas_of(20, 0b1111, 0xffff0, 8, 8);
  EXPECT_EQ(make_space(s)->size(), std::int64_t{12870} * 12870);
  // As many again of half the irreps: each string has as many partners of one irrep as of the other.
  for (std::size_t p = 4; p < 12; ++p) s.irreps[p] = 1;
  s.irrep = s.cas->irrep = 1;
  const double odd = count_references(s);
  s.irrep = s.cas->irrep = 0;
  EXPECT_EQ(count_references(s) + odd, 12870.0 * 12870.0);
  const auto space = make_space(s);
  EXPECT_EQ(static_cast<double>(space->size()), count_references(s));
  EXPECT_EQ(space->num_references(), space->size());
  EXPECT_EQ(space->find(space->determinant(space->size() - 1)), space->size() - 1);
}

TEST(CasSpaces, AreNotMadeOfReferencesThatAreNone) {
  SpaceSelection<1> s = cas_of(6, 1, 0b1110, 1, 1);
  s.cas.reset();
  EXPECT_THROW(count_references(s), DimensionError);
  EXPECT_THROW(first_reference(s), DimensionError);
  EXPECT_THROW(ProductSpace<1>::from_cas(s), DimensionError);
  const SpaceSelection<1> good = cas_of(6, 1, 0b1110, 1, 1);
  EXPECT_EQ(make_space(good)->size(), 9);
  s = good;
  s.references[0].alpha = s.references[0].alpha.moved(1, 4);
  EXPECT_THROW(make_space(s), DimensionError) << "an electron beyond the CAS";
  s = good;
  s.references[0].beta = s.references[0].beta.moved(0, 2);
  EXPECT_THROW(make_space(s), DimensionError) << "a hole below it";
  s = good;
  s.excitation_level = 1;
  EXPECT_THROW(make_space(s), DimensionError);
}

}  // namespace test_cas_space
}  // namespace cisolve

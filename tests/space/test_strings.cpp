// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {
namespace test_strings {

template <int Words>
BitString<Words> string_of(std::initializer_list<int> orbitals) {
  BitString<Words> s;
  for (const int p : orbitals) s.set(p);
  return s;
}

TEST(BitString, OrdersAsOneUnsignedInteger) {
  EXPECT_LT(string_of<2>({0, 63}), string_of<2>({64}));
  EXPECT_LT(string_of<1>({0, 1, 2}), string_of<1>({3}));
}

TEST(KeyIndex, FindsEachOfManyKeysAndRefusesOneThatComesTwice) {
  for (const std::size_t size : {1'000U, 150'000U}) {  // which is indexed by several threads
    std::vector<BitString<1>> keys;
    for (std::size_t k = 0; k < size; ++k) keys.push_back({{k * k + 5}});
    const KeyIndex<BitString<1>> index(keys);
    for (std::size_t k = 0; k < size; ++k) ASSERT_EQ(index.find(keys, keys[k]), static_cast<std::int64_t>(k));
    EXPECT_EQ(index.find(keys, {{7}}), -1);
    keys.push_back(keys[size / 3]);
    EXPECT_THROW((KeyIndex<BitString<1>>(keys)), DimensionError);
  }
}

TEST(BitString, CountsStrictlyBetween) {
  const auto s = string_of<2>({0, 3, 62, 63, 64, 70});
  EXPECT_EQ(s.count_between(0, 70), 4);
  EXPECT_EQ(s.count_between(70, 0), 4);
  EXPECT_EQ(s.count_between(62, 64), 1);
  EXPECT_EQ(s.count_between(63, 64), 0);
  EXPECT_EQ(s.count(), 6);
}

TEST(BitString, LowestCrossesWords) {
  const auto s = BitString<2>::lowest(66);
  EXPECT_EQ(s.count(), 66);
  EXPECT_TRUE(s.test(65));
  EXPECT_FALSE(s.test(66));
  EXPECT_EQ(BitString<1>::lowest(64).count(), 64);
}

TEST(Excitations, SinglesHaveThePhaseOfReordering) {
  // a_3^+ a_0 on |0 1 2>: two electrons passed, even.
  const auto s = string_of<1>({0, 1, 2});
  EXPECT_FALSE(is_negative(s, 0, 3));
  EXPECT_TRUE(is_negative(s, 1, 3));
  EXPECT_FALSE(is_negative(s, 2, 3));
}

TEST(Excitations, EachIsVisitedOnce) {
  const auto s = string_of<1>({1, 2, 5});
  std::vector<std::uint64_t> singles;
  std::vector<std::uint64_t> doubles;
  for_each_single(s, 7, [&](const String& t, int, int, bool) { singles.push_back(t.words[0]); });
  for_each_double(s, 7, [&](const String& t, int, int, int, int, bool) { doubles.push_back(t.words[0]); });
  const auto distinct = [](std::vector<std::uint64_t> v) {
    std::sort(v.begin(), v.end());
    return std::unique(v.begin(), v.end()) - v.begin();
  };
  EXPECT_EQ(singles.size(), 12U);
  EXPECT_EQ(distinct(singles), 12);
  EXPECT_EQ(doubles.size(), 18U);
  EXPECT_EQ(distinct(doubles), 18);
}

/// Brute force over all strings of n orbitals.
std::vector<String> brute_force(const StringSelection<1>& selection) {
  std::vector<String> strings;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << selection.num_orbitals; ++bits) {
    String s;
    s.words[0] = bits;
    const bool right =
        s.count() == selection.reference.count() && (s & ~selection.reference).count() <= selection.max_level;
    if (right) strings.push_back(s);
  }
  return strings;
}

/// Targets and codes of a string's double excitations, by definition: all are tried.
template <int Words>
std::map<std::int32_t, std::uint32_t> doubles_by_definition(const StringTable<Words>& table, std::int32_t i) {
  std::map<std::int32_t, std::uint32_t> found;
  for_each_double(table[i], table.num_orbitals(),
                  [&](const BitString<Words>& t, int h1, int p1, int h2, int p2, bool negative) {
                    const std::int32_t target = table.find(t);
                    if (target >= 0 && table.irrep(target) == table.irrep(i))
                      found[target] = ExcitationCode::twofold(h1, h2, p1, p2, negative);
                  });
  return found;
}

/// Single excitations in the order of the definition: by holes, then particles.
template <int Words>
void expect_singles(const StringTable<Words>& table) {
  for (std::int32_t i = 0; i < table.size(); ++i) {
    std::vector<std::pair<std::int32_t, std::uint32_t>> expected, found;
    for_each_single(table[i], table.num_orbitals(),
                    [&](const BitString<Words>& t, int h, int p, bool negative) {
                      if (table.find(t) >= 0)
                        expected.emplace_back(table.find(t), ExcitationCode::single(h, p, negative));
                    });
    for (const StringExcitations::Link& link : table.singles()[i]) found.emplace_back(link.target, link.code);
    EXPECT_EQ(found, expected);
  }
}

template <int Words>
void expect_doubles(const StringTable<Words>& table) {
  for (std::int32_t i = 0; i < table.size(); ++i) {
    const StringExcitations doubles = table.doubles({&i, 1});
    std::map<std::int32_t, std::uint32_t> found;
    for (const StringExcitations::Link& link : doubles.links) found[link.target] = link.code;
    EXPECT_EQ(found.size(), doubles.links.size());
    EXPECT_EQ(found, doubles_by_definition(table, i));
  }
}

class Strings : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(Strings, TableHoldsWhatBruteForceFinds) {
  const auto [orbitals, electrons, level] = GetParam();
  StringSelection<1> selection{.num_orbitals = orbitals,
                               .reference = String::lowest(electrons),
                               .max_level = std::min({level, electrons, orbitals - electrons}),
                               .irreps = {},
                               .class_by_irrep = true};
  for (int p = 0; p < orbitals; ++p) selection.irreps.push_back(p % 3);
  const StringTable<1> table(selection);
  const auto expected = brute_force(selection);
  ASSERT_EQ(table.size(), std::ssize(expected));
  std::map<std::pair<int, int>, double> counts;
  for (const StringCount& count : count_strings(selection))
    counts[{count.level, count.irrep}] += count.strings;
  for (std::int32_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i], expected[i]);
    EXPECT_EQ(table.find(table[i]), i);
    const auto members = table.members(table.level(i), table.irrep(i));
    EXPECT_EQ(members[table.position(i)], i);
    EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
    counts[{table.level(i), table.irrep(i)}] -= 1.0;
  }
  for (const auto& [level_and_irrep, count] : counts) EXPECT_EQ(count, 0.0);
  EXPECT_EQ(table.find(String::lowest(electrons + 1)), -1);
  expect_singles(table);
  expect_doubles(table);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Strings,
                         testing::Values(std::tuple(6, 3, 3), std::tuple(8, 2, 1), std::tuple(7, 5, 2),
                                         std::tuple(5, 5, 0), std::tuple(5, 0, 0), std::tuple(9, 4, 4),
                                         std::tuple(1, 1, 1), std::tuple(12, 5, 2)));

TEST(Strings, TwoWordsAreAnInstantiation) {
  StringSelection<2> selection{.num_orbitals = 70,
                               .reference = BitString<2>::lowest(3),
                               .max_level = 1,
                               .irreps = std::vector<int>(70, 0),
                               .class_by_irrep = true};
  const StringTable<2> table(selection);
  EXPECT_EQ(table.size(), 1 + 3 * 67);
  EXPECT_GE(table.find(string_of<2>({0, 1, 69})), 0);
}

TEST(Strings, DoublesCrossWords) {
  StringSelection<2> selection{
      .num_orbitals = 68,
      .reference = string_of<2>({0, 1, 62, 63, 64}),
      .max_level = 2,
      .irreps = {},
      .class_by_irrep = true,
      .max_particles = OccupationBound<2>{BitString<2>::lowest(58) & ~BitString<2>::lowest(2), 0}};
  for (int p = 0; p < 68; ++p) selection.irreps.push_back(p % 8);
  const StringTable<2> table(selection);
  ASSERT_GT(table.size(), 100);
  expect_singles(table);
  expect_doubles(table);
}

}  // namespace test_strings
}  // namespace cisolve

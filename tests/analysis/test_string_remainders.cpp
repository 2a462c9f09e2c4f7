// SPDX-License-Identifier: MIT
#include "analysis/string_remainders.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/space/space.hpp"

namespace cisolve {
namespace test_string_remainders {

/// Orbitals of a member's string without those of its label; the phase must be that of annihilators on the string.
std::vector<int> what_is_left(const Strings& strings, const StringClasses& classes,
                              const StringRemainders::Member& member, int taken) {
  const std::int32_t string = classes.strings[classes.offsets[member.string_class] + member.code / 2];
  std::vector<int> left;
  int passed = 0, found = 0, before = 0;
  for (const int p : strings.orbitals(string)) {
    bool is_taken = taken == 1 && member.label == p;
    for (const int q : strings.orbitals(string)) {
      if (taken != 2 || p == q) continue;
      const std::size_t pair = TwoParticleDensity::pair(std::max(p, q), std::min(p, q));
      is_taken = is_taken || static_cast<std::size_t>(member.label) == pair;
    }
    if (is_taken) {
      passed += before;
      ++found;
    } else {
      left.push_back(p);
    }
    ++before;
  }
  EXPECT_EQ(found, taken);
  EXPECT_EQ(member.code % 2, static_cast<unsigned>(passed % 2));
  return left;
}

template <int Words>
void expect_remainders(const SpaceSelection<Words>& selection) {
  const auto space = make_space(selection);
  ASSERT_NE(space->as_product(), nullptr);
  const Strings& strings = space->as_product()->alpha();
  const BlockStructure blocks(*space->as_product());
  const std::size_t electrons = strings.num_electrons();
  for (const int taken : {0, 1, 2}) {
    const StringRemainders remainders(strings, blocks.alpha, taken);
    std::set<std::vector<int>> seen;
    std::size_t count = 0;
    for (const auto& group : remainders.groups()) {
      std::set<std::tuple<std::int64_t, std::int32_t, std::int32_t, std::uint32_t>> members, entries;
      for (std::int64_t r = group.first; r < group.last; ++r) {
        std::set<std::vector<int>> of_remainder;
        for (const auto& m : remainders.members(r)) {
          of_remainder.insert(what_is_left(strings, blocks.alpha, m, taken));
          members.emplace(r - group.first, m.label, m.string_class, m.code);
        }
        ASSERT_EQ(of_remainder.size(), 1U);
        EXPECT_TRUE(seen.insert(*of_remainder.begin()).second) << "a remainder comes twice";
      }
      for (const auto& slot : group.slots) {
        for (std::int64_t k = slot.first; k < slot.last; ++k) {
          const auto& entry = remainders.entries()[k];
          entries.emplace(entry.column, slot.label, slot.string_class, entry.code);
        }
      }
      EXPECT_EQ(members, entries);
      count += members.size();
    }
    const std::size_t choices = taken == 0 ? 1 : taken == 1 ? electrons : electrons * (electrons - 1) / 2;
    EXPECT_EQ(count, blocks.alpha.strings.size() * choices);
  }
}

/// Also in orbitals that one word does not tell apart.
TEST(StringRemainders, HoldEveryStringOnceForEachChoiceOfElectrons) {
  for (const int orbitals : {7, 70}) {
    SpaceSelection<2> s;
    s.num_orbitals = orbitals;
    for (int p = 0; p < orbitals; ++p) s.irreps.push_back(p % 2);
    s.references = {{BitString<2>::lowest(4), BitString<2>::lowest(3)}};
    s.excitation_level = orbitals == 7 ? 4 : 1;
    s.irrep = orbitals == 7 ? 0 : any_irrep;
    expect_remainders(s);
  }
}

}  // namespace test_string_remainders
}  // namespace cisolve

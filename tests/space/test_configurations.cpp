// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "io/json.hpp"

namespace cisolve {
namespace test_configurations {

using Config = Configuration<1>;

/// "2u10": 2 doubly, 0 empty, anything else singly occupied.
Config occupied(const std::string& text) {
  Config c;
  for (std::size_t p = 0; p < text.size(); ++p) {
    if (text[p] == '2') c.doubly.set(static_cast<int>(p));
    if (text[p] != '2' && text[p] != '0') c.singly.set(static_cast<int>(p));
  }
  return c;
}

ConfigurationSelection<1> closed_shell(int occupied, int virtuals, int level, int two_s) {
  const int norb = occupied + virtuals;
  return {.num_orbitals = norb,
          .irreps = std::vector<int>(norb, 0),
          .references = {{String::lowest(occupied), {}}},
          .excitation_level = level,
          .irrep = any_irrep,
          .two_s = two_s};
}

nlohmann::json published_counts() { return read_json("csf_counts.json"); }

TEST(CsfCounts, ByExcitationLevelAreThoseOfTheReferenceTables) {
  const nlohmann::json published = published_counts();
  for (const auto& record : published["by_excitation_level"]) {
    SCOPED_TRACE(record["system"].get<std::string>());
    const std::vector<std::uint64_t> expected = record["exactly_at_level"];
    const auto counts = count_csfs(closed_shell(record["occupied"], record["virtual"],
                                                static_cast<int>(expected.size()) - 1, record["two_s"]));
    ASSERT_EQ(counts.csfs.size(), expected.size());
    for (std::size_t level = 0; level < expected.size(); ++level) {
      EXPECT_EQ(counts.at_level(static_cast<int>(level), any_irrep), expected[level]) << "level " << level;
    }
  }
}

TEST(CsfCounts, OfFullSpacesAreThoseOfWeylAndPaldus) {
  const nlohmann::json published = published_counts();
  for (const auto& record : published["weyl_paldus"]) {
    const int norb = record["norb"], nelec = record["nelec"], two_s = record["two_s"];
    Config reference{String::lowest(nelec / 2), {}};
    if (nelec % 2 != 0) reference.singly.set(nelec / 2);
    const auto counts = count_csfs<1>({.num_orbitals = norb,
                                       .irreps = std::vector<int>(norb, 0),
                                       .references = {reference},
                                       .excitation_level = nelec,
                                       .irrep = any_irrep,
                                       .two_s = two_s});
    std::uint64_t sum = 0;
    for (std::size_t level = 0; level < counts.csfs.size(); ++level) {
      sum += counts.at_level(static_cast<int>(level), any_irrep);
    }
    EXPECT_EQ(sum, record["csf"].get<std::uint64_t>())
        << norb << " orbitals, " << nelec << " electrons, 2S = " << two_s;
  }
}

/// All occupations of a selection by testing each of 3^norb patterns against every reference.
std::set<Config> by_definition(const ConfigurationSelection<1>& s) {
  std::set<Config> found;
  Config c;
  const std::function<void(int)> walk = [&](int p) {
    if (p < s.num_orbitals) {
      walk(p + 1);
      c.singly.set(p);
      walk(p + 1);
      c.singly.reset(p);
      c.doubly.set(p);
      walk(p + 1);
      c.doubly.reset(p);
      return;
    }
    if (c.num_electrons() != s.references[0].num_electrons() || c.num_open() < s.two_s) return;
    if (s.irrep != any_irrep && irrep_of(c.singly, s.irreps) != s.irrep) return;
    for (const auto& bound : s.bounds) {
      const int inside = 2 * (c.doubly & bound.orbitals).count() + (c.singly & bound.orbitals).count();
      if (inside < bound.fewest || inside > bound.most) return;
    }
    for (const Config& r : s.references) {
      int moved = 0;
      for (int q = 0; q < s.num_orbitals; ++q) moved += std::max(r.occupation(q) - c.occupation(q), 0);
      if (moved <= s.excitation_level) {
        found.insert(c);
        return;
      }
    }
  };
  walk(0);
  return found;
}

void expect_space(const ConfigurationSelection<1>& selection) {
  const ConfigurationSpace<1> space(selection);
  const std::set<Config> expected = by_definition(selection);
  const std::set<Config> found(space.configurations().begin(), space.configurations().end());
  EXPECT_EQ(std::ssize(space.configurations()), std::ssize(found)) << "a configuration comes twice";
  EXPECT_TRUE(found == expected) << found.size() << " configurations, not " << expected.size();
  EXPECT_FALSE(expected.empty());
  std::int64_t rows = 0;
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    EXPECT_EQ(space.offset(i), rows);
    EXPECT_EQ(space.configuration_of_row(rows), i);
    EXPECT_EQ(space.find(space.configuration(i)), i);
    rows += space.couplings().count(space.configuration(i).num_open());
  }
  EXPECT_EQ(space.size(), rows);
  std::int64_t by_level = 0;
  for (const std::int64_t count : space.level_counts()) by_level += count;
  EXPECT_EQ(by_level, rows);
}

const std::vector<int> mixed_irreps = {0, 3, 1, 2, 0, 1, 3};

TEST(ConfigurationSpace, HoldsWhatTheDefinitionSays) {
  ConfigurationSelection<1> s{.num_orbitals = 7,
                              .irreps = mixed_irreps,
                              .references = {occupied("2220000")},
                              .excitation_level = 2,
                              .irrep = 0,
                              .two_s = 0};
  expect_space(s);
  s.irrep = any_irrep;
  s.excitation_level = 3;
  expect_space(s);
  s.two_s = 4;
  expect_space(s);
  s.references = {occupied("22110")};
  s.two_s = 2;
  s.irrep = 2;
  expect_space(s);
  s.references = {occupied("222"), occupied("22020"), occupied("0222"), occupied("2u2d")};
  s.excitation_level = 1;
  s.irrep = any_irrep;
  s.two_s = 0;
  expect_space(s);
  s.bounds = {{.orbitals = String::lowest(2), .fewest = 3}, {.orbitals = ~String::lowest(5), .most = 1}};
  s.excitation_level = 4;
  expect_space(s);
  s.excitation_level = 0;
  s.bounds = {};
  expect_space(s);
}

TEST(ConfigurationSpace, AgreesWithTheCounts) {
  ConfigurationSelection<1> s{.num_orbitals = 7,
                              .irreps = mixed_irreps,
                              .references = {occupied("2211100")},
                              .excitation_level = 5,
                              .irrep = any_irrep,
                              .two_s = 3};
  for (int irrep = any_irrep; irrep < 4; ++irrep) {
    s.irrep = irrep;
    const auto counts = count_csfs(s);
    const ConfigurationSpace<1> space(s);
    const auto& levels = space.level_counts();
    for (std::size_t level = 0; level < levels.size(); ++level) {
      EXPECT_EQ(counts.at_level(static_cast<int>(level), irrep), static_cast<std::uint64_t>(levels[level]));
    }
  }
}

TEST(ConfigurationSpace, ListsReferencesThenLevelsThenStrings) {
  const ConfigurationSelection<1> s{.num_orbitals = 7,
                                    .irreps = mixed_irreps,
                                    .references = {occupied("2202"), occupied("2220"), occupied("2u2d")},
                                    .excitation_level = 2,
                                    .irrep = any_irrep,
                                    .two_s = 0};
  const ConfigurationSpace<1> space(s);
  EXPECT_EQ(space.num_references(), 3);
  EXPECT_EQ(space.num_reference_csfs(), 3);
  for (std::int32_t r = 0; r < 3; ++r) EXPECT_TRUE(space.configuration(r) == s.references[r]);
  int last_level = 0;
  for (std::int32_t i = 3; i < space.num_configurations(); ++i) {
    int level = 99;
    for (const Config& r : s.references)
      level = std::min(level, excitation_degree(space.configuration(i), r));
    EXPECT_GE(level, last_level);
    if (i > 3 && level == last_level) {
      EXPECT_LT(space.configuration(i - 1), space.configuration(i));
    }
    last_level = level;
  }
}

TEST(ConfigurationSpace, ReferencesThatHoldNoCsfGenerateAllTheSame) {
  // A closed shell has no triplet; its single excitations have one each.
  const ConfigurationSpace<1> triplets(closed_shell(3, 2, 1, 2));
  EXPECT_EQ(triplets.num_references(), 0);
  EXPECT_EQ(triplets.num_reference_csfs(), 0);
  EXPECT_EQ(triplets.size(), 6);
  // So does a reference of another irrep.
  const ConfigurationSpace<1> others({.num_orbitals = 7,
                                      .irreps = mixed_irreps,
                                      .references = {occupied("222")},
                                      .excitation_level = 1,
                                      .irrep = 3,
                                      .two_s = 0});
  EXPECT_EQ(others.num_references(), 0);
  EXPECT_EQ(others.size(), 3);  // counting from 0: 0 -> 6, 1 -> 4, 2 -> 3; irreps 0 ^ 3, 3 ^ 0, 1 ^ 2
}

TEST(ConfigurationSpace, SaysTheStepsOfEveryOrbital) {
  const ConfigurationSpace<1> space({.num_orbitals = 5,
                                     .irreps = std::vector<int>(5, 0),
                                     .references = {occupied("21111")},
                                     .excitation_level = 0,
                                     .irrep = any_irrep,
                                     .two_s = 0});
  EXPECT_EQ(space.size(), 2);
  EXPECT_EQ(space.steps(0, 2), (std::vector<std::uint8_t>{3, 1, 1, 2, 2, 3, 1, 2, 1, 2}));
  EXPECT_EQ(space.steps(1, 1), (std::vector<std::uint8_t>{3, 1, 2, 1, 2}));
}

TEST(ConfigurationSpace, TellsSpacesApart) {
  const auto fingerprint = [](int level, int two_s) {
    return ConfigurationSpace<1>(closed_shell(3, 3, level, two_s)).fingerprint();
  };
  EXPECT_EQ(fingerprint(2, 2), fingerprint(2, 2));
  EXPECT_NE(fingerprint(2, 2), fingerprint(3, 2));
  EXPECT_NE(fingerprint(2, 2), fingerprint(2, 4));
}

TEST(ConfigurationSpace, RefusesSpinsTheElectronsCannotHave) {
  EXPECT_THROW(ConfigurationSpace<1>(closed_shell(3, 3, 2, 1)), DimensionError);
}

TEST(SpinCouplings, AreNumberedInOrder) {
  for (const int two_s : {0, 1, 3, 8}) {
    const SpinCouplings couplings(two_s, 14);
    for (int open = 0; open <= 14; ++open) {
      std::vector<SpinStep> steps(open), last;
      for (std::int64_t c = 0; c < couplings.count(open); ++c) {
        couplings.steps(c, steps);
        EXPECT_EQ(couplings.number(steps), c);
        if (c > 0) {
          EXPECT_LT(last, steps);
        }
        last = steps;
        int spin = 0;
        for (const SpinStep step : steps) {
          spin += step == SpinStep::up ? 1 : -1;
          EXPECT_GE(spin, 0);
        }
        EXPECT_EQ(spin, two_s);
      }
    }
  }
  EXPECT_EQ(SpinCouplings(0, 14).count(14), 429);  // Catalan numbers
  EXPECT_EQ(SpinCouplings(2, 14).count(14), 1001);
  EXPECT_EQ(SpinCouplings(8, 14).count(14), 273);
  EXPECT_EQ(SpinCouplings(8, 14).count(6), 0);
  EXPECT_EQ(SpinCouplings(8, 14).count(9), 0);
}

TEST(SpinFunctions, AreOrthonormal) {
  for (const auto& [two_s, open] : {std::pair{0, 8}, {2, 8}, {8, 10}, {1, 7}, {5, 5}, {0, 0}}) {
    const SpinFunctions f = make_spin_functions(SpinCouplings(two_s, open), open);
    for (int a = 0; a < f.coefficients.columns(); ++a) {
      for (int b = 0; b <= a; ++b) {
        double product = 0.0;
        for (int k = 0; k < f.coefficients.rows(); ++k)
          product += f.coefficients(k, a) * f.coefficients(k, b);
        EXPECT_NEAR(product, a == b ? 1.0 : 0.0, 1e-14);  // a sum of at most 252 products below 1
      }
    }
  }
}

TEST(SpinFunctions, OfTwoElectronsAreSingletAndTriplet) {
  const SpinFunctions singlet = make_spin_functions(SpinCouplings(0, 2), 2);
  ASSERT_EQ(singlet.alpha, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_NEAR(singlet.coefficients(0, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(singlet.coefficients(1, 0), -std::sqrt(0.5), 1e-15);
  const SpinFunctions triplet = make_spin_functions(SpinCouplings(2, 2), 2);
  ASSERT_EQ(triplet.alpha, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(triplet.coefficients(0, 0), 1.0);
}

}  // namespace test_configurations
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "selection/unit_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace cisolve {
namespace test_unit_sample {

/// Units whose energies follow their weights but for a factor between 0.5 and 1.5.
struct Units {
  struct Unit {
    UnitKind kind;
    std::uint64_t hash;
    double weight, energy;
  };

  explicit Units(int count, double zero_weights = 0.0) {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform;
    for (int u = 0; u < count; ++u) {
      const double weight =
          uniform(engine) < zero_weights ? 0.0 : std::exp(-8.0 * uniform(engine));  // over 3 decades
      const auto kind = u % 3 == 0 ? UnitKind::beta : UnitKind::alpha;
      const double scale = kind == UnitKind::beta ? -0.1 : -0.3;
      all.push_back({kind, engine(), weight, scale * (0.5 + uniform(engine)) * (weight + 1e-4)});
    }
  }

  std::array<UnitSample::Population, 2> populations() const {
    std::array<UnitSample::Population, 2> found;
    for (const Unit& unit : all) {
      found[static_cast<std::size_t>(unit.kind)].weight += unit.weight;
      ++found[static_cast<std::size_t>(unit.kind)].count;
    }
    return found;
  }

  double energy() const {
    double sum = 0.0;
    for (const Unit& unit : all) sum += unit.energy;
    return sum;
  }

  /// Goes through all stages. @return how many units were summed
  std::size_t fill(UnitSample& sample, std::vector<Unit> order) const {
    std::multiset<std::uint64_t> taken;
    do {
      for (const Unit& unit : order) {
        const double draw = sample.draw(unit.kind, unit.hash);
        if (!sample.takes(unit.kind, unit.weight, draw)) continue;
        EXPECT_EQ(taken.count(unit.hash), 0U) << "a unit is summed once";
        taken.insert(unit.hash);
        const double energies[] = {unit.energy, 2.0 * unit.energy};
        const double variances[] = {-unit.energy, 1.0};
        sample.add(unit.kind, unit.weight, draw, energies, variances);
      }
    } while (sample.end_stage());
    return taken.size();
  }

  std::vector<Unit> all;
};

TEST(UnitSample, ErrorsAreThoseThatItSays) {
  const Units units(6000);
  const double exact = units.energy();
  constexpr int seeds = 200;
  int within_one = 0, within_two = 0;
  double mean = 0.0;
  std::size_t summed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const double error = 0.005 * std::abs(exact);
    UnitSample sample({.error = 2.0 * error, .seed = static_cast<std::uint64_t>(seed), .first_samples = 100},
                      units.populations(), 2);
    summed += units.fill(sample, units.all);
    EXPECT_LE(sample.error()[0], error);
    EXPECT_DOUBLE_EQ(sample.error()[1], 2.0 * sample.error()[0]);
    const double deviation = (sample.energy()[0] - exact) / sample.error()[0];
    within_one += std::abs(deviation) < 1.0 ? 1 : 0;
    within_two += std::abs(deviation) < 2.0 ? 1 : 0;
    mean += deviation / seeds;
  }
  // Three standard deviations of the binomial distributions, and of the mean.
  EXPECT_NEAR(within_one, 0.683 * seeds, 3.0 * std::sqrt(0.683 * 0.317 * seeds));
  EXPECT_NEAR(within_two, 0.954 * seeds, 3.0 * std::sqrt(0.954 * 0.046 * seeds));
  EXPECT_LT(std::abs(mean), 3.0 / std::sqrt(seeds));
  EXPECT_LT(summed, seeds * units.all.size() / 2);
}

TEST(UnitSample, DoesNotDependOnTheOrderOfUnits) {
  const Units units(3000);
  const SamplingConfig config{.error = 0.004 * std::abs(units.energy()), .seed = 5, .first_samples = 60};
  UnitSample forwards(config, units.populations(), 2), backwards(config, units.populations(), 2);
  units.fill(forwards, units.all);
  auto reversed = units.all;
  std::ranges::reverse(reversed);
  units.fill(backwards, reversed);
  EXPECT_EQ(forwards.energy(), backwards.energy());
  EXPECT_EQ(forwards.error(), backwards.error());
  EXPECT_EQ(forwards.variance(), backwards.variance());
}

TEST(UnitSample, IsExactOnceItHasAllUnits) {
  for (const double zero_weights : {0.0, 0.3, 1.0}) {
    const Units units(500, zero_weights);
    UnitSample sample({.error = 1e-15, .first_samples = 20}, units.populations(), 2);
    EXPECT_EQ(units.fill(sample, units.all), units.all.size());
    EXPECT_EQ(sample.error()[0], 0.0);
    EXPECT_NEAR(sample.energy()[0], units.energy(), 1e-12);
  }
}

/// Weights that fall over many decades leave few units of each, which a kind needs for its error bar; the other does not.
TEST(UnitSample, OneKindThatIsHardToSampleLeavesTheOtherAlone) {
  Units units(0);
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform;
  for (int u = 0; u < 300; ++u) {
    const double weight = std::exp(-46.0 * uniform(engine));
    units.all.push_back({UnitKind::beta, engine(), weight, -0.01 * weight});
  }
  for (int u = 0; u < 20'000; ++u) {
    const double weight = 0.5 + uniform(engine);
    units.all.push_back({UnitKind::alpha, engine(), weight, -weight * (0.9 + 0.2 * uniform(engine))});
  }
  const double exact = units.energy();
  UnitSample sample({.error = 0.01 * std::abs(exact)}, units.populations(), 2);
  EXPECT_LT(units.fill(sample, units.all), 2000U);
  EXPECT_LT(sample.error()[0], 0.01 * std::abs(exact));
  EXPECT_LT(std::abs(sample.energy()[0] - exact), 5.0 * sample.error()[0]);
}

TEST(UnitSample, EndsWithSoManySamples) {
  const Units units(6000);
  UnitSample sample({.error = 1e-12, .first_samples = 100, .most_samples = 800}, units.populations(), 2);
  const std::size_t summed = units.fill(sample, units.all);
  EXPECT_GT(summed, 600U);
  EXPECT_LT(summed, 1000U);
  EXPECT_GT(sample.error()[0], 1e-12);
  EXPECT_LT(std::abs(sample.energy()[0] - units.energy()), 5.0 * sample.error()[0]);
}

}  // namespace test_unit_sample
}  // namespace cisolve

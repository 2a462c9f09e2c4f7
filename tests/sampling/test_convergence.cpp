// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>

#include "cisolve/sampling/reconfiguration.hpp"

namespace cisolve {
namespace test_convergence {

/// 2 x `window` iterations of given forces, parameters and energies, last ones differing from those before.
struct Story {
  int window = 5;
  double force = 0.0, force_error = 0.01;
  double before = 1.0, last = 1.0, wobble = 0.0;  // of the parameter
  double energy_before = -5.0, energy_last = -5.0, energy_error = 0.001;
  bool left_out = false;

  Convergence judged(const ConvergenceConfig& changed = {}) const {
    std::vector<ReconfigurationIteration> history;
    for (int k = 0; k < 2 * window; ++k) {
      const bool is_last = k >= window;
      ReconfigurationIteration i;
      i.parameters = {(is_last ? last : before) + (k % 2 == 0 ? wobble : -wobble)};
      i.estimate = {
          is_last ? energy_last : energy_before, energy_error, {force}, {force_error}, Matrix(1, 1)};
      i.left_out = {left_out ? std::uint8_t{1} : std::uint8_t{0}};
      i.at_bound = {0};
      history.push_back(i);
    }
    ConvergenceConfig config = changed;
    config.window = 5;
    return judge_convergence(history, 10, config);
  }
};

TEST(Convergence, NeedsTwoWindows) {
  Story story;
  EXPECT_TRUE(story.judged().reached());
  story.window = 4;  // eight iterations, ten are asked for
  EXPECT_FALSE(story.judged().enough_iterations);
  EXPECT_FALSE(story.judged().reached());
}

/// The limit is 3 sqrt(5 x 0.01^2) / 5 = 0.0134.
TEST(Convergence, JudgesForces) {
  Story story;
  story.force = -0.0133;
  EXPECT_TRUE(story.judged().reached());
  story.force = -0.0135;
  EXPECT_FALSE(story.judged().forces);
  EXPECT_FALSE(story.judged().reached());
  story.left_out = true;
  EXPECT_TRUE(story.judged().forces) << "a parameter without meaning has no force";
  story.left_out = false;
  story.force = 0.0;
  story.force_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(story.judged().forces) << "nothing is known";
}

/// Without fluctuations differences up to 1e-3 count as none. Five values of 1 +- 0.1 have variances of 0.012 (two
/// of one sign, three of the other), and 3 sqrt(0.024 / 5) = 0.208; their means differ by 0.04 for nothing.
TEST(Convergence, JudgesParameters) {
  Story story;
  story.last = 1.0009;
  EXPECT_TRUE(story.judged().reached());
  story.last = 1.0011;
  EXPECT_FALSE(story.judged().parameters);
  story.wobble = 0.1;
  story.last = 1.24;
  EXPECT_TRUE(story.judged().reached());
  story.last = 1.26;
  EXPECT_FALSE(story.judged().parameters);
  EXPECT_FALSE(story.judged().reached());
}

/// Of 10 sites: 1e-4 per site is 1e-3; sigma = sqrt(10 x 0.001^2) / 5 = 6.3e-4 and twice that 1.26e-3.
TEST(Convergence, JudgesEnergies) {
  Story story;
  story.energy_last = -5.00125;
  EXPECT_TRUE(story.judged().reached());
  story.energy_last = -5.0013;
  EXPECT_FALSE(story.judged().energy);
  EXPECT_FALSE(story.judged().reached());
  story.energy_error = 1e-6;
  story.energy_last = -5.00099;
  EXPECT_TRUE(story.judged().reached());
  story.energy_last = -5.00101;
  EXPECT_FALSE(story.judged().energy);
  ConvergenceConfig config;
  config.tolerance = 2e-4;
  EXPECT_TRUE(story.judged(config).reached());
}

}  // namespace test_convergence
}  // namespace cisolve

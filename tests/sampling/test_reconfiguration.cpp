// SPDX-License-Identifier: MIT
#include "cisolve/sampling/reconfiguration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"
#include "sampling/autoregressive.hpp"

namespace cisolve {
namespace test_reconfiguration {

Matrix square(const std::vector<double>& elements) {
  const int size = static_cast<int>(std::lround(std::sqrt(static_cast<double>(elements.size()))));
  Matrix matrix(size, size);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) matrix(i, j) = elements[static_cast<std::size_t>(i * size + j)];
  }
  return matrix;
}

/// Energy, forces and overlap of independent samples E = e + 2 g_1 + h, O_1 = o + g_1, O_2 = g_2, O_3 = 5: f = (2,
/// 0, 0), S = diag(1, 1, 0).
std::vector<ReconfigurationMoments> sampled_groups(int groups, int samples, double e, double o,
                                                   std::uint64_t seed) {
  NormalNumbers normal(seed);
  std::vector<ReconfigurationMoments> all;
  for (int g = 0; g < groups; ++g) {
    ReconfigurationMoments moments(3);
    for (int k = 0; k < samples; ++k) {
      const double g1 = normal.next(), g2 = normal.next();
      moments.add(e + 2.0 * g1 + normal.next(), std::vector<double>{o + g1, g2, 5.0});
    }
    all.push_back(std::move(moments));
  }
  return all;
}

/// Two groups of two samples, in numbers that have no rounding.
TEST(ReconfigurationMoments, GiveForcesAndOverlap) {
  std::vector<ReconfigurationMoments> groups(2, ReconfigurationMoments(2));
  groups[0].add(-10.0, std::vector<double>{1.0, 4.0});
  groups[0].add(-12.0, std::vector<double>{3.0, 4.0});
  groups[1].add(-14.0, std::vector<double>{2.0, 8.0});
  groups[1].add(-8.0, std::vector<double>{6.0, 0.0});
  groups.emplace_back(2);  // nothing sampled
  const ReconfigurationEstimate found = estimate_reconfiguration(groups);
  EXPECT_DOUBLE_EQ(found.energy, -11.0);
  EXPECT_DOUBLE_EQ(found.energy_error, 0.0) << "both groups have -11";
  // <O> = 3, 4; deviations of O_1 -2, 0, -1, 3; of O_2 0, 0, 4, -4; of E 1, -1, -3, 3.
  ASSERT_EQ(found.forces.size(), 2u);
  EXPECT_DOUBLE_EQ(found.forces[0], (-2.0 + 0.0 + 3.0 + 9.0) / 4.0);
  EXPECT_DOUBLE_EQ(found.forces[1], (0.0 + 0.0 - 12.0 - 12.0) / 4.0);
  EXPECT_DOUBLE_EQ(found.overlap(0, 0), 14.0 / 4.0);
  EXPECT_DOUBLE_EQ(found.overlap(1, 1), 32.0 / 4.0);
  EXPECT_DOUBLE_EQ(found.overlap(0, 1), -16.0 / 4.0);
  EXPECT_EQ(found.overlap(1, 0), found.overlap(0, 1));
  // Of the groups alone f_1 = -1 and 6, f_2 = 0 and -12: half the difference.
  EXPECT_DOUBLE_EQ(found.force_errors[0], 3.5);
  EXPECT_DOUBLE_EQ(found.force_errors[1], 6.0);
}

/// Means of 1e6 beside a spread of 1 leave the covariances as they are, and what is constant has none.
TEST(ReconfigurationMoments, KeepDigitsFarFromZero) {
  const auto near = estimate_reconfiguration(sampled_groups(20, 500, 0.0, 0.0, 1));
  const auto far = estimate_reconfiguration(sampled_groups(20, 500, -1e6, 1e6, 1));
  // Numbers of 1e6 are rounded to 1e-10, at random.
  EXPECT_NEAR(far.energy + 1e6, near.energy, 1e-9);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(far.forces[a], near.forces[a], 1e-9) << a;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) EXPECT_NEAR(far.overlap(a, b), near.overlap(a, b), 1e-9) << a << b;
  }
  EXPECT_EQ(far.overlap(2, 2), 0.0);
  EXPECT_EQ(far.forces[2], 0.0);
  EXPECT_EQ(far.force_errors[2], 0.0);
}

TEST(ReconfigurationMoments, ErrorsOfManyRunsAreRight) {
  std::vector<double> energies, first, second;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto found = estimate_reconfiguration(sampled_groups(40, 50, -7.0, 3.0, seed));
    energies.push_back((found.energy + 7.0) / found.energy_error);
    first.push_back((found.forces[0] - 2.0) / found.force_errors[0]);
    second.push_back(found.forces[1] / found.force_errors[1]);
  }
  // 200 values: mean +- 0.07, variance +- 0.1, and Student's 39/37.
  for (const auto& z : {energies, first, second}) {
    EXPECT_NEAR(moments_of(z).mean, 0.0, 0.28);
    EXPECT_NEAR(moments_of(z).variance, 1.05, 0.4);
  }
}

TEST(ReconfigurationMoments, RefuseWhatIsNoSample) {
  ReconfigurationMoments moments(2);
  EXPECT_THROW(moments.add(1.0, std::vector<double>{1.0}), DimensionError);
  EXPECT_THROW(estimate_reconfiguration({}), DimensionError);
  EXPECT_THROW(estimate_reconfiguration(std::vector{moments}), DimensionError) << "no samples";
  moments.add(1.0, std::vector<double>{1.0, 2.0});
  EXPECT_THROW(estimate_reconfiguration(std::vector{moments, ReconfigurationMoments(3)}), DimensionError);
  EXPECT_TRUE(std::isnan(estimate_reconfiguration(std::vector{moments}).force_errors[0])) << "one group";
  moments.add(std::numeric_limits<double>::infinity(), std::vector<double>{1.0, 2.0});
  EXPECT_THROW(estimate_reconfiguration(std::vector{moments}), Error);
}

/// A step without noise, calculated by numpy (make_opt.py) over the whole basis.
struct PathStep {
  std::vector<double> parameters, forces, overlap;
  double norm, scale;
  std::vector<double> next;
};

void expect_step(const PathStep& expected, double tolerance) {
  const ReconfigurationStep found =
      reconfiguration_step(expected.forces, square(expected.overlap), ReconfigurationConfig{});
  ASSERT_EQ(found.change.size(), expected.next.size());
  for (std::size_t a = 0; a < expected.next.size(); ++a) {
    EXPECT_NEAR(expected.parameters[a] + found.change[a], expected.next[a], tolerance) << a;
    EXPECT_EQ(found.left_out[a], 0) << a;
  }
  EXPECT_NEAR(found.norm, expected.norm, tolerance);
  EXPECT_NEAR(found.scale, expected.scale, tolerance);
}

/// Steps limited by max_change, by trust, and not at all; condition numbers below 1000: rounding is 1e-13.
TEST(ReconfigurationStep, IsThatOfTheReference) {
  const std::vector<PathStep> steps = {
      // t-J, 10 sites, 4 + 4 electrons: delta
      {{1.5}, {0.14666694869914743}, {0.12129948027062865}, 0.08413926328286327, 0.8278673609005482, {1.3}},
      {{1.104647720451041},
       {0.09532636950397055},
       {0.1238817699523711},
       0.05411345590352306,
       1.0,
       {0.9509025190348543}},
      // t-J, 16 sites, 7 + 7 electrons: delta, mu
      {{1.5, 0.0},
       {0.06442744001714829, 0.0030299611461970244},
       {0.1036047479217288, 0.0036210647769010507, 0.003621064776902827, 0.0009556733993729694},
       0.040359192580825445,
       1.0,
       {1.382317147452584, -0.18800912720881663}},
      {{1.382317147452584, -0.18800912720881663},
       {0.052047974789175555, -0.0019460736392602485},
       {0.12409575441315823, -0.010175797130809627, -0.010175797130809627, 0.002661650642618696},
       0.03143485102072822,
       0.7899360442859806,
       {1.2997371598263274, -0.38800912720881664}},
      // Hubbard chain of 6 sites: ln g
      {{-0.10536051565782628},
       {1.8011191405455462},
       {0.5260314751198578},
       0.4961722761481251,
       0.2015429011397373,
       {-0.24323824879707764}},
      {{-0.5228491958904602},
       {0.5873167068758054},
       {0.48492907372392213},
       0.16851135150706809,
       0.5934318317766597,
       {-0.6664513281674876}}};
  for (const PathStep& step : steps) expect_step(step, 1e-10);
}

/// On 10 sites mu, t2 and t3 are one direction: S has rank 2. Its elements are known to 4e-15 and the reference
/// takes them unsymmetric, the smallest eigenvalues are shift S_aa = 9e-6: 5e-10 of a step of 0.2, and as much of
/// the forces' 1e-14.
TEST(ReconfigurationStep, OfRedundantParametersIsThatOfTheReference) {
  expect_step({{1.5, -0.3, 0.0, 0.0},
               {0.15050654762648907, -0.04101135547569612, 0.04101135547569257, 0.04101135547569967},
               {0.12003796684570678, -0.03270900705998736, 0.032709007059986916, 0.03270900705998736,
                -0.03270900705998736, 0.008912839587042143, -0.008912839587041255, -0.00891283958704392,
                0.032709007059986916, -0.008912839587041255, 0.008912839587040366, 0.008912839587042143,
                0.03270900705998736, -0.00891283958704392, 0.008912839587043031, 0.008912839587044807},
               0.08685953779314853,
               0.869521886721578,
               {1.4455022307733918, -0.10000000001322315, -0.2, -0.19999999995913048}},
              1e-9);
}

TEST(ReconfigurationStep, LeavesOutParametersThatChangeNothing) {
  const std::vector<double> forces = {0.1, 3e-15, -0.2};
  const std::vector<double> overlap = {1.0, 1e-15, 0.2, 1e-15, 9e-15, 0.0, 0.2, 0.0, 2.0};
  const ReconfigurationStep found = reconfiguration_step(forces, square(overlap), ReconfigurationConfig{});
  EXPECT_EQ(found.left_out, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(found.change[1], 0.0);
  const ReconfigurationStep without =
      reconfiguration_step(std::vector<double>{0.1, -0.2}, square({1.0, 0.2, 0.2, 2.0}), {});
  EXPECT_EQ(found.change[0], without.change[0]);
  EXPECT_EQ(found.change[2], without.change[1]);
  // By hand: (S + 0.001 diag S)^-1 f with 1.001, 0.2, 2.002.
  const double determinant = 1.001 * 2.002 - 0.04;
  EXPECT_NEAR(without.change[0], -0.2 * (2.002 * 0.1 + 0.2 * 0.2) / determinant, 1e-15);
  EXPECT_NEAR(without.change[1], -0.2 * (-0.2 * 0.1 - 1.001 * 0.2) / determinant, 1e-15);
  const ReconfigurationStep none =
      reconfiguration_step(std::vector<double>{1e-16}, square({1e-15}), ReconfigurationConfig{});
  EXPECT_EQ(none.change, std::vector<double>{0.0});
  EXPECT_EQ(none.norm, 0.0);
  EXPECT_EQ(none.scale, 1.0);
}

TEST(ReconfigurationStep, RefusesWhatIsNoProblem) {
  const std::vector<double> one = {1.0};
  EXPECT_THROW(reconfiguration_step(one, Matrix(2, 2), {}), DimensionError);
  ReconfigurationConfig config;
  config.shift = 0.0;
  EXPECT_THROW(reconfiguration_step(one, square({1.0}), config), DimensionError);
  const std::vector<double> nothing = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(reconfiguration_step(nothing, square({1.0}), {}), Error);
}

ReconfigurationEstimate estimate_of(double force, double energy = -1.0, double error = 0.01) {
  return {energy, error, {force}, {error}, square({1.0})};
}

TEST(Reconfiguration, KeepsParametersAboveTheirBounds) {
  Reconfiguration run({0.15, 0.15}, 10, {}, {}, {{0.0, 1e-3}, {}});
  const ReconfigurationEstimate down = {-1.0, 0.01, {0.5, 0.5}, {0.01, 0.01}, square({0.01, 0.0, 0.0, 0.01})};
  const ReconfigurationIteration& first = run.advance(down);  // by 0.2 at most
  EXPECT_EQ(first.at_bound, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(first.parameters, (std::vector<double>{0.15, 0.15}));
  EXPECT_EQ(run.parameters()[0], 1e-3) << "was -0.05";
  EXPECT_NEAR(run.parameters()[1], -0.05, 1e-15) << "has no bound";
}

TEST(Reconfiguration, IsOfTheGroupsItIsTold) {
  const auto groups = sampled_groups(20, 100, -7.0, 3.0, 5);
  Reconfiguration run({1.0, 2.0, 3.0}, 10, {}, {});
  const ReconfigurationIteration& first = run.advance(groups);
  const ReconfigurationEstimate estimate = estimate_reconfiguration(groups);
  const ReconfigurationStep step = reconfiguration_step(estimate.forces, estimate.overlap, {});
  EXPECT_EQ(first.estimate.forces, estimate.forces);
  EXPECT_EQ(first.left_out, (std::vector<std::uint8_t>{0, 0, 1})) << "the third is constant";
  EXPECT_EQ(run.parameters()[0], 1.0 + step.change[0]);
  EXPECT_EQ(run.parameters()[2], 3.0);
  EXPECT_LT(run.parameters()[0], 1.0) << "against the force 2";
}

TEST(Reconfiguration, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Reconfiguration(std::vector<double>{}, 1, {}, {}), DimensionError);
  EXPECT_THROW(Reconfiguration({1.0}, 0, {}, {}), DimensionError);
  EXPECT_THROW(Reconfiguration({1.0}, 1, {}, {}, {{}, {}}), DimensionError);
  Reconfiguration run({1.0, 2.0}, 1, {}, {});
  EXPECT_THROW(run.advance(estimate_of(1.0)), DimensionError);
  ReconfigurationState state = run.state();
  state.energy.push_back(1.0);
  EXPECT_THROW(Reconfiguration(state, 1, {}, {}), DimensionError);
}

void expect_same_bits(const ReconfigurationState& a, const ReconfigurationState& b) {
  EXPECT_EQ(a.next_parameters, b.next_parameters);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.energy, b.energy);
  EXPECT_EQ(a.energy_error, b.energy_error);
  EXPECT_EQ(a.forces, b.forces);
  EXPECT_EQ(a.force_errors, b.force_errors);
  EXPECT_EQ(a.overlap, b.overlap);
  EXPECT_EQ(a.step_norm, b.step_norm);
  EXPECT_EQ(a.step_scale, b.step_scale);
  EXPECT_EQ(a.left_out, b.left_out);
  EXPECT_EQ(a.at_bound, b.at_bound);
}

TEST(Reconfiguration, GoesOnFromItsStateToTheLastBit) {
  const std::vector<ParameterBound> bounds = {{0.0, 1e-3}, {}, {}};
  Reconfiguration whole({0.5, 2.0, 3.0}, 10, {}, {}, bounds);
  for (std::uint64_t k = 0; k < 10; ++k) whole.advance(sampled_groups(4, 50, -7.0, 3.0, k));
  for (const std::uint64_t stop : {0u, 4u, 10u}) {
    Reconfiguration first({0.5, 2.0, 3.0}, 10, {}, {}, bounds);
    for (std::uint64_t k = 0; k < stop; ++k) first.advance(sampled_groups(4, 50, -7.0, 3.0, k));
    Reconfiguration second(first.state(), 10, {}, {}, bounds);
    expect_same_bits(second.state(), first.state());
    for (std::uint64_t k = stop; k < 10; ++k) second.advance(sampled_groups(4, 50, -7.0, 3.0, k));
    expect_same_bits(second.state(), whole.state());
  }
}

TEST(Reconfiguration, ResultIsTheMeanOverTheWindow) {
  ConvergenceConfig convergence;
  convergence.window = 3;
  Reconfiguration run({1.0}, 10, {}, convergence);
  EXPECT_EQ(run.result().values[0], 1.0) << "the start";
  EXPECT_TRUE(std::isnan(run.result().errors[0]));
  std::vector<double> parameters;
  for (const double force : {0.5, -0.2, 0.1, 0.3}) {
    parameters.push_back(run.parameters()[0]);
    run.advance(estimate_of(force));
  }
  const OptimisedParameters result = run.result();
  const std::vector<double> last(parameters.end() - 3, parameters.end());
  EXPECT_NEAR(result.values[0], moments_of(last).mean, 1e-15);
  // Their spread, and what errors of 0.01 of three forces leave free.
  const double freedom = 0.01 / std::sqrt(3.0) / (1.0 + ReconfigurationConfig().shift);
  EXPECT_NEAR(result.errors[0], std::hypot(std::sqrt(moments_of(last).variance), freedom), 1e-15);
}

/// The noise of the force leaves parameters free by S^-1 sigma / sqrt(n), however little they moved.
TEST(Reconfiguration, ErrorsHoldTheNoiseOfForces) {
  ConvergenceConfig convergence;
  convergence.window = 4;
  Reconfiguration run({1.0}, 10, {}, convergence);
  for (int k = 0; k < 4; ++k) {
    ReconfigurationEstimate estimate = estimate_of(0.0);
    estimate.force_errors = {0.3};
    run.advance(std::move(estimate));
  }
  const double overlap = estimate_of(0.0).overlap(0, 0),
               shifted = overlap * (1.0 + ReconfigurationConfig().shift);
  EXPECT_NEAR(run.result().errors[0], 0.3 / std::sqrt(4.0) / shifted, 1e-12);
}

/// E = alpha^2 / 2 with S = 1, f = alpha / 2 and noise: converges, and to alpha = 0. From one iteration to the next
/// alpha keeps 0.9 of itself, so that ten of them are no independent values: the true error is 2 to 3 times sd /
/// sqrt(10).
TEST(Reconfiguration, FindsAMinimumThroughNoise) {
  int converged = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    NormalNumbers normal(seed);
    Reconfiguration run({0.5}, 1, {}, {});
    while (run.history().size() < 200 && !run.convergence().reached()) {
      const double alpha = run.parameters()[0];
      const double energy = 0.5 * alpha * alpha + 0.001 * normal.next();
      run.advance({energy, 0.001, {0.5 * alpha + 0.01 * normal.next()}, {0.01}, square({1.0})});
      if (run.history().size() < 20) {
        EXPECT_FALSE(run.convergence().reached());
      }
    }
    if (run.convergence().reached()) ++converged;
    EXPECT_LT(run.history().size(), 120u) << seed;
    // Mean force within 3 x 0.01 / sqrt(10): alpha within twice that, and as much for the noise itself.
    EXPECT_NEAR(run.result().values[0], 0.0, 2.0 * (0.0095 + 0.0095)) << seed;
  }
  EXPECT_EQ(converged, 20);
}

}  // namespace test_reconfiguration
}  // namespace cisolve

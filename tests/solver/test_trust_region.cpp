// SPDX-License-Identifier: MIT
// Steps in a trust region, on functions whose minima are known.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cisolve/solver/trust_region.hpp"

namespace cisolve {
namespace test_trust_region {

using Vector = std::vector<double>;

/// A function, its gradient, and the part of its Hessian that is told.
struct Function {
  std::function<double(const Vector&)> value;
  std::function<Vector(const Vector&)> gradient;
  std::function<Vector(const Vector& at, std::span<const double> x)> product;
  std::function<Vector(const Vector& at)> diagonal;
};

struct Descent {
  Vector x;
  std::vector<double> values;  ///< of points that were taken
  int iterations = 0;
  double largest_step = 0.0;
};

double largest(const Vector& v) {
  double most = 0.0;
  for (const double e : v) most = std::max(most, std::abs(e));
  return most;
}

Descent minimise(const Function& f, Vector x, TrustRegionConfig config, double tolerance = 1e-9) {
  TrustRegion region(config);
  Descent run{std::move(x), {}, 0, 0.0};
  double value = f.value(run.x);
  Vector g = f.gradient(run.x);
  run.values.push_back(value);
  for (; largest(g) > tolerance && run.iterations < 500; ++run.iterations) {
    const Vector diagonal = f.diagonal(run.x);
    const double radius = region.radius();
    const auto step =
        region.propose({g, diagonal, [&](std::span<const double> along) { return f.product(run.x, along); }});
    EXPECT_LE(step.norm, radius * (1.0 + 1e-12));
    Vector next = run.x;
    for (std::size_t k = 0; k < next.size(); ++k) next[k] += step.x[k];
    const double there = f.value(next);
    if (!region.accepts(step, there - value)) continue;
    run.largest_step = std::max(run.largest_step, step.norm);
    const Vector gradient = f.gradient(next);
    region.learn(step, g, gradient);
    run.x = next;
    value = there;
    g = gradient;
    run.values.push_back(value);
  }
  return run;
}

/// Rosenbrock's valley in two dimensions, minimum at (1, 1).
Function valley() {
  return {[](const Vector& x) { return 100.0 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1.0 - x[0], 2); },
          [](const Vector& x) {
            const double bend = x[1] - x[0] * x[0];
            return Vector{-400.0 * x[0] * bend - 2.0 * (1.0 - x[0]), 200.0 * bend};
          },
          [](const Vector& at, std::span<const double> x) {
            const double xx = 1200.0 * at[0] * at[0] - 400.0 * at[1] + 2.0, xy = -400.0 * at[0];
            return Vector{xx * x[0] + xy * x[1], xy * x[0] + 200.0 * x[1]};
          },
          [](const Vector& at) {
            return Vector{1200.0 * at[0] * at[0] - 400.0 * at[1] + 2.0, 200.0};
          }};
}

/// x.(A + B) x / 2 - sum x with a diagonal A that is told, and B = -strength a a^T that is not.
Function coupled(int n, double strength) {
  const auto a = [](int k) { return 1.0 + 0.5 * k; };
  const auto along = [n](std::span<const double> x) {
    double sum = 0.0;
    for (int k = 0; k < n; ++k) sum += x[k] * std::sin(1.0 + k);
    return sum;
  };
  const auto gradient = [n, a, along, strength](const Vector& x) {
    Vector g(n);
    for (int k = 0; k < n; ++k) g[k] = a(k) * x[k] - strength * along(x) * std::sin(1.0 + k) - 1.0;
    return g;
  };
  return {[n, gradient](const Vector& x) {
            const Vector g = gradient(x);
            double sum = 0.0;
            for (int k = 0; k < n; ++k) sum += 0.5 * x[k] * (g[k] - 1.0);
            return sum;
          },
          gradient,
          [n, a](const Vector&, std::span<const double> x) {
            Vector y(n);
            for (int k = 0; k < n; ++k) y[k] = a(k) * x[k];
            return y;
          },
          [n, a](const Vector&) {
            Vector d(n);
            for (int k = 0; k < n; ++k) d[k] = a(k);
            return d;
          }};
}

TEST(TrustRegion, FollowsAValleyWithoutRising) {
  const Descent run = minimise(valley(), {-1.2, 1.0}, {.rise = 0.0});
  EXPECT_NEAR(run.x[0], 1.0, 1e-8);
  EXPECT_NEAR(run.x[1], 1.0, 1e-8);
  EXPECT_LT(run.iterations, 60);
  for (std::size_t k = 1; k < run.values.size(); ++k) EXPECT_LE(run.values[k], run.values[k - 1]);
}

TEST(TrustRegion, AQuadraticWithItsWholeHessianTakesOneStep) {
  const Descent run = minimise(coupled(12, 0.0), Vector(12, 0.0), {.radius = 1e3, .most_radius = 1e3}, 1e-4);
  EXPECT_LE(run.iterations, 3);  // conjugate gradients are cut at a share of the gradient
}

TEST(TrustRegion, LearnsWhatTheHessianLeavesOut) {
  // The part left out takes 86 % of the curvature in one direction: 0.35 a.A^-1 a = 0.86.
  const Function f = coupled(12, 0.35);
  TrustRegionConfig config{.radius = 10.0, .most_radius = 100.0};
  const Descent learning = minimise(f, Vector(12, 0.0), config);
  config.pairs = 0;
  const Descent forgetful = minimise(f, Vector(12, 0.0), config);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(learning.x[k], forgetful.x[k], 1e-6);
  EXPECT_LT(3 * learning.iterations, forgetful.iterations);
}

TEST(TrustRegion, LeavesASaddlePoint) {
  // x^4/4 - x^2/2 + y^2/2: a saddle at 0, minima at x = +-1; a start with no gradient to speak of along x.
  const Function f{
      [](const Vector& x) { return 0.25 * std::pow(x[0], 4) - 0.5 * x[0] * x[0] + 0.5 * x[1] * x[1]; },
      [](const Vector& x) {
        return Vector{std::pow(x[0], 3) - x[0], x[1]};
      },
      [](const Vector& at, std::span<const double> x) {
        return Vector{(3.0 * at[0] * at[0] - 1.0) * x[0], x[1]};
      },
      [](const Vector& at) {
        return Vector{3.0 * at[0] * at[0] - 1.0, 1.0};
      }};
  const Descent run = minimise(f, {1e-4, 0.3}, {});
  EXPECT_NEAR(run.x[0], 1.0, 1e-8);
  EXPECT_NEAR(run.x[1], 0.0, 1e-8);
  EXPECT_LE(run.largest_step, 1.5);
}

TEST(TrustRegion, AStepThatEndsAtTheEdgeIsThatOfTheGradient) {
  // Learned: a curvature of 100 along the second axis, of which the Hessian told knows 1. The step must do at least as well by
  // its own model as the one straight down the gradient, (0.5, 0).
  TrustRegion region({.radius = 0.5});
  region.learn({{0.1, 0.1}, std::sqrt(0.02), -0.1, 1}, Vector{0.0, 0.0}, Vector{0.1, 10.0});
  const Vector gradient{-1.0, 0.0}, diagonal{1.0, 1.0};
  const TrustRegionStep step = region.propose(
      {gradient, diagonal, [](std::span<const double> x) { return Vector(x.begin(), x.end()); }});
  EXPECT_NEAR(step.norm, 0.5, 1e-12);
  EXPECT_NEAR(step.x[0], 0.5, 1e-12);
  EXPECT_NEAR(step.x[1], 0.0, 1e-12);
  EXPECT_NEAR(step.predicted, -0.375, 1e-12);
}

TEST(TrustRegion, ARefusedStepHalvesTheRadius) {
  TrustRegion region({.radius = 0.4});
  TrustRegionStep step{{0.3, 0.0}, 0.3, -1.0, 1};
  EXPECT_FALSE(region.accepts(step, 1e-8));
  EXPECT_DOUBLE_EQ(region.radius(), 0.15);
  EXPECT_FALSE(region.accepts(step, std::nan("")));  // no energy at all is no success
  step.norm = region.radius();
  EXPECT_TRUE(region.accepts(step, -0.9));
  EXPECT_DOUBLE_EQ(region.radius(), 0.3);
  EXPECT_TRUE(region.accepts(step, -0.1));
  EXPECT_DOUBLE_EQ(region.radius(), 0.15);
  EXPECT_TRUE(region.accepts(step, 5e-10));  // within what rounding may feign, but a poor step
}

}  // namespace test_trust_region
}  // namespace cisolve

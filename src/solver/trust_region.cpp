// SPDX-License-Identifier: MIT
#include "cisolve/solver/trust_region.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cisolve {
namespace {

using Vector = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

/// y += factor x
void add(double factor, std::span<const double> x, Vector& y) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += factor * x[k];
}

void scale(double factor, Vector& x) {
  for (double& element : x) element *= factor;
}

Vector preconditioned(std::span<const double> r, std::span<const double> diagonal, double least) {
  Vector z(r.begin(), r.end());
  for (std::size_t k = 0; k < z.size(); ++k) z[k] /= std::max(std::abs(diagonal[k]), least);
  return z;
}

struct Minimum {
  Vector x;
  int products = 0;
  bool at_edge = false;  ///< of the trust region, or along negative curvature
};

/// Conjugate gradients for the minimum of g.x + x.H x / 2 in |x| <= radius, as far as a tolerance that falls with g.
Minimum truncated_conjugate_gradients(const LocalModel& model, std::span<const double> g, double radius,
                                      const TrustRegionConfig& config) {
  constexpr double share = 1e-2, quadratic_below = 0.1, least_residual = 1e-8;
  const double size = norm(g);
  const double tolerance = std::max(share * size * std::min(1.0, size / quadratic_below), least_residual);
  Minimum found{Vector(g.size(), 0.0)};
  Vector r(g.begin(), g.end());
  scale(-1.0, r);
  Vector z = preconditioned(r, model.diagonal, config.least_curvature);
  Vector p = z;
  while (found.products < config.most_products && norm(r) > tolerance) {
    const Vector hp = model.product(p);
    ++found.products;
    const double curvature = dot(p, hp), rz = dot(r, z);
    const double step = curvature > 0.0 ? rz / curvature : 0.0;
    Vector next = found.x;
    add(step, p, next);
    if (curvature <= 0.0 || norm(next) > radius) {
      const double a = dot(p, p), b = 2.0 * dot(found.x, p), c = dot(found.x, found.x) - radius * radius;
      add((-b + std::sqrt(std::max(0.0, b * b - 4.0 * a * c))) / (2.0 * a), p, found.x);
      found.at_edge = true;
      return found;
    }
    found.x = std::move(next);
    add(-step, hp, r);
    z = preconditioned(r, model.diagonal, config.least_curvature);
    scale(dot(r, z) / rz, p);
    add(1.0, z, p);
  }
  return found;
}

}  // namespace

TrustRegion::TrustRegion(TrustRegionConfig config) : config_(config), radius_(config.radius) {}

TrustRegionStep TrustRegion::propose(const LocalModel& model) {
  // The two loops of L-BFGS around the inverse of the Hessian given.
  Vector q(model.gradient.begin(), model.gradient.end());
  Vector weights;
  for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
    weights.push_back(dot(pair->s, q) / pair->curvature);
    add(-weights.back(), pair->y, q);
  }
  // Along soft directions that were learned the way may be longer than q's own.
  const double radius = pairs_.empty() ? radius_ : std::max(radius_, 0.25 * config_.radius);
  Minimum inner = truncated_conjugate_gradients(model, q, radius, config_);
  TrustRegionStep step{inner.x, 0.0, 0.0, inner.products};
  bool is_learned = !inner.at_edge && !pairs_.empty();
  if (inner.at_edge && !pairs_.empty()) {
    // Half of the two loops is no step: q's minimum within the edge is not the gradient's. The Hessian given has to do.
    inner = truncated_conjugate_gradients(model, model.gradient, radius_, config_);
    step.x = inner.x;
    step.products += inner.products;
  }
  if (is_learned) {
    auto weight = weights.rbegin();
    for (const Pair& pair : pairs_) {
      const double correction = *weight++ + dot(pair.y, step.x) / pair.curvature;
      add(-correction, pair.s, step.x);
    }
  }
  const double slope = dot(model.gradient, step.x);
  if (slope > 0.0) {  // what was learned does not hold here
    pairs_.clear();
    is_learned = false;
    step.x = inner.x;
    if (dot(model.gradient, step.x) >= 0.0) {
      step.x = preconditioned(model.gradient, model.diagonal, config_.least_curvature);
      scale(-1.0, step.x);
    }
  }
  step.norm = norm(step.x);
  double share = 1.0;  // of the whole way
  if (step.norm > radius_) {
    share = radius_ / step.norm;
    scale(share, step.x);
    step.norm = radius_;
  }
  if (is_learned) {  // the Hessian given knows nothing of what was learned: by its inverse the whole way is B x = -g
    step.predicted = share * (1.0 - 0.5 * share) * slope;
    return step;
  }
  const Vector product = model.product(step.x);
  ++step.products;
  step.predicted = dot(model.gradient, step.x) + 0.5 * dot(step.x, product);
  return step;
}

bool TrustRegion::accepts(const TrustRegionStep& step, double change) {
  constexpr double good = 0.75, poor = 0.25, near_edge = 0.8;
  constexpr double rounding = 1e-11;  // of a predicted change: nothing is learned from its ratio
  if (!(change <= config_.rise)) {
    radius_ = config_.shrinking * step.norm;
    pairs_.clear();
    return false;
  }
  const double ratio = std::abs(step.predicted) > rounding ? change / step.predicted : 1.0;
  if (ratio > good && step.norm > near_edge * radius_) {
    radius_ = std::max(radius_, std::min(2.0 * radius_, config_.most_radius));
  } else if (ratio < poor) {
    radius_ *= 0.5;
  }
  return true;
}

void TrustRegion::learn(const TrustRegionStep& step, std::span<const double> gradient_before,
                        std::span<const double> gradient_after) {
  constexpr double least_cosine =
      1e-8;  // between step and change of gradient, that curvature is sure to be positive
  Vector y(gradient_after.begin(), gradient_after.end());
  add(-1.0, gradient_before, y);
  const double curvature = dot(step.x, y);
  if (curvature <= least_cosine * step.norm * norm(y)) return;
  pairs_.push_back({step.x, std::move(y), curvature});
  if (std::ssize(pairs_) > config_.pairs) pairs_.erase(pairs_.begin());
}

}  // namespace cisolve

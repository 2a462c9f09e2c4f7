// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace cisolve {

/// Radii and limits of TrustRegion.
struct TrustRegionConfig {
  double radius = 0.4;       ///< > 0; largest norm of the first step
  double most_radius = 1.5;  ///< beyond which no success raises it
  double rise = 1e-9;  ///< >= 0; a step that raises the function by more is refused: what rounding and values
                       ///< that are not converged to the last digit may feign
  double shrinking = 0.5;        ///< 0 to 1; the radius after a step that was refused, in units of that
  double least_curvature = 0.1;  ///< > 0; of the preconditioner, in units of the diagonal
  int pairs = 20;          ///< earlier steps that the curvature beyond the Hessian given is learned from
  int most_products = 30;  ///< of the Hessian with a vector, for one step
};

/// What is known of a function at a point: gradient, and a Hessian that may leave out part of the true one.
struct LocalModel {
  std::span<const double> gradient;
  std::span<const double> diagonal;                                     ///< of the Hessian, approximately
  std::function<std::vector<double>(std::span<const double>)> product;  ///< Hessian times x
};

/// A step that is proposed.
struct TrustRegionStep {
  std::vector<double> x;
  double norm = 0.0;
  double predicted = 0.0;  ///< change of the function by the model
  int products = 0;        ///< that finding it took
};

/// Steps that minimise a function whose Hessian is known but for a part: a quasi-Newton method (L-BFGS) that learns the
/// part from gradients, with the Hessian as its inner metric, inverted by truncated conjugate gradients; in a trust
/// region, where no step that raises the function is taken.
///
/// One iteration: `propose` a step from the model at the point; evaluate the function there; where `accepts` says so
/// go there and let it `learn` from the gradients, else propose again at the old point.
/// @see T. Steihaug, SIAM J. Numer. Anal. 20 (1983) 626, doi:10.1137/0720042;
///      D. C. Liu, J. Nocedal, Math. Program. 45 (1989) 503, doi:10.1007/BF01589116
class TrustRegion {
public:
  explicit TrustRegion(TrustRegionConfig config = {});

  TrustRegionStep propose(const LocalModel& model);

  /// Whether a step that changed the function by `change` is taken; sets the radius of the next.
  bool accepts(const TrustRegionStep& step, double change);

  /// Learns from a step that was taken.
  void learn(const TrustRegionStep& step, std::span<const double> gradient_before,
             std::span<const double> gradient_after);

  double radius() const { return radius_; }

private:
  /// A step s, what the gradient changed by along it, and s.y > 0.
  struct Pair {
    std::vector<double> s, y;
    double curvature;
  };

  TrustRegionConfig config_;
  double radius_;
  std::vector<Pair> pairs_;
};

}  // namespace cisolve

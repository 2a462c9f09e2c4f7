// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

namespace cisolve::detail {

/// Davidson iterations for the lowest eigenvalue of an orbital Hessian, to the digits that its sign asks for:
/// multiply `next()` and `add` the product until it is finished.
class LowestRoot {
public:
  /// @param diagonal  of the Hessian, hartree; not empty
  explicit LowestRoot(Eigen::VectorXd diagonal);

  bool finished() const { return finished_; }
  double value() const { return value_; }
  Eigen::VectorXd vector() const { return vectors_ * weights_; }
  const Eigen::VectorXd& next() const { return next_; }

  /// @param product  Hessian times next()
  void add(const Eigen::VectorXd& product);

private:
  Eigen::VectorXd diagonal_, next_;
  Eigen::MatrixXd vectors_, products_;
  Eigen::VectorXd weights_;
  double value_ = 0.0;
  bool finished_ = false;
};

}  // namespace cisolve::detail

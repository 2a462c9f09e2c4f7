// SPDX-License-Identifier: MIT
#include "molecule/lowest_root.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_vectors = 20;
constexpr double tolerance = 3e-3;  // hartree, residual norm: the sign is wanted, not the digits
constexpr double least_gap = 0.05;  // hartree; of the preconditioner
constexpr double keep = 1e-8;       // norm of a new direction worth keeping

}  // namespace

LowestRoot::LowestRoot(VectorXd diagonal) : diagonal_(std::move(diagonal)) {
  // All directions, the low ones more; uneven, so that no hidden symmetry hides a root.
  next_.resize(diagonal_.size());
  const double lowest = diagonal_.minCoeff();
  for (Index k = 0; k < next_.size(); ++k) {
    const double above = (diagonal_[k] - lowest) / least_gap;
    next_[k] = (1.0 + 0.3 * std::sin(1.7 * static_cast<double>(k))) / (1.0 + above * above);
  }
  next_.normalize();
}

void LowestRoot::add(const VectorXd& product) {
  const Index n = vectors_.cols();
  vectors_.conservativeResize(diagonal_.size(), n + 1);
  products_.conservativeResize(diagonal_.size(), n + 1);
  vectors_.col(n) = next_;
  products_.col(n) = product;
  const MatrixXd small = vectors_.transpose() * products_;
  const auto [values, vectors] = symmetric_eigenpairs(0.5 * (small + small.transpose()));
  value_ = values[0];
  weights_ = vectors.col(0);
  const VectorXd residual = products_ * weights_ - value_ * (vectors_ * weights_);
  if (residual.norm() < tolerance || n + 1 >= std::min(most_vectors, diagonal_.size())) {
    finished_ = true;
    return;
  }
  next_ = residual;
  for (Index k = 0; k < next_.size(); ++k) {
    const double gap = diagonal_[k] - value_;
    next_[k] /= std::max(std::abs(gap), least_gap);
  }
  for (int twice = 0; twice < 2; ++twice) next_ -= vectors_ * (vectors_.transpose() * next_);
  finished_ = next_.norm() < keep;
  next_.normalize();
}

}  // namespace cisolve::detail

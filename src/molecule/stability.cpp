// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/orbital_rotations.hpp"

namespace cisolve::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_iterations = 20;
constexpr double tolerance = 3e-3;  // hartree, residual norm: the sign is wanted, not the digits
constexpr double least_gap = 0.05;  // hartree; of the preconditioner
constexpr double keep = 1e-8;       // norm of a new direction worth keeping

/// Davidson iterations for the lowest eigenvalue of one block.
class LowestRoot {
public:
  explicit LowestRoot(RotationBlock block) : block_(std::move(block)) {
    // All directions, the low ones more; uneven, so that no hidden symmetry hides a root.
    VectorXd start(block_.size());
    const double lowest = block_.diagonal().minCoeff();
    for (Eigen::Index k = 0; k < start.size(); ++k) {
      const double above = (block_.diagonal()[k] - lowest) / least_gap;
      start[k] = (1.0 + 0.3 * std::sin(1.7 * static_cast<double>(k))) / (1.0 + above * above);
    }
    next_ = start.normalized();
  }

  const RotationBlock& block() const { return block_; }
  bool finished() const { return finished_; }
  double value() const { return value_; }
  VectorXd vector() const { return vectors_ * weights_; }
  const VectorXd& next() const { return next_; }

  void add(VectorXd product) {
    const Eigen::Index n = vectors_.cols();
    vectors_.conservativeResize(block_.size(), n + 1);
    products_.conservativeResize(block_.size(), n + 1);
    vectors_.col(n) = next_;
    products_.col(n) = product;
    const MatrixXd small = vectors_.transpose() * products_;
    const auto [values, vectors] = symmetric_eigenpairs(0.5 * (small + small.transpose()));
    value_ = values[0];
    weights_ = vectors.col(0);
    const VectorXd residual = products_ * weights_ - value_ * (vectors_ * weights_);
    if (residual.norm() < tolerance || n + 1 >= std::min<Eigen::Index>(most_iterations, block_.size())) {
      finished_ = true;
      return;
    }
    next_ = residual;
    for (Eigen::Index k = 0; k < next_.size(); ++k) {
      const double gap = block_.diagonal()[k] - value_;
      next_[k] /= std::max(std::abs(gap), least_gap);
    }
    for (int twice = 0; twice < 2; ++twice) next_ -= vectors_ * (vectors_.transpose() * next_);
    finished_ = next_.norm() < keep;
    next_.normalize();
  }

private:
  RotationBlock block_;
  VectorXd next_;
  MatrixXd vectors_, products_;
  VectorXd weights_;
  double value_ = 0.0;
  bool finished_ = false;
};

/// Iterates all blocks together, their densities in one pass over the integrals.
void iterate(const OrbitalPoint& point, const Repulsion& repulsion, std::vector<LowestRoot>& roots) {
  for (;;) {
    std::vector<LowestRoot*> open;
    std::vector<std::pair<const RotationBlock*, const VectorXd*>> vectors;
    for (LowestRoot& root : roots) {
      if (root.finished()) continue;
      open.push_back(&root);
      vectors.emplace_back(&root.block(), &root.next());
    }
    if (open.empty()) return;
    auto products = hessian_products(point, repulsion, vectors);
    for (std::size_t k = 0; k < open.size(); ++k) open[k]->add(std::move(products[k]));
  }
}

}  // namespace

Instability lowest_eigenvalue(const OrbitalPoint& point, const Repulsion& repulsion, int num_irreps) {
  const bool closed_shell = point.alpha == point.beta;
  std::vector<LowestRoot> roots;
  for (int irrep = 0; irrep < num_irreps; ++irrep) {
    for (const bool opposite : {false, true}) {
      if (opposite && !closed_shell) continue;
      RotationBlock block(point, irrep, opposite);
      if (block.size() > 0) roots.emplace_back(std::move(block));
    }
  }
  iterate(point, repulsion, roots);
  Instability lowest;
  lowest.eigenvalue = std::numeric_limits<double>::infinity();
  for (const LowestRoot& root : roots) {
    if (root.value() < lowest.eigenvalue)
      lowest = {root.value(), root.block().irrep(), root.block().opposite_spins()};
  }
  if (roots.empty()) lowest.eigenvalue = 0.0;
  return lowest;
}

InternalMode lowest_internal_mode(const OrbitalPoint& point, const Repulsion& repulsion) {
  RotationBlock block(point, 0, false);
  if (block.size() == 0) return {};
  std::vector<LowestRoot> root;
  root.emplace_back(std::move(block));
  iterate(point, repulsion, root);
  return {root.front().value(), root.front().block().kappa(root.front().vector())};
}

}  // namespace cisolve::detail

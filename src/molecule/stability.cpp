// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_iterations = 20;
constexpr double tolerance = 3e-3;  // hartree, residual norm: the sign is wanted, not the digits
constexpr double least_gap = 0.05;  // hartree; of the preconditioner
constexpr double keep = 1e-8;       // norm of a new direction worth keeping

/// Rotations between orbitals of different occupation whose product is one irrep.
class RotationBlock {
public:
  RotationBlock(const StationaryPoint& point, int irrep, bool opposite_spins)
      : point_(point), irrep_(irrep), sign_(opposite_spins ? -1.0 : 1.0) {
    const auto occupation = [&](std::size_t p) { return point.alpha[p] + point.beta[p]; };
    for (std::size_t p = 0; p < point.irreps.size(); ++p) {
      for (std::size_t q = 0; q < point.irreps.size(); ++q) {
        if (occupation(p) <= occupation(q) || (point.irreps[p] ^ point.irreps[q]) != irrep) continue;
        pairs_.emplace_back(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(q));
      }
    }
    diagonal_.resize(size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      const auto [p, q] = pairs_[k];
      diagonal_[k] = 0.5 * (alpha_weight(p, q) * (point.fock_alpha(q, q) - point.fock_alpha(p, p)) +
                            beta_weight(p, q) * (point.fock_beta(q, q) - point.fock_beta(p, p)));
    }
  }

  Eigen::Index size() const { return static_cast<Eigen::Index>(pairs_.size()); }
  const VectorXd& diagonal() const { return diagonal_; }
  int irrep() const { return irrep_; }
  bool opposite_spins() const { return sign_ < 0.0; }

  /// First-order densities of both spins over the basis functions; beta's is minus alpha's for opposite spins.
  std::pair<MatrixXd, MatrixXd> densities(const VectorXd& x) const {
    const auto n = static_cast<Eigen::Index>(point_.irreps.size());
    MatrixXd a = MatrixXd::Zero(n, n), b = a;
    for (Eigen::Index k = 0; k < size(); ++k) {
      const auto [p, q] = pairs_[k];
      a(p, q) = a(q, p) = alpha_weight(p, q) * x[k];
      b(p, q) = b(q, p) = sign_ * beta_weight(p, q) * x[k];
    }
    const auto expand = [&](const MatrixXd& d) {
      return MatrixXd(point_.orbitals * d * point_.orbitals.transpose());
    };
    return {expand(a), expand(b)};
  }

  /// Hessian times x, from the Fock matrices over basis functions that the densities of x make.
  VectorXd product(const VectorXd& x, const MatrixXd& response_alpha, const MatrixXd& response_beta) const {
    const auto n = static_cast<Eigen::Index>(point_.irreps.size());
    MatrixXd kappa = MatrixXd::Zero(n, n);
    for (Eigen::Index k = 0; k < size(); ++k) {
      const auto [p, q] = pairs_[k];
      kappa(q, p) = x[k];
      kappa(p, q) = -x[k];
    }
    const auto change = [&](const MatrixXd& fock, const MatrixXd& response, double sign) {
      return MatrixXd(sign * (fock * kappa - kappa * fock) +
                      point_.orbitals.transpose() * response * point_.orbitals);
    };
    const MatrixXd a = change(point_.fock_alpha, response_alpha, 1.0);
    const MatrixXd b = change(point_.fock_beta, response_beta, sign_);
    VectorXd y(size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      const auto [p, q] = pairs_[k];
      y[k] = 0.5 * (alpha_weight(p, q) * a(q, p) + sign_ * beta_weight(p, q) * b(q, p));
    }
    return y;
  }

private:
  double alpha_weight(Eigen::Index p, Eigen::Index q) const { return point_.alpha[p] - point_.alpha[q]; }
  double beta_weight(Eigen::Index p, Eigen::Index q) const { return point_.beta[p] - point_.beta[q]; }

  const StationaryPoint& point_;
  int irrep_;
  double sign_;                                               ///< of beta's rotation relative to alpha's
  std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs_;  ///< (more occupied, less occupied)
  VectorXd diagonal_;
};

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
    const VectorXd weights = vectors.col(0);
    const VectorXd residual = products_ * weights - value_ * (vectors_ * weights);
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
  double value_ = 0.0;
  bool finished_ = false;
};

}  // namespace

Instability lowest_eigenvalue(const StationaryPoint& point, const Repulsion& repulsion, int num_irreps) {
  const bool closed_shell = point.alpha == point.beta;
  std::vector<LowestRoot> roots;
  for (int irrep = 0; irrep < num_irreps; ++irrep) {
    for (const bool opposite : {false, true}) {
      if (opposite && !closed_shell) continue;
      RotationBlock block(point, irrep, opposite);
      if (block.size() > 0) roots.emplace_back(std::move(block));
    }
  }
  for (;;) {
    // The densities of all unfinished roots in one pass over the integrals.
    std::vector<LowestRoot*> open;
    std::vector<Matrix> densities;
    for (LowestRoot& root : roots) {
      if (root.finished()) continue;
      const auto [a, b] = root.block().densities(root.next());
      open.push_back(&root);
      densities.push_back(to_matrix(a));
      if (!closed_shell) densities.push_back(to_matrix(b));
    }
    if (open.empty()) break;
    const auto jk = repulsion.coulomb_exchange(densities);
    for (std::size_t k = 0; k < open.size(); ++k) {
      const RotationBlock& block = open[k]->block();
      MatrixXd a, b;
      if (closed_shell) {
        const auto& one = jk[k];  // beta's density is plus or minus alpha's
        a = -as_eigen(one.exchange);
        if (!block.opposite_spins()) a += 2.0 * as_eigen(one.coulomb);
        b = block.opposite_spins() ? MatrixXd(-a) : a;
      } else {
        const MatrixXd coulomb = as_eigen(jk[2 * k].coulomb) + as_eigen(jk[2 * k + 1].coulomb);
        a = coulomb - as_eigen(jk[2 * k].exchange);
        b = coulomb - as_eigen(jk[2 * k + 1].exchange);
      }
      open[k]->add(block.product(open[k]->next(), a, b));
    }
  }
  Instability lowest;
  lowest.eigenvalue = std::numeric_limits<double>::infinity();
  for (const LowestRoot& root : roots) {
    if (root.value() < lowest.eigenvalue)
      lowest = {root.value(), root.block().irrep(), root.block().opposite_spins()};
  }
  if (roots.empty()) lowest.eigenvalue = 0.0;
  return lowest;
}

}  // namespace cisolve::detail

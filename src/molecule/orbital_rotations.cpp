// SPDX-License-Identifier: MIT
#include "molecule/orbital_rotations.hpp"

#include <algorithm>
#include <cmath>

#include "core/symmetric_eigenpairs.hpp"
#include "molecule/eigen_views.hpp"

namespace cisolve::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

RotationBlock::RotationBlock(const OrbitalPoint& point, int irrep, bool opposite_spins)
    : point_(point), irrep_(irrep), sign_(opposite_spins ? -1.0 : 1.0),
      scale_(point.is_unrestricted() ? 1.0 : 0.5) {
  const auto is_of_alpha = [&](std::size_t p) { return static_cast<int>(p) < point.num_alpha_orbitals; };
  const auto occupation = [&](std::size_t p) { return point.alpha[p] + point.beta[p]; };
  for (std::size_t p = 0; p < point.irreps.size(); ++p) {
    for (std::size_t q = 0; q < point.irreps.size(); ++q) {
      if (occupation(p) <= occupation(q) || (point.irreps[p] ^ point.irreps[q]) != irrep) continue;
      if (is_of_alpha(p) != is_of_alpha(q)) continue;
      pairs_.emplace_back(static_cast<Index>(p), static_cast<Index>(q));
    }
  }
  diagonal_.resize(size());
  for (Index k = 0; k < size(); ++k) {
    const auto [p, q] = pairs_[k];
    diagonal_[k] = scale_ * (alpha_weight(p, q) * (point.fock_alpha(q, q) - point.fock_alpha(p, p)) +
                             beta_weight(p, q) * (point.fock_beta(q, q) - point.fock_beta(p, p)));
  }
}

VectorXd RotationBlock::gradient() const {
  VectorXd g(size());
  for (Index k = 0; k < size(); ++k) {
    const auto [p, q] = pairs_[k];
    g[k] = scale_ * (alpha_weight(p, q) * point_.fock_alpha(q, p) +
                     sign_ * beta_weight(p, q) * point_.fock_beta(q, p));
  }
  return g;
}

MatrixXd RotationBlock::kappa(const VectorXd& x) const {
  const auto n = static_cast<Index>(point_.irreps.size());
  MatrixXd kappa = MatrixXd::Zero(n, n);
  for (Index k = 0; k < size(); ++k) {
    const auto [p, q] = pairs_[k];
    kappa(q, p) = x[k];
    kappa(p, q) = -x[k];
  }
  return kappa;
}

std::pair<MatrixXd, MatrixXd> RotationBlock::densities(const VectorXd& x) const {
  const auto n = static_cast<Index>(point_.irreps.size());
  MatrixXd a = MatrixXd::Zero(n, n), b = a;
  for (Index k = 0; k < size(); ++k) {
    const auto [p, q] = pairs_[k];
    a(p, q) = a(q, p) = alpha_weight(p, q) * x[k];
    b(p, q) = b(q, p) = sign_ * beta_weight(p, q) * x[k];
  }
  const auto expand = [&](const MatrixXd& d) {
    return MatrixXd(point_.orbitals * d * point_.orbitals.transpose());
  };
  return {expand(a), expand(b)};
}

VectorXd RotationBlock::product(const VectorXd& x, const MatrixXd& response_alpha,
                                const MatrixXd& response_beta) const {
  const MatrixXd turn = kappa(x);
  const auto change = [&](const MatrixXd& fock, const MatrixXd& response, double sign) {
    return MatrixXd(sign * (fock * turn - turn * fock) +
                    point_.orbitals.transpose() * response * point_.orbitals);
  };
  const MatrixXd a = change(point_.fock_alpha, response_alpha, 1.0);
  const MatrixXd b = change(point_.fock_beta, response_beta, sign_);
  VectorXd y(size());
  for (Index k = 0; k < size(); ++k) {
    const auto [p, q] = pairs_[k];
    y[k] = scale_ * (alpha_weight(p, q) * a(q, p) + sign_ * beta_weight(p, q) * b(q, p));
  }
  return y;
}

std::vector<VectorXd> hessian_products(
    const OrbitalPoint& point, const Repulsion& repulsion,
    const std::vector<std::pair<const RotationBlock*, const VectorXd*>>& vectors) {
  const bool closed_shell = point.alpha == point.beta;
  std::vector<Matrix> densities;
  for (const auto& [block, x] : vectors) {
    const auto [a, b] = block->densities(*x);
    densities.push_back(to_matrix(a));
    if (!closed_shell) densities.push_back(to_matrix(b));
  }
  const auto jk = repulsion.coulomb_exchange(densities);
  std::vector<VectorXd> products;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const auto& [block, x] = vectors[k];
    MatrixXd a, b;
    if (closed_shell) {
      const auto& one = jk[k];  // beta's density is plus or minus alpha's
      a = -as_eigen(one.exchange);
      if (!block->opposite_spins()) a += 2.0 * as_eigen(one.coulomb);
      b = block->opposite_spins() ? MatrixXd(-a) : a;
    } else {
      const MatrixXd coulomb = as_eigen(jk[2 * k].coulomb) + as_eigen(jk[2 * k + 1].coulomb);
      a = coulomb - as_eigen(jk[2 * k].exchange);
      b = coulomb - as_eigen(jk[2 * k + 1].exchange);
    }
    products.push_back(block->product(*x, a, b));
  }
  return products;
}

MatrixXd rotated(const MatrixXd& orbitals, const MatrixXd& kappa) {
  constexpr int most_terms = 60;
  constexpr double rounding = 1e-17;
  MatrixXd sum = orbitals, term = orbitals;
  for (int k = 1; k < most_terms && term.cwiseAbs().maxCoeff() > rounding; ++k) {
    term = (term * kappa) / k;
    sum += term;
  }
  return sum;
}

VectorXd second_order_step(const OrbitalPoint& point, const RotationBlock& block, const Repulsion& repulsion,
                           double radius) {
  constexpr Index most_vectors = 15;
  constexpr double enough = 0.1;      // of the gradient's norm, for the residual
  constexpr double least_gap = 0.05;  // hartree; of the preconditioner
  constexpr double keep = 1e-10;      // norm of a new direction worth keeping
  const VectorXd gradient = block.gradient();
  MatrixXd vectors, products;
  VectorXd step = VectorXd::Zero(block.size());
  const auto preconditioned = [&](VectorXd r, double value) {
    for (Index k = 0; k < r.size(); ++k) {
      const double gap = block.diagonal()[k] - value;
      r[k] /= std::max(std::abs(gap), least_gap);
    }
    return r;
  };
  VectorXd next = preconditioned(-gradient, 0.0);
  for (Index n = 1; n <= std::min(most_vectors, block.size()); ++n) {
    for (int twice = 0; n > 1 && twice < 2; ++twice) next -= vectors * (vectors.transpose() * next);
    if (next.norm() < keep) break;
    next.normalize();
    vectors.conservativeResize(block.size(), n);
    products.conservativeResize(block.size(), n);
    vectors.col(n - 1) = next;
    products.col(n - 1) = hessian_products(point, repulsion, {{&block, &next}}).front();
    // The lowest eigenvector of the Hessian bordered by the gradient.
    MatrixXd small = MatrixXd::Zero(n + 1, n + 1);
    small.col(0).tail(n) = vectors.transpose() * gradient;
    small.row(0).tail(n) = small.col(0).tail(n).transpose();
    const MatrixXd inner = vectors.transpose() * products;
    small.bottomRightCorner(n, n) = 0.5 * (inner + inner.transpose());
    const auto [values, eigenvectors] = symmetric_eigenpairs(small);
    const VectorXd lowest = eigenvectors.col(0);
    const VectorXd weights = lowest.tail(n);
    const VectorXd direction = vectors * weights;
    step = std::abs(lowest[0]) * radius > direction.norm()
               ? VectorXd(direction / lowest[0])
               : VectorXd(direction * (std::copysign(radius, lowest[0]) / direction.norm()));
    const VectorXd residual = products * weights - values[0] * direction + lowest[0] * gradient;
    if (residual.norm() < enough * gradient.norm() * std::abs(lowest[0])) break;
    next = preconditioned(residual, values[0]);
  }
  return step;
}

}  // namespace cisolve::detail

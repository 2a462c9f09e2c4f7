// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/QR>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::test {

/// A dense symmetric matrix as an operator, which counts the columns it was applied to.
class DenseOperator : public Operator<HostBackend> {
public:
  explicit DenseOperator(Eigen::MatrixXd matrix) : matrix_(std::move(matrix)), diagonal_(matrix_.rows(), 1) {
    for (Eigen::Index i = 0; i < matrix_.rows(); ++i) diagonal_.view().data[i] = matrix_(i, i);
  }
  std::int64_t size() const override { return matrix_.rows(); }
  void apply(HostBackend::ConstView x, HostBackend::View y) const override {
    using Stride = Eigen::OuterStride<>;
    const Eigen::Map<const Eigen::MatrixXd, 0, Stride> in(x.data, x.rows, x.columns, Stride(x.stride));
    Eigen::Map<Eigen::MatrixXd, 0, Stride> out(y.data, y.rows, y.columns, Stride(y.stride));
    // Not BLAS: its threads cost more than these small products.
    out.noalias() = matrix_.lazyProduct(in);
    applications_ += x.columns;
  }
  HostBackend::ConstView diagonal() const override { return diagonal_.view(); }
  Matrix dense_block(std::span<const std::int64_t> indices) const override {
    const int size = static_cast<int>(indices.size());
    Matrix block(size, size);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        block(i, j) = matrix_(indices[static_cast<std::size_t>(i)], indices[static_cast<std::size_t>(j)]);
      }
    }
    return block;
  }
  const Eigen::MatrixXd& matrix() const { return matrix_; }
  std::int64_t applications() const { return applications_; }

  /// All eigenvalues, ascending, from Eigen's dense solver.
  Eigen::VectorXd exact() const { return symmetric_eigenvalues(matrix_); }

private:
  Eigen::MatrixXd matrix_;
  HostBackend::Block diagonal_;
  mutable std::int64_t applications_ = 0;
};

/// Like a CI matrix: a growing diagonal and many weak couplings.
inline Eigen::MatrixXd ci_like_matrix(int size, unsigned seed, double coupling = 0.05) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd a(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i <= j; ++i) a(i, j) = a(j, i) = (i + j) % 3 == 0 ? coupling * normal(engine) : 0.0;
    a(j, j) = -5.0 + 3.0 * std::sqrt(j / 20.0);
  }
  return a;
}

/// Q^T diag(spectrum) Q with a well-conditioned random rotation near the identity.
inline Eigen::MatrixXd with_spectrum(const Eigen::VectorXd& spectrum, unsigned seed, double mixing = 0.3) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const Eigen::Index n = spectrum.size();
  Eigen::MatrixXd g(n, n);
  for (double& value : g.reshaped()) value = mixing * normal(engine) / std::sqrt(static_cast<double>(n));
  g += Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(g).householderQ();
  const Eigen::MatrixXd a = q.transpose() * spectrum.asDiagonal() * q;
  return 0.5 * (a + a.transpose());
}

/// Unit vectors of the given rows.
inline HostBackend::Block unit_vectors(std::int64_t size, const std::vector<std::int64_t>& rows) {
  HostBackend::Block start(size, static_cast<int>(rows.size()));
  HostBackend().fill(start.view(), 0.0);
  for (int k = 0; k < start.columns(); ++k) {
    start.view().column(k)[rows[static_cast<std::size_t>(k)]] = 1.0;
  }
  return start;
}

inline EigenResult<HostBackend> solve(const DenseOperator& h, const DavidsonConfig& config,
                                      const std::vector<std::int64_t>& start_rows = {0},
                                      const ModelSpace& model = {},
                                      const SolverObserver<HostBackend>& observer = {}) {
  const auto start = unit_vectors(h.size(), start_rows);
  return davidson<HostBackend>(HostBackend(), h, start.view(), model, config, observer);
}

}  // namespace cisolve::test

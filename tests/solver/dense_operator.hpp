// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/vectors/host_backend.hpp"

namespace cisolve::test {

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

/// The block of a dense matrix over some rows.
template <class Scalar>
BasicMatrix<Scalar> block_of(const Dense<Scalar>& matrix, std::span<const std::int64_t> indices) {
  const int size = static_cast<int>(indices.size());
  BasicMatrix<Scalar> block(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      block(i, j) = matrix(indices[i], indices[j]);
    }
  }
  return block;
}

/// A dense Hermitian matrix as an operator, double or complex (dense_operator.cpp: Eigen's loops are compiled once), with a metric if one is given, which counts the columns it was applied to.
template <class Scalar>
class BasicDenseOperator : public Operator<BasicHostBackend<Scalar>> {
public:
  using Backend = BasicHostBackend<Scalar>;
  using ConstView = typename Backend::ConstView;
  using View = typename Backend::View;

  explicit BasicDenseOperator(Dense<Scalar> matrix)
      : matrix_(std::move(matrix)), diagonal_(matrix_.rows(), 1) {
    for (Eigen::Index i = 0; i < matrix_.rows(); ++i) diagonal_.view().data[i] = matrix_(i, i);
  }
  BasicDenseOperator(Dense<Scalar> matrix, Dense<Scalar> metric) : BasicDenseOperator(std::move(matrix)) {
    metric_ = std::make_unique<BasicDenseOperator>(std::move(metric));
  }
  std::int64_t size() const override { return matrix_.rows(); }
  void apply(ConstView x, View y) const override;
  ConstView diagonal() const override { return diagonal_.view(); }
  BasicMatrix<Scalar> dense_block(std::span<const std::int64_t> indices) const override {
    return block_of(matrix_, indices);
  }
  const BasicDenseOperator* metric() const override { return metric_.get(); }
  const Dense<Scalar>& matrix() const { return matrix_; }
  std::int64_t applications() const { return applications_; }

  /// All eigenvalues, ascending, from Eigen's dense solver.
  Eigen::VectorXd exact() const;

private:
  Dense<Scalar> matrix_;
  std::unique_ptr<BasicDenseOperator> metric_;
  typename Backend::Block diagonal_;
  mutable std::int64_t applications_ = 0;
};
using DenseOperator = BasicDenseOperator<double>;

/// Normally distributed; of a complex number both parts.
template <class Scalar>
class RandomScalar {
public:
  explicit RandomScalar(unsigned seed) : engine_(seed) {}
  Scalar operator()() {
    const double real = normal_(engine_);
    if constexpr (std::is_same_v<Scalar, double>) {
      return real;
    } else {
      return {real, normal_(engine_)};
    }
  }

private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// Like a CI matrix: a growing diagonal and many weak couplings.
template <class Scalar = double>
Dense<Scalar> ci_like_matrix(int size, unsigned seed, double coupling = 0.05);

/// Q^H diag(spectrum) Q with a well-conditioned random rotation near the identity.
template <class Scalar = double>
Dense<Scalar> with_spectrum(const Eigen::VectorXd& spectrum, unsigned seed, double mixing = 0.3);

/// Unit vectors of the given rows.
template <class Backend = HostBackend>
typename Backend::Block unit_vectors(std::int64_t size, const std::vector<std::int64_t>& rows) {
  typename Backend::Block start(size, static_cast<int>(rows.size()));
  Backend().fill(start.view(), 0.0);
  for (int k = 0; k < start.columns(); ++k) {
    start.view().column(k)[rows[k]] = 1.0;
  }
  return start;
}

template <class Scalar>
EigenResult<BasicHostBackend<Scalar>> solve(
    const BasicDenseOperator<Scalar>& h, const DavidsonConfig& config,
    const std::vector<std::int64_t>& start_rows = {0},
    const BasicModelSpace<std::type_identity_t<Scalar>>& model = {},
    const SolverObserver<BasicHostBackend<std::type_identity_t<Scalar>>>& observer = {}) {
  using Backend = BasicHostBackend<Scalar>;
  const auto start = unit_vectors<Backend>(h.size(), start_rows);
  return davidson<Backend>(Backend(), h, start.view(), model, config, observer);
}

}  // namespace cisolve::test

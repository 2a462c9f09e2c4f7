// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
template <class Dense>
using Input = Eigen::Ref<const Dense>;

/// Of a matrix of so many rows; 0: all. One whose columns are a product each is done before other threads have begun.
int threads_for(Eigen::Index rows) {
  constexpr Eigen::Index most_rows_of_one_thread = 512;
  return rows <= most_rows_of_one_thread ? 1 : 0;
}

template <class Dense>
Eigen::SelfAdjointEigenSolver<Dense> solve(const Input<Dense>& a, Eigen::DecompositionOptions wanted) {
  if (a.rows() != a.cols()) throw DimensionError("symmetric_eigenpairs: the matrix must be square");
  Eigen::SelfAdjointEigenSolver<Dense> solver(a, wanted);
  if (solver.info() != Eigen::Success) throw Error("symmetric_eigenpairs: the QL iteration did not converge");
  return solver;
}

template <class Dense>
Eigenpairs<Dense> eigenpairs(const Input<Dense>& a) {
  const ThreadScope threads(threads_for(a.rows()));
  const auto solver = solve<Dense>(a, Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

template <class Dense>
Eigenpairs<Dense> eigenpairs(const Input<Dense>& a, const Input<Dense>& metric) {
  if (a.rows() != metric.rows() || a.cols() != metric.cols()) {
    throw DimensionError("symmetric_eigenpairs: matrix and metric differ in shape");
  }
  const ThreadScope threads(threads_for(a.rows()));
  // With metric = L L^H: the eigenpairs of L^-1 a L^-H, carried back by L^-H.
  const Eigen::LLT<Dense> cholesky(metric);
  if (cholesky.info() != Eigen::Success) {
    throw Error("symmetric_eigenpairs: the metric is not positive definite");
  }
  const Dense left = cholesky.matrixL().solve(Dense(a.template selfadjointView<Eigen::Lower>()));
  const auto solver = solve<Dense>(cholesky.matrixL().solve(left.adjoint()), Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), cholesky.matrixU().solve(solver.eigenvectors())};
}

}  // namespace

SymmetricEigenpairs symmetric_eigenpairs(const Input<MatrixXd>& a) { return eigenpairs<MatrixXd>(a); }
HermitianEigenpairs symmetric_eigenpairs(const Input<MatrixXcd>& a) { return eigenpairs<MatrixXcd>(a); }

Eigen::VectorXd symmetric_eigenvalues(const Input<MatrixXd>& a) {
  const ThreadScope threads(threads_for(a.rows()));
  return solve<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigenpairs symmetric_eigenpairs(const Input<MatrixXd>& a, const Input<MatrixXd>& metric) {
  return eigenpairs<MatrixXd>(a, metric);
}
HermitianEigenpairs symmetric_eigenpairs(const Input<MatrixXcd>& a, const Input<MatrixXcd>& metric) {
  return eigenpairs<MatrixXcd>(a, metric);
}

}  // namespace cisolve

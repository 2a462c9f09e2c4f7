// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXd;
using Input = Eigen::Ref<const MatrixXd>;
using Solver = Eigen::SelfAdjointEigenSolver<MatrixXd>;

Solver solve(const Input& a, Eigen::DecompositionOptions wanted) {
  if (a.rows() != a.cols()) throw DimensionError("symmetric_eigenpairs: the matrix must be square");
  Solver solver(a, wanted);
  if (solver.info() != Eigen::Success) throw Error("symmetric_eigenpairs: the QL iteration did not converge");
  return solver;
}

}  // namespace

SymmetricEigenpairs symmetric_eigenpairs(const Input& a) {
  const Solver solver = solve(a, Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Input& a) {
  return solve(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigenpairs symmetric_eigenpairs(const Input& a, const Input& metric) {
  if (a.rows() != metric.rows() || a.cols() != metric.cols()) {
    throw DimensionError("symmetric_eigenpairs: matrix and metric differ in shape");
  }
  // With metric = L L^T: the eigenpairs of L^-1 a L^-T, carried back by L^-T.
  const Eigen::LLT<MatrixXd> cholesky(metric);
  if (cholesky.info() != Eigen::Success) {
    throw Error("symmetric_eigenpairs: the metric is not positive definite");
  }
  const MatrixXd left = cholesky.matrixL().solve(MatrixXd(a.selfadjointView<Eigen::Lower>()));
  const Solver solver = solve(cholesky.matrixL().solve(left.transpose()), Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), cholesky.matrixU().solve(solver.eigenvectors())};
}

}  // namespace cisolve

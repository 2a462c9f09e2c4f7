// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "core/serial_blas.hpp"

namespace cisolve {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
template <class Dense>
using Input = Eigen::Ref<const Dense>;

/// Of a matrix of so many rows: all, or one where its columns are done, a product each, before other threads have begun.
class Threads {
public:
  explicit Threads(Eigen::Index rows) {
    constexpr Eigen::Index most_rows_of_one_thread = 512;
    if (rows > most_rows_of_one_thread) return;
    one_.emplace(1);
    blas_.emplace();
  }

private:
  std::optional<ThreadScope> one_;
  std::optional<SerialBlas> blas_;
};

template <class Dense>
Eigen::SelfAdjointEigenSolver<Dense> solve(const Input<Dense>& a, Eigen::DecompositionOptions wanted) {
  if (a.rows() != a.cols()) throw DimensionError("symmetric_eigenpairs: the matrix must be square");
  Eigen::SelfAdjointEigenSolver<Dense> solver(a, wanted);
  if (solver.info() != Eigen::Success) throw Error("symmetric_eigenpairs: the QL iteration did not converge");
  return solver;
}

template <class Dense>
Eigenpairs<Dense> eigenpairs(const Input<Dense>& a) {
  const Threads threads(a.rows());
  const auto solver = solve<Dense>(a, Eigen::ComputeEigenvectors);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

template <class Dense>
Eigenpairs<Dense> eigenpairs(const Input<Dense>& a, const Input<Dense>& metric) {
  if (a.rows() != metric.rows() || a.cols() != metric.cols()) {
    throw DimensionError("symmetric_eigenpairs: matrix and metric differ in shape");
  }
  const Threads threads(a.rows());
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
  const Threads threads(a.rows());
  return solve<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigenpairs symmetric_eigenpairs(const Input<MatrixXd>& a, const Input<MatrixXd>& metric) {
  return eigenpairs<MatrixXd>(a, metric);
}
HermitianEigenpairs symmetric_eigenpairs(const Input<MatrixXcd>& a, const Input<MatrixXcd>& metric) {
  return eigenpairs<MatrixXcd>(a, metric);
}

}  // namespace cisolve

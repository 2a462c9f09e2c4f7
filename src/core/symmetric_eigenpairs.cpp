// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <optional>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "core/serial_blas.hpp"

// Of LAPACK, by its Fortran interface: eigenpairs of a symmetric tridiagonal matrix by divide and conquer.
extern "C" void dstedc_(const char* vectors, const int* n, double* diagonal, double* off_diagonal, double* z,
                        const int* ldz, double* work, const int* lwork, int* iwork, const int* liwork,
                        int* info);

namespace cisolve {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
template <class Dense>
using Input = Eigen::Ref<const Dense>;

/// Of a matrix of so many rows: all, or one where others would save little, and cost much where cores are busy.
class Threads {
public:
  explicit Threads(Eigen::Index rows) {
    constexpr Eigen::Index most_rows_of_one_thread = 2048;
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

/// Eigenpairs of the symmetric tridiagonal matrix.
SymmetricEigenpairs tridiagonal_eigenpairs(Eigen::VectorXd diagonal, Eigen::VectorXd off_diagonal) {
  // Divide and conquer would look for an end among numbers that are none.
  if (!diagonal.allFinite() || !off_diagonal.allFinite()) {
    throw Error("symmetric_eigenpairs: an element is not finite");
  }
  const int n = static_cast<int>(diagonal.size());
  const char all = 'I';
  const int ask = -1;
  int info = 0, int_size = 0;
  double size = 0.0;
  MatrixXd vectors(n, n);
  dstedc_(&all, &n, diagonal.data(), off_diagonal.data(), vectors.data(), &n, &size, &ask, &int_size, &ask,
          &info);
  const int lwork = static_cast<int>(size);
  Array<double> work(static_cast<std::size_t>(lwork));
  Array<int> int_work(static_cast<std::size_t>(int_size));
  if (info == 0) {
    dstedc_(&all, &n, diagonal.data(), off_diagonal.data(), vectors.data(), &n, work.data(), &lwork,
            int_work.data(), &int_size, &info);
  }
  if (info != 0) throw Error("symmetric_eigenpairs: DSTEDC of LAPACK did not converge");
  return {std::move(diagonal), std::move(vectors)};
}

/// By divide and conquer. The QL iteration, which turns all vectors by each of its rotations, takes three times as long.
template <class Dense>
Eigenpairs<Dense> divide_and_conquer(const Input<Dense>& a) {
  const Eigen::Tridiagonalization<Dense> reduced(a);
  auto [values, vectors] = tridiagonal_eigenpairs(reduced.diagonal(), reduced.subDiagonal());
  Dense turned = std::move(vectors).template cast<typename Dense::Scalar>();
  turned.applyOnTheLeft(reduced.matrixQ());
  return {std::move(values), std::move(turned)};
}

template <class Dense>
Eigenpairs<Dense> eigenpairs(const Input<Dense>& a) {
  constexpr Eigen::Index fewest_rows_divided = 256;
  const Threads threads(a.rows());
  if (a.rows() >= fewest_rows_divided && a.rows() == a.cols()) return divide_and_conquer<Dense>(a);
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
  auto [values, vectors] = eigenpairs<Dense>(Dense(cholesky.matrixL().solve(left.adjoint())));
  return {std::move(values), cholesky.matrixU().solve(vectors)};
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

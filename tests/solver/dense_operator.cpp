// SPDX-License-Identifier: MIT
#include "solver/dense_operator.hpp"

#include <cmath>

#include "core/orthonormal.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve::test {

template <class Scalar>
void BasicDenseOperator<Scalar>::apply(ConstView x, View y) const {
  using Stride = Eigen::OuterStride<>;
  const Eigen::Map<const Dense<Scalar>, 0, Stride> in(x.data, x.rows, x.columns, Stride(x.stride));
  Eigen::Map<Dense<Scalar>, 0, Stride> out(y.data, y.rows, y.columns, Stride(y.stride));
  // Not BLAS: its threads cost more than these small products.
  out.noalias() = matrix_.lazyProduct(in);
  applications_ += x.columns;
}

template <class Scalar>
Eigen::VectorXd BasicDenseOperator<Scalar>::exact() const {
  return metric_ ? symmetric_eigenpairs(matrix_, metric_->matrix_).values
                 : symmetric_eigenpairs(matrix_).values;
}

template <class Scalar>
Dense<Scalar> ci_like_matrix(int size, unsigned seed, double coupling) {
  RandomScalar<Scalar> random(seed);
  Dense<Scalar> a(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i <= j; ++i) {
      a(i, j) = (i + j) % 3 == 0 ? coupling * random() : Scalar(0.0);
      a(j, i) = Eigen::numext::conj(a(i, j));
    }
    a(j, j) = -5.0 + 3.0 * std::sqrt(j / 20.0);
  }
  return a;
}

template <class Scalar>
Dense<Scalar> with_spectrum(const Eigen::VectorXd& spectrum, unsigned seed, double mixing) {
  RandomScalar<Scalar> random(seed);
  const Eigen::Index n = spectrum.size();
  Dense<Scalar> g(n, n);
  for (Scalar& value : g.reshaped()) value = mixing * random() / std::sqrt(static_cast<double>(n));
  g += Dense<Scalar>::Identity(n, n);
  const Dense<Scalar> q = orthonormal(g);
  const Dense<Scalar> a = q.adjoint() * spectrum.cast<Scalar>().asDiagonal() * q;
  return 0.5 * (a + a.adjoint());
}

#define INSTANTIATE(Scalar)                                             \
  template class BasicDenseOperator<Scalar>;                            \
  template Dense<Scalar> ci_like_matrix<Scalar>(int, unsigned, double); \
  template Dense<Scalar> with_spectrum<Scalar>(const Eigen::VectorXd&, unsigned, double);
INSTANTIATE(double)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace cisolve::test

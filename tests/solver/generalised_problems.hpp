// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>

#include "solver/dense_operator.hpp"

namespace cisolve::test {

enum class MetricKind { none, well_conditioned, ill_conditioned };

/// How far functions differ that differ little: the metric has a condition number of about 1e5, or of 1e9.
constexpr double near = 1e-2;
constexpr double nearly_equal = 1e-4;

/// Functions that overlap by about `overlap`, a column each; of the last `pairs` threes of them, two differ by
/// `distance` alone.
template <class Scalar>
Dense<Scalar> transformation(int size, int pairs, double distance, double overlap = 0.2) {
  RandomScalar<Scalar> random(17);
  Dense<Scalar> t(size, size);
  for (Scalar& value : t.reshaped()) value = overlap * random() / std::sqrt(static_cast<double>(size));
  for (int i = 0; i < size; ++i) t(i, i) += 0.7 + 0.6 * (i % 5) / 5.0;
  for (int k = 0; k < pairs && 3 * k + 2 <= size; ++k) {
    const int last = size - 1 - 3 * k;
    t.col(last) = t.col(last - 1) + distance * t.col(last);
  }
  return t;
}

/// Matrix and metric in the functions T: T^H A T and T^H T.
template <class Scalar>
BasicDenseOperator<Scalar> transformed(const Dense<Scalar>& a, const Dense<Scalar>& t) {
  const Dense<Scalar> h = t.adjoint() * a * t, s = t.adjoint() * t;
  return {0.5 * (h + h.adjoint()), 0.5 * (s + s.adjoint())};
}

/// A problem with the eigenvalues of `a`. The condition number of the metric is about 4, or 1e5.
template <class Scalar>
BasicDenseOperator<Scalar> problem(const Dense<Scalar>& a, MetricKind metric) {
  if (metric == MetricKind::none) return BasicDenseOperator<Scalar>(a);
  const int pairs = metric == MetricKind::ill_conditioned ? 5 : 0;
  return transformed<Scalar>(a, transformation<Scalar>(static_cast<int>(a.rows()), pairs, near));
}

}  // namespace cisolve::test

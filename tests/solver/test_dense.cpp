// SPDX-License-Identifier: MIT
#include "solver/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_dense {

Matrix hilbert(int rows, int columns) {
  Matrix a(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) a(i, j) = 1.0 / (i + j + 1);
  }
  return a;
}

TEST(Dense, DiagonalisesTwoByTwo) {
  Matrix a(2, 2);
  a(0, 0) = a(1, 1) = 2.0;
  a(0, 1) = a(1, 0) = 1.0;
  const auto [values, vectors] = dense::diagonalise(a);
  EXPECT_NEAR(values[0], 1.0, 1e-15);
  EXPECT_NEAR(values[1], 3.0, 1e-15);
  EXPECT_NEAR(std::abs(vectors(0, 0)), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(vectors(0, 0), -vectors(1, 0), 1e-15);
}

TEST(Dense, RefusesWhatItCannotDiagonalise) {
  EXPECT_THROW(dense::diagonalise(Matrix(2, 3)), DimensionError);
  Matrix a(2, 2);
  a(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(dense::diagonalise(a), Error);
}

TEST(Dense, ProductsAndColumns) {
  const Matrix a = hilbert(3, 2), b = hilbert(2, 4);
  const Matrix ab = dense::product(a, b);
  ASSERT_EQ(ab.rows(), 3);
  ASSERT_EQ(ab.columns(), 4);
  EXPECT_DOUBLE_EQ(ab(2, 3), 1.0 / 3.0 * 1.0 / 4.0 + 1.0 / 4.0 * 1.0 / 5.0);
  EXPECT_DOUBLE_EQ(dense::adjoint_product(a, a)(0, 1), 1.0 / 2.0 + 1.0 / 6.0 + 1.0 / 12.0);
  EXPECT_EQ(dense::columns(b, 1, 2)(1, 1), b(1, 2));
  EXPECT_EQ(dense::with_rows(a, 5)(2, 1), a(2, 1));
  EXPECT_EQ(dense::with_rows(a, 5)(4, 1), 0.0);
  EXPECT_THROW(dense::product(a, a), DimensionError);
}

TEST(Dense, AppendsWhatIsIndependent) {
  Matrix a(4, 1);
  a(0, 0) = 1.0;
  Matrix b(4, 3);
  b(0, 0) = 5.0;  // In the span of a.
  b(0, 1) = 1.0;
  b(1, 1) = 1e-6;  // Nearly.
  b(2, 2) = 2.0;
  const Matrix all = dense::append_orthonormal(a, b, 1e-10, 4);
  ASSERT_EQ(all.columns(), 3);
  EXPECT_LT(dense::distance_to_identity(dense::adjoint_product(all, all)), 1e-14);
  EXPECT_NEAR(std::abs(all(1, 1)), 1.0, 1e-14);
  EXPECT_EQ(dense::append_orthonormal(a, b, 1e-3, 4).columns(), 2);
  EXPECT_EQ(dense::append_orthonormal(a, b, 1e-10, 2).columns(), 2);
}

TEST(Dense, OrthonormaliserDropsDependentColumns) {
  Matrix x(5, 4);
  for (int i = 0; i < 5; ++i) {
    x(i, 0) = 1.0;
    x(i, 1) = i;
    x(i, 2) = 2.0 + 3.0 * i;  // Of the first two; the last column is zero.
  }
  const Matrix s = dense::orthonormaliser(dense::adjoint_product(x, x), 1e-6);
  ASSERT_EQ(s.columns(), 2);
  const Matrix q = dense::product(x, s);
  EXPECT_LT(dense::distance_to_identity(dense::adjoint_product(q, q)), 1e-12);
}

}  // namespace test_dense
}  // namespace cisolve

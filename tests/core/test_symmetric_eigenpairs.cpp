// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "cisolve/core/error.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_symmetric_eigenpairs {

using Eigen::MatrixXd;

constexpr int n = 20;

MatrixXd random_square(unsigned seed) {
  return Eigen::Map<const MatrixXd>(test::random_vector(std::size_t{n} * n, seed).data(), n, n);
}

double largest(const MatrixXd& m) { return m.cwiseAbs().maxCoeff(); }

TEST(SymmetricEigenpairs, SolveTheEquation) {
  const MatrixXd g = random_square(1);
  const MatrixXd a = g + g.transpose();
  const auto [values, vectors] = symmetric_eigenpairs(a);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LE(largest(a * vectors - vectors * values.asDiagonal()), 1e-13);
  EXPECT_LE(largest(vectors.transpose() * vectors - MatrixXd::Identity(n, n)), 1e-13);
  EXPECT_LE((symmetric_eigenvalues(a) - values).cwiseAbs().maxCoeff(), 1e-13);
  // The lower triangle alone is read.
  const MatrixXd lower = a.triangularView<Eigen::Lower>();
  EXPECT_EQ(symmetric_eigenvalues(lower), symmetric_eigenvalues(a));
}

TEST(SymmetricEigenpairs, OfAMetricAreOrthonormalInIt) {
  const MatrixXd g = random_square(2), f = random_square(3);
  const MatrixXd a = g + g.transpose(), metric = f * f.transpose() + MatrixXd::Identity(n, n);
  const auto [values, vectors] = symmetric_eigenpairs(a, metric);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LE(largest(a * vectors - metric * vectors * values.asDiagonal()), 1e-12);
  EXPECT_LE(largest(vectors.transpose() * metric * vectors - MatrixXd::Identity(n, n)), 1e-12);
}

TEST(SymmetricEigenpairs, OfComplexMatricesSolveTheEquation) {
  using Eigen::MatrixXcd;
  const std::complex<double> i(0.0, 1.0);
  const MatrixXcd g = random_square(1) + i * random_square(2), f = random_square(3) + i * random_square(4);
  const MatrixXcd a = g + g.adjoint(), one = MatrixXcd::Identity(n, n), metric = f * f.adjoint() + one;
  const auto [values, vectors] = symmetric_eigenpairs(a);
  EXPECT_LE((a * vectors - vectors * values.asDiagonal()).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE((vectors.adjoint() * vectors - one).cwiseAbs().maxCoeff(), 1e-13);
  const auto [energies, states] = symmetric_eigenpairs(a, metric);
  EXPECT_LE((a * states - metric * states * energies.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((states.adjoint() * metric * states - one).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SymmetricEigenpairs, AreRefusedWhereThereAreNone) {
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Zero(2, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenvalues(MatrixXd::Zero(2, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Identity(2, 2), MatrixXd::Identity(3, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Identity(2, 2), -MatrixXd::Identity(2, 2)), Error);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Constant(2, 2, std::nan(""))), Error);
}

}  // namespace test_symmetric_eigenpairs
}  // namespace cisolve

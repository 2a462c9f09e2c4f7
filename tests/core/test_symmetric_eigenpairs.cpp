// SPDX-License-Identifier: MIT
#include "core/symmetric_eigenpairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

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

// Large enough to be divided.
template <class Dense>
Dense random_hermitian(int rows, unsigned seed) {
  const auto of = [&](unsigned number) {
    const std::vector<double> elements = test::random_vector(static_cast<std::size_t>(rows) * rows, number);
    return MatrixXd(Eigen::Map<const MatrixXd>(elements.data(), rows, rows));
  };
  Dense g = of(seed).template cast<typename Dense::Scalar>();
  if constexpr (Eigen::NumTraits<typename Dense::Scalar>::IsComplex) g.imag() = of(seed + 1);
  return g + g.adjoint();
}

template <class Dense>
void expect_pairs_of_many_rows() {
  constexpr int rows = 301;
  const Dense a = random_hermitian<Dense>(rows, 11), one = Dense::Identity(rows, rows);
  const auto [values, vectors] = symmetric_eigenpairs(a);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LE((a * vectors - vectors * values.asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((vectors.adjoint() * vectors - one).cwiseAbs().maxCoeff(), 1e-12);
  // The lower triangle alone is read.
  Dense lower = a;
  lower.template triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  EXPECT_EQ(symmetric_eigenpairs(lower).values, values);

  const Dense metric = random_hermitian<Dense>(rows, 21) + 200.0 * one;
  const auto [energies, states] = symmetric_eigenpairs(a, metric);
  EXPECT_LE((a * states - metric * states * energies.asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((states.adjoint() * metric * states - one).cwiseAbs().maxCoeff(), 1e-12);

  // Levels of many vectors, as symmetry makes them, and a matrix that falls into parts.
  Dense levels = Dense::Zero(rows, rows);
  for (int k = 0; k < rows; ++k) levels(k, k) = k % 3;
  const Dense turned = vectors * levels * vectors.adjoint();
  for (const Dense& degenerate : {levels, turned}) {
    const auto [few, of_level] = symmetric_eigenpairs(degenerate);
    for (int k = 0; k < rows; ++k) EXPECT_NEAR(few(k), k < 101 ? 0 : k < 201 ? 1 : 2, 1e-12);
    EXPECT_LE((degenerate * of_level - of_level * few.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((of_level.adjoint() * of_level - one).cwiseAbs().maxCoeff(), 1e-12);
  }

  Dense unknown = a;
  unknown(rows - 1, 3) = std::nan("");
  EXPECT_THROW(symmetric_eigenpairs(unknown), Error);
}

TEST(SymmetricEigenpairs, OfManyRowsSolveTheEquation) { expect_pairs_of_many_rows<MatrixXd>(); }
TEST(SymmetricEigenpairs, OfManyComplexRowsSolveTheEquation) {
  expect_pairs_of_many_rows<Eigen::MatrixXcd>();
}

TEST(SymmetricEigenpairs, AreRefusedWhereThereAreNone) {
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Zero(2, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Zero(300, 301)), DimensionError);
  EXPECT_THROW(symmetric_eigenvalues(MatrixXd::Zero(2, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Identity(2, 2), MatrixXd::Identity(3, 3)), DimensionError);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Identity(2, 2), -MatrixXd::Identity(2, 2)), Error);
  EXPECT_THROW(symmetric_eigenpairs(MatrixXd::Constant(2, 2, std::nan(""))), Error);
}

}  // namespace test_symmetric_eigenpairs
}  // namespace cisolve

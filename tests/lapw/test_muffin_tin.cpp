// SPDX-License-Identifier: MIT
#include "cisolve/lapw/muffin_tin.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "cisolve/core/error.hpp"

namespace cisolve::lapw {
namespace test_muffin_tin {

using Eigen::MatrixXcd;

Eigen::Map<const MatrixXcd> view(const ComplexMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.columns()};
}

ComplexMatrix random_matrix(int n, std::mt19937& generator, bool hermitian) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  ComplexMatrix matrix(n, n);
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < n; ++row) matrix(row, column) = {number(generator), number(generator)};
  }
  if (hermitian) {
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < column; ++row) matrix(row, column) = std::conj(matrix(column, row));
      matrix(column, column) = matrix(column, column).real();
    }
  }
  return matrix;
}

MuffinTin random_tin(int lmax) {
  std::mt19937 generator(7);
  const int n = num_functions(lmax);
  return {lmax, std::vector<double>(static_cast<std::size_t>(lmax) + 1, 0.1),
          random_matrix(n, generator, true), random_matrix(n, generator, false),
          random_matrix(n, generator, true)};
}

MatrixXcd whole(const MuffinTin& tin) {
  const Eigen::Index n = tin.t_aa.rows();
  MatrixXcd t(2 * n, 2 * n);
  t << view(tin.t_aa), view(tin.t_ab), view(tin.t_ab).adjoint(), view(tin.t_bb);
  return t;
}

/// Largest element of T - (P P^H - M M^H), by the norm of T.
double error_of(const SignedFactors& factors, const MuffinTin& tin) {
  const MatrixXcd t = whole(tin);
  const MatrixXcd product =
      view(factors.plus) * view(factors.plus).adjoint() - view(factors.minus) * view(factors.minus).adjoint();
  return (t - product).cwiseAbs().maxCoeff() / t.norm();
}

/// l = 0 and 1 with E_l = 0.3, -0.2 and a non-spherical part of l = 0 alone.
AtomType small_type() {
  AtomType type;
  type.lmax = 1;
  type.lmax_nonspherical = 0;
  type.energy = {0.3, -0.2};
  type.radial.udot_norm = {0.5, 0.04};
  type.nonspherical = {ComplexMatrix(1, 1), ComplexMatrix(1, 1), ComplexMatrix(1, 1)};
  type.nonspherical.aa(0, 0) = 0.01;
  type.nonspherical.ab(0, 0) = {0.02, 0.03};
  type.nonspherical.bb(0, 0) = 0.04;
  return type;
}

TEST(MuffinTin, IsTheSphericalPartAndTheOther) {
  const MuffinTin tin = muffin_tin(small_type());
  MatrixXcd aa = MatrixXcd::Zero(4, 4), ab = aa, bb = aa;
  aa.diagonal() << 0.31, -0.2, -0.2, -0.2;
  ab.diagonal() << Complex(0.52, 0.03), 0.5, 0.5, 0.5;
  bb.diagonal() << 0.19, -0.008, -0.008, -0.008;
  EXPECT_LT((view(tin.t_aa) - aa).norm(), 1e-16);
  EXPECT_LT((view(tin.t_ab) - ab).norm(), 1e-16);
  EXPECT_LT((view(tin.t_bb) - bb).norm(), 1e-16);
  const std::vector<double> roots = udot_norms_by_function(tin);
  ASSERT_EQ(roots.size(), 4u);
  EXPECT_DOUBLE_EQ(roots[0], std::sqrt(0.5));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_DOUBLE_EQ(roots[i], 0.2);
}

TEST(MuffinTin, NeedsRadialFunctions) {
  AtomType type = small_type();
  type.radial = {};
  EXPECT_THROW(muffin_tin(type), DimensionError);
}

TEST(MuffinTin, IsDefiniteByItsTAA) {
  MuffinTin tin = muffin_tin(small_type());
  EXPECT_FALSE(is_positive_definite(tin));  // E_1 < 0
  for (int i = 1; i < 4; ++i) tin.t_aa(i, i) = 0.2;
  EXPECT_TRUE(is_positive_definite(tin));
  tin.t_aa(1, 2) = Complex(0.1, 0.15);  // |.| < 0.2
  tin.t_aa(2, 1) = std::conj(tin.t_aa(1, 2));
  EXPECT_TRUE(is_positive_definite(tin));
  tin.t_aa(1, 2) = Complex(0.15, 0.15);
  tin.t_aa(2, 1) = std::conj(tin.t_aa(1, 2));
  EXPECT_FALSE(is_positive_definite(tin));
  tin.t_aa = ComplexMatrix(4, 4);
  EXPECT_FALSE(is_positive_definite(tin));  // semidefinite: exactly zero
}

TEST(SignedFactors, AreThoseOfARandomT) {
  for (const int lmax : {0, 1, 3, 6}) {
    const MuffinTin tin = random_tin(lmax);
    const SignedFactors factors = signed_factors(tin);
    EXPECT_EQ(factors.plus.rows(), 2 * num_functions(lmax));
    EXPECT_EQ(factors.minus.rows(), 2 * num_functions(lmax));
    EXPECT_EQ(factors.plus.columns() + factors.minus.columns(), 2 * num_functions(lmax));
    EXPECT_LT(error_of(factors, tin), 1e-15 * num_functions(lmax)) << lmax;  // rounding of eigenvectors
  }
}

/// Columns are orthogonal, and their squares the eigenvalues, ascending from -0.5 - ... of M to those of P.
TEST(SignedFactors, OfASphericalTAreKnown) {
  AtomType type = small_type();
  type.lmax_nonspherical = -1;
  type.nonspherical = {};
  type.energy = {0.0, 0.0};
  const SignedFactors factors =
      signed_factors(muffin_tin(type));  // [[0, 1/2], [1/2, 0]]: eigenvalues 1/2 and -1/2
  ASSERT_EQ(factors.plus.columns(), 4);
  ASSERT_EQ(factors.minus.columns(), 4);
  EXPECT_LT((view(factors.plus).adjoint() * view(factors.plus) - 0.5 * MatrixXcd::Identity(4, 4)).norm(),
            1e-15);
  EXPECT_LT((view(factors.minus).adjoint() * view(factors.minus) - 0.5 * MatrixXcd::Identity(4, 4)).norm(),
            1e-15);
}

/// E_l = 1/(2 sqrt N_l) makes [[E, 1/2], [1/2, E N]] singular: one direction of each (l, m) has no column. Which sign
/// rounding gives its eigenvalue depends on the numbers.
TEST(SignedFactors, LeaveOutWhatIsZero) {
  AtomType type = small_type();
  type.nonspherical = {};
  for (int i = 1; i <= 40; ++i) {
    type.radial.udot_norm = {0.013 * i, 0.007 * i};
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t l = 0; l < 2; ++l) type.energy[l] = sign / (2 * std::sqrt(type.radial.udot_norm[l]));
      const MuffinTin tin = muffin_tin(type);
      const SignedFactors factors = signed_factors(tin);
      EXPECT_EQ(factors.plus.columns(), sign > 0 ? 4 : 0) << i;
      EXPECT_EQ(factors.minus.columns(), sign > 0 ? 0 : 4) << i;
      EXPECT_LT(error_of(factors, tin), 2e-15) << i;  // 8 rounding errors
    }
  }
}

/// N_l = 0: [[E, 1/2], [1/2, 0]] has one direction of either sign.
TEST(SignedFactors, TakeFunctionsWithoutADerivative) {
  AtomType type = small_type();
  type.nonspherical = {};
  type.radial.udot_norm = {0.0, 0.0};
  const MuffinTin tin = muffin_tin(type);
  const SignedFactors factors = signed_factors(tin);
  EXPECT_EQ(factors.plus.columns(), 4);
  EXPECT_EQ(factors.minus.columns(), 4);
  EXPECT_LT(error_of(factors, tin), 1e-15);
  EXPECT_EQ(udot_norms_by_function(tin), std::vector<double>(4, 0.0));
}

}  // namespace test_muffin_tin
}  // namespace cisolve::lapw

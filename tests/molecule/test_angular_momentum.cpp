// SPDX-License-Identifier: MIT
#include "cisolve/molecule/angular_momentum.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "molecule/molecules.hpp"

namespace cisolve {
namespace test_angular_momentum {

using Eigen::MatrixXd;

MatrixXd as_eigen(const Matrix& m) { return Eigen::Map<const MatrixXd>(m.data(), m.rows(), m.columns()); }

constexpr Position x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};
constexpr double rounding = 1e-12;  // of a few dozen operations on numbers up to 20

GaussianShell shell_of(int l, bool spherical) {
  return {
      .atom = 0, .angular_momentum = l, .spherical = spherical, .exponents = {0.8}, .coefficients = {1.0}};
}

TEST(ShellRotation, ObeysTheCommutatorsOfAngularMomentum) {
  for (const bool spherical : {false, true}) {
    for (int l = spherical ? 2 : 0; l <= 5; ++l) {
      const GaussianShell shell = shell_of(l, spherical);
      const MatrixXd x = as_eigen(shell_rotation(shell, x_axis)), y = as_eigen(shell_rotation(shell, y_axis)),
                     z = as_eigen(shell_rotation(shell, z_axis));
      // [lx, ly] = i lz with l = -i R
      EXPECT_LT((x * y - y * x + z).cwiseAbs().maxCoeff(), rounding) << l << spherical;
      if (!spherical) continue;
      const MatrixXd square = -(x * x + y * y + z * z);
      EXPECT_LT((square - l * (l + 1.0) * MatrixXd::Identity(2 * l + 1, 2 * l + 1)).cwiseAbs().maxCoeff(),
                rounding);
    }
  }
}

// x turns into y and y into -x about z, so that (r x grad)_z y = -x ... of x: x d/dy x - y d/dx x = -y.
TEST(ShellRotation, TurnsPFunctions) {
  const Matrix z = shell_rotation(shell_of(1, false), z_axis);
  EXPECT_EQ(z(1, 0), -1.0);
  EXPECT_EQ(z(0, 1), 1.0);
  EXPECT_EQ(z(2, 2), 0.0);
}

class RotationMatrices : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

// The signs and the order of spherical functions are those of the integrals: [(r x grad)_z, x] = -y, and so on.
TEST_F(RotationMatrices, CommuteWithPositionIntegralsAsTheyMust) {
  const test::TestMolecule atom("Ne 0 0 0", "cc-pvtz");
  const std::array<Matrix, 3> integrals = position_integrals(atom.basis, {});
  const int n = atom.basis.num_functions;
  MatrixXd rotation[3];
  for (int axis = 0; axis < 3; ++axis) {
    rotation[axis] = MatrixXd::Zero(n, n);
    for (const GaussianShell& shell : atom.basis.shells) {
      Position direction = {};
      direction[static_cast<std::size_t>(axis)] = 1.0;
      const MatrixXd block = as_eigen(shell_rotation(shell, direction));
      rotation[axis].block(shell.first_function, shell.first_function, block.rows(), block.cols()) = block;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    // <m| (r x grad) x_i |n> - <m| x_i (r x grad) |n>; shells rotate into themselves, so that the adjoint of the
    // first is a matrix product, too.
    const MatrixXd commutator =
        -rotation[k].transpose() * as_eigen(integrals[i]) - as_eigen(integrals[i]) * rotation[k];
    EXPECT_LT((commutator + as_eigen(integrals[j])).cwiseAbs().maxCoeff(), 1e-10) << k;
  }
}

// A pi orbital turns into its partner: R_pq = +-1, and -(R^2)_pp = 1; a sigma orbital into nothing.
TEST_F(RotationMatrices, PairThePiOrbitalsOfALinearMolecule) {
  const test::TestMolecule nitrogen("N 0 0 0; N 0 0 1.1", "6-31g(d)");
  const ScfResult scf = run_scf(nitrogen.view(), nitrogen.electrons(0, 1));
  const auto rotations =
      rotation_matrices({nitrogen.basis, nitrogen.frame.geometry, scf.orbitals.coefficients});
  ASSERT_EQ(rotations.size(), 1U);
  const MatrixXd r = as_eigen(rotations[0]);
  const MatrixXd square = -r * r;
  // SCF orbitals of an orbital gradient below 1e-8 are symmetric to about that.
  int pairs = 0;
  for (int p = 0; p < r.rows(); ++p) {
    const double lambda = std::sqrt(std::max(0.0, square(p, p)));
    EXPECT_NEAR(lambda, std::round(lambda), 1e-3) << p;
    if (std::round(lambda) == 1.0) ++pairs;
  }
  EXPECT_EQ(pairs % 4, 0);
  EXPECT_GE(pairs, 8);
  EXPECT_LT((r + r.transpose()).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_F(RotationMatrices, AreNoneWhereNothingIsConserved) {
  const test::TestMolecule water(test::water, "sto-3g");
  Matrix unit(water.basis.num_functions, 1);
  EXPECT_TRUE(rotation_matrices({water.basis, water.frame.geometry, unit}).empty());
  EXPECT_FALSE(linear_axis(water.frame.geometry));
  const test::TestMolecule atom("O 0 0 0", "sto-3g");
  Matrix orbitals(atom.basis.num_functions, 1);
  EXPECT_EQ(rotation_matrices({atom.basis, atom.frame.geometry, orbitals}).size(), 3U);
}

TEST(LinearAxis, IsFoundInAnyDirection) {
  const auto axis = linear_axis(parse_geometry("O 0 0 0; C 1 1 1; O 2 2 2", LengthUnit::bohr, "test"));
  ASSERT_TRUE(axis);
  for (const double x : *axis) EXPECT_NEAR(x, std::sqrt(1.0 / 3.0), 1e-12);
  EXPECT_FALSE(linear_axis(parse_geometry("O 0 0 0; C 1 1 1; O 2 2 2.001", LengthUnit::bohr, "test")));
}

}  // namespace test_angular_momentum
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "core/linear_solve.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cisolve/core/error.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_linear_solve {

using Eigen::MatrixXd;

MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  const std::vector<double> elements = test::random_vector(static_cast<std::size_t>(rows * columns), seed);
  return Eigen::Map<const MatrixXd>(elements.data(), rows, columns);
}

double largest(const MatrixXd& m) { return m.cwiseAbs().maxCoeff(); }

TEST(LeastSquares, LeaveResidualsOutsideTheSpace) {
  const MatrixXd a = random_matrix(9, 4, 1), b = random_matrix(9, 2, 2);
  const MatrixXd x = least_squares(a, b);
  ASSERT_EQ(x.rows(), 4);
  ASSERT_EQ(x.cols(), 2);
  EXPECT_LE(largest(a.transpose() * (a * x - b)), 1e-13);
  EXPECT_GE(largest(a * x - b), 0.1);
  // A column that is another's multiple adds nothing.
  MatrixXd twice(9, 5);
  twice << a, 2.0 * a.col(1);
  const MatrixXd basic = least_squares(twice, b);
  EXPECT_LE(largest(twice * basic - a * x), 1e-13);
  EXPECT_EQ((basic.rowwise().norm().array() == 0.0).count(), 1);
}

TEST(LeastSquares, SolveIndefiniteEquations) {
  const MatrixXd g = random_matrix(7, 7, 3), b = random_matrix(7, 1, 4);
  const MatrixXd a = g + g.transpose();
  EXPECT_LE(largest(a * least_squares(a, b) - b), 1e-12);
}

TEST(SolveSemidefinite, SolvesTheEquation) {
  const MatrixXd g = random_matrix(6, 8, 5), b = random_matrix(6, 3, 6);
  const MatrixXd a = g * g.transpose();
  EXPECT_LE(largest(a * solve_semidefinite(a, b) - b), 1e-12);
  const MatrixXd lower = a.triangularView<Eigen::Lower>();
  EXPECT_EQ(solve_semidefinite(lower, b), solve_semidefinite(a, b));
}

TEST(LinearSolve, RefusesShapesThatDiffer) {
  EXPECT_THROW(least_squares(MatrixXd::Ones(3, 2), MatrixXd::Ones(2, 1)), DimensionError);
  EXPECT_THROW(solve_semidefinite(MatrixXd::Ones(3, 2), MatrixXd::Ones(3, 1)), DimensionError);
  EXPECT_THROW(solve_semidefinite(MatrixXd::Ones(3, 3), MatrixXd::Ones(2, 1)), DimensionError);
}

}  // namespace test_linear_solve
}  // namespace cisolve

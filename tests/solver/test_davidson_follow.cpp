// SPDX-License-Identifier: MIT
// Following start vectors instead of taking the lowest roots.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve {
namespace test_davidson_follow {

using test::ci_like_matrix;
using test::DenseOperator;

/// Exact eigenvectors `roots`, each disturbed, as start vectors.
HostBackend::Block disturbed(const Eigen::MatrixXd& vectors, const std::vector<int>& roots, double size) {
  HostBackend::Block start(vectors.rows(), static_cast<int>(roots.size()));
  for (int k = 0; k < start.columns(); ++k) {
    for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
      start.view().column(k)[i] = vectors(i, roots[k]) + size * std::sin(7.0 * static_cast<double>(i) + k) /
                                                             std::sqrt(vectors.rows());
    }
  }
  return start;
}

class FollowedRoots : public testing::TestWithParam<std::vector<int>> {};

TEST_P(FollowedRoots, AreThoseOfLargestOverlap) {
  const DenseOperator h(ci_like_matrix(300, 7));
  const SymmetricEigenpairs exact = symmetric_eigenpairs(h.matrix());
  const std::vector<int>& roots = GetParam();
  const auto start = disturbed(exact.vectors, roots, 0.3);
  DavidsonConfig config;
  config.num_roots = static_cast<int>(roots.size());
  config.follow_start = true;
  config.max_iterations = 300;
  const auto result = davidson<HostBackend>(HostBackend(), h, start.view(), {}, config);
  ASSERT_EQ(result.status, SolverStatus::converged);
  std::vector<int> ascending = roots;
  std::sort(ascending.begin(), ascending.end());
  ASSERT_EQ(result.energies.size(), roots.size());
  for (std::size_t k = 0; k < roots.size(); ++k) {
    EXPECT_NEAR(result.energies[k], exact.values[ascending[k]], 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Interior, FollowedRoots,
                         testing::Values(std::vector{0}, std::vector{3}, std::vector{5, 2},
                                         std::vector{1, 4, 9}));

}  // namespace test_davidson_follow
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// Roots that are easy to miss: degenerate ones, and those of a block in which no start vector lives.
#include <gtest/gtest.h>

#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve {
namespace test_davidson_roots {

using test::ci_like_matrix;
using test::DenseOperator;
using test::solve;
using test::with_spectrum;

void expect_energies(const DenseOperator& h, const EigenResult<HostBackend>& result, int count) {
  ASSERT_EQ(result.status, SolverStatus::converged);
  ASSERT_EQ(std::ssize(result.energies), count);
  const Eigen::VectorXd exact = h.exact();
  for (int k = 0; k < count; ++k) {
    EXPECT_NEAR(result.energies[k], exact[k], 1e-9) << "root " << k;
  }
}

Eigen::MatrixXd block_diagonal(const std::vector<Eigen::MatrixXd>& blocks) {
  Eigen::Index size = 0;
  for (const auto& block : blocks) size += block.rows();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(size, size);
  size = 0;
  for (const auto& block : blocks) {
    a.block(size, size, block.rows(), block.rows()) = block;
    size += block.rows();
  }
  return a;
}

Eigen::MatrixXd shifted(Eigen::MatrixXd a, double shift) {
  a.diagonal().array() += shift;
  return a;
}

struct LowerBlock {
  double shift;
  double coupling;
};

class DavidsonMissedRoots : public testing::TestWithParam<LowerBlock> {};

// Strong coupling: the lowest diagonal element of the lower block lies above that of the start's block, or
// below. Weak coupling: the preconditioner then removes a perturbation of the start within an iteration.
TEST_P(DavidsonMissedRoots, AreFoundFromAStartInTheWrongBlock) {
  const auto [shift, coupling] = GetParam();
  const Eigen::MatrixXd wrong = ci_like_matrix(150, 3);
  const DenseOperator h(block_diagonal({wrong, shifted(ci_like_matrix(170, 4, coupling), shift)}));
  ASSERT_LT(h.exact()[0], DenseOperator(wrong).exact()[0] - 1e-3) << "the case does not test what it says";
  for (const int num_roots : {1, 2, 4}) {
    const DenseOperator fresh(h.matrix());
    DavidsonConfig config;
    config.num_roots = num_roots;
    expect_energies(fresh, solve(fresh, config, {0}), num_roots);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, DavidsonMissedRoots,
    testing::Values(LowerBlock{.shift = 0.5, .coupling = 0.2}, LowerBlock{.shift = 0.2, .coupling = 0.2},
                    LowerBlock{.shift = 0.0, .coupling = 0.2}, LowerBlock{.shift = -2.0, .coupling = 0.2},
                    LowerBlock{.shift = -0.02, .coupling = 0.05}, LowerBlock{.shift = -0.3, .coupling = 0.05},
                    LowerBlock{.shift = -0.3, .coupling = 0.01}));

TEST(DavidsonMissedRoots, AreFoundFromAnExactEigenvectorOfAnotherBlock) {
  const DenseOperator wrong(ci_like_matrix(150, 3));
  const DenseOperator h(block_diagonal({wrong.matrix(), shifted(ci_like_matrix(150, 4), -0.1)}));
  const Eigen::MatrixXd vectors = symmetric_eigenpairs(wrong.matrix()).vectors;
  HostBackend::Block start(300, 1);
  HostBackend().fill(start.view(), 0.0);
  for (int i = 0; i < 150; ++i) start.view().data[i] = vectors(i, 0);
  const auto result = davidson<HostBackend>(HostBackend(), h, start.view(), {}, {});
  expect_energies(h, result, 1);
}

TEST(DavidsonMissedRoots, AreFoundWithALooseTolerance) {
  const DenseOperator h(block_diagonal({ci_like_matrix(150, 3), shifted(ci_like_matrix(150, 4), -0.3)}));
  DavidsonConfig config;
  config.tolerance = 1e-4;
  const auto result = solve(h, config, {0});
  EXPECT_NEAR(result.energies[0], h.exact()[0], 1e-6);
}

TEST(DavidsonMissedRoots, NeedPerturbationAndExploration) {
  const DenseOperator h(block_diagonal({ci_like_matrix(150, 3), shifted(ci_like_matrix(150, 4), -0.3)}));
  DavidsonConfig config;
  config.start_perturbation = 0.0;
  config.exploration_margin = 0.0;
  config.guard_margin = 0.0;
  const auto result = solve(h, config, {0});
  EXPECT_GT(result.energies[0], h.exact()[0] + 0.1);
}

struct Cluster {
  int first;  ///< position of the degenerate set
  int multiplicity;
  int num_roots;  ///< wanted
  int returned;
};

class DavidsonClusters : public testing::TestWithParam<Cluster> {
protected:
  Eigen::VectorXd spectrum() const {
    Eigen::VectorXd e(200);
    for (int i = 0; i < 200; ++i) e[i] = -3.0 + 0.25 * i;
    for (int i = 0; i < GetParam().multiplicity; ++i) e[GetParam().first + i] = e[GetParam().first];
    return e;
  }
};

TEST_P(DavidsonClusters, AreReturnedWhole) {
  const DenseOperator h(with_spectrum(spectrum(), 11, 0.05));
  DavidsonConfig config;
  config.num_roots = GetParam().num_roots;
  expect_energies(h, solve(h, config, {0}), GetParam().returned);
}

// Cut after the first, after the second of three; not cut: below, at the end of the set, above it.
INSTANTIATE_TEST_SUITE_P(
    Sets, DavidsonClusters,
    testing::Values(Cluster{.first = 0, .multiplicity = 2, .num_roots = 1, .returned = 2},
                    Cluster{.first = 0, .multiplicity = 3, .num_roots = 2, .returned = 3},
                    Cluster{.first = 1, .multiplicity = 3, .num_roots = 2, .returned = 4},
                    Cluster{.first = 1, .multiplicity = 5, .num_roots = 3, .returned = 6},
                    Cluster{.first = 1, .multiplicity = 3, .num_roots = 1, .returned = 1},
                    Cluster{.first = 1, .multiplicity = 3, .num_roots = 4, .returned = 4},
                    Cluster{.first = 1, .multiplicity = 2, .num_roots = 4, .returned = 4}));

TEST(DavidsonClusters, OfEqualBlocksAreReturnedWhole) {
  // No product of H leads from one block into the other: only equal diagonal elements hint at it.
  const DenseOperator h(block_diagonal({ci_like_matrix(120, 3), ci_like_matrix(120, 3)}));
  for (const int num_roots : {1, 3}) {
    const DenseOperator fresh(h.matrix());
    DavidsonConfig config;
    config.num_roots = num_roots;
    expect_energies(fresh, solve(fresh, config, {0}), num_roots + 1);
  }
  const DenseOperator with_model(h.matrix());
  DavidsonConfig config;
  const ModelSpace model = make_model_space<HostBackend>(with_model, {0, 1, 120, 121});
  expect_energies(with_model, solve(with_model, config, {0}, model), 2);
}

TEST(DavidsonClusters, HaveTheWidthThatIsAskedFor) {
  Eigen::VectorXd e(200);
  for (int i = 0; i < 200; ++i) e[i] = -3.0 + 0.25 * i;
  e[1] = e[0] + 1e-3;
  const Eigen::MatrixXd a = with_spectrum(e, 11, 0.05);
  const DenseOperator narrow(a), wide(a);
  DavidsonConfig config;
  expect_energies(narrow, solve(narrow, config, {0}), 1);
  config.cluster_width = 1e-2;
  expect_energies(wide, solve(wide, config, {0}), 2);
}

TEST(DavidsonClusters, FillTheWholeSpace) {
  Eigen::VectorXd e = Eigen::VectorXd::LinSpaced(12, 0.0, 1.0);
  e[2] = e[3] = e[1];
  const DenseOperator h(with_spectrum(e, 2));
  DavidsonConfig config;
  config.num_roots = 2;
  expect_energies(h, solve(h, config, {0}), 4);
}

/// Copies of one matrix, which no search from one vector tells from one: watched roots are some of the others, and the level
/// is completed.
TEST(WatchedRoots, BringUpCopiesOfADegenerateLevel) {
  constexpr int copies = 5, order = 40;
  const Eigen::MatrixXd one = test::ci_like_matrix(order, 7);
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(copies * order, copies * order);
  for (int c = 0; c < copies; ++c) all.block(c * order, c * order, order, order) = one;
  const test::DenseOperator h(all);
  for (const int watched : {1, 2, 3}) {
    DavidsonConfig config;
    config.tolerance = 1e-7;
    config.max_iterations = 500;
    config.start_perturbation = 0.1;
    config.watched_roots = watched;
    const auto result = test::solve(h, config, {0});
    EXPECT_EQ(result.status, SolverStatus::converged);
    ASSERT_EQ(result.energies.size(), static_cast<std::size_t>(copies)) << watched;
    for (const double energy : result.energies) EXPECT_NEAR(energy, result.energies.front(), 1e-9);
  }
}

/// Roots that are not degenerate are the same whether some above them are watched or not, and no more are given.
TEST(WatchedRoots, ChangeNothingElse) {
  const test::DenseOperator h(test::ci_like_matrix(200, 3));
  for (const int roots : {1, 3}) {
    for (const int watched : {0, 1, 2, 5}) {
      DavidsonConfig config;
      config.num_roots = roots;
      config.tolerance = 1e-8;
      config.max_iterations = 300;
      config.watched_roots = watched;
      const auto result = test::solve(h, config, {0});
      EXPECT_EQ(result.status, SolverStatus::converged);
      ASSERT_EQ(std::ssize(result.energies), roots);
      for (int k = 0; k < roots; ++k) EXPECT_NEAR(result.energies[k], h.exact()[k], 1e-10);
    }
  }
}

}  // namespace test_davidson_roots
}  // namespace cisolve

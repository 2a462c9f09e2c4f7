// SPDX-License-Identifier: MIT
// A run that goes on from the vectors an earlier one handed out.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve {
namespace test_davidson_restart {

using test::ci_like_matrix;
using test::DenseOperator;
using test::solve;

struct Checkpoint {
  std::vector<double> vectors;  // n x columns
  int columns = 0;
  std::vector<IterationRecord> history;
};

/// All columns, one after another.
std::vector<double> columns_of(const RestartVectors<HostBackend>& vectors) {
  std::vector<double> elements;
  for (int k = 0; k < vectors.columns; ++k) {
    const auto column = vectors.column(k);
    elements.insert(elements.end(), column.data, column.data + column.rows);
  }
  return elements;
}

Checkpoint run_until(const DenseOperator& h, const DavidsonConfig& config, int iterations) {
  Checkpoint checkpoint;
  const auto result = solve(h, config, {0}, {}, [&](const SolverState<HostBackend>& state) {
    if (state.record.iteration < iterations) return SolverAction::proceed;
    const auto vectors = state.restart_vectors();
    checkpoint.columns = vectors.columns;
    checkpoint.vectors = columns_of(vectors);
    checkpoint.history = state.history;
    return SolverAction::stop;
  });
  EXPECT_EQ(result.status, SolverStatus::interrupted);
  return checkpoint;
}

EigenResult<HostBackend> continue_run(const DenseOperator& h, const DavidsonConfig& config,
                                      const Checkpoint& checkpoint) {
  HostBackend::Block start(h.size(), checkpoint.columns);
  HostBackend().from_host(checkpoint.vectors, start.view());
  return davidson<HostBackend>(HostBackend(), h, start.view(), {}, config, {}, checkpoint.history);
}

class DavidsonRestart : public testing::TestWithParam<int> {};

TEST_P(DavidsonRestart, CostsNoMoreThanTheExpansionOfOneSubspace) {
  const Eigen::MatrixXd a = ci_like_matrix(500, 3, 0.12);
  DavidsonConfig config;
  config.num_roots = GetParam();
  const DenseOperator whole(a);
  const auto uninterrupted = solve(whole, config, {0});
  ASSERT_EQ(uninterrupted.status, SolverStatus::converged);
  const auto total = static_cast<int>(uninterrupted.history.size());
  ASSERT_GT(total, 8);
  for (int stop = 1; stop < total; ++stop) {
    const DenseOperator h(a);
    const Checkpoint checkpoint = run_until(h, config, stop);
    ASSERT_GE(checkpoint.columns, std::min(GetParam(), checkpoint.history.back().subspace_size));
    const auto result = continue_run(h, config, checkpoint);
    ASSERT_EQ(result.status, SolverStatus::converged);
    const auto again = static_cast<int>(result.history.size()) - stop;
    // One iteration applies H to what the checkpoint holds; one more replaces what it does not hold.
    EXPECT_LE(again, total - stop + 2) << "stopped after iteration " << stop;
    EXPECT_LE(result.num_applications, uninterrupted.num_applications + checkpoint.columns + GetParam());
    EXPECT_EQ(result.num_applications, h.applications());
    EXPECT_EQ(result.history[stop].iteration, stop + 1);
    for (std::size_t k = 0; k < result.energies.size(); ++k) {
      EXPECT_NEAR(result.energies[k], uninterrupted.energies[k], 1e-11);
      // Nothing is lost: the first energies are those of the last record.
      EXPECT_NEAR(result.history[stop].energies[k], checkpoint.history.back().energies[k], 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Roots, DavidsonRestart, testing::Values(1, 3));

TEST(DavidsonRestart, HandsOutOrthonormalVectorsOfTheTrackedRootsFirst) {
  const DenseOperator h(ci_like_matrix(300, 3));
  DavidsonConfig config;
  config.num_roots = 2;
  config.max_subspace = 9;
  solve(h, config, {0}, {}, [&](const SolverState<HostBackend>& state) {
    const auto vectors = state.restart_vectors();
    const std::vector<double> elements = columns_of(vectors);
    const Eigen::Map<const Eigen::MatrixXd> x(elements.data(), h.size(), vectors.columns);
    const Eigen::MatrixXd overlap = x.transpose() * x;
    EXPECT_TRUE(overlap.isIdentity(1e-12));
    for (int k = 0; k < 2; ++k) {
      const double energy = x.col(k).dot(h.matrix() * x.col(k));
      EXPECT_NEAR(energy, state.record.energies[k], 1e-11);
    }
    return SolverAction::proceed;
  });
}

/// The Ritz vectors and their last directions: as much as a locally optimal method goes on with.
TEST(DavidsonRestart, OfLongVectorsHandsOutTwoForEachRoot) {
  const DenseOperator h(ci_like_matrix(500, 3, 0.12));
  DavidsonConfig config;
  config.num_roots = 3;
  const auto uninterrupted = solve(h, config, {0});
  const auto total = static_cast<int>(uninterrupted.history.size());
  const int stop = total / 2;
  EXPECT_GT(run_until(h, config, stop).columns, 6);
  config.long_vectors = h.size();
  EXPECT_GT(run_until(h, config, stop).columns, 6);
  config.long_vectors = h.size() - 1;
  const Checkpoint checkpoint = run_until(h, config, stop);
  ASSERT_EQ(checkpoint.history.back().energies.size(), 3u);
  EXPECT_EQ(checkpoint.columns, 6);
  const auto result = continue_run(h, config, checkpoint);
  ASSERT_EQ(result.status, SolverStatus::converged);
  EXPECT_LT(static_cast<int>(result.history.size()) - stop, total);  // less than from the beginning
  for (std::size_t k = 0; k < result.energies.size(); ++k) {
    EXPECT_NEAR(result.energies[k], uninterrupted.energies[k], 1e-11);
    EXPECT_NEAR(result.history[static_cast<std::size_t>(stop)].energies[k],
                checkpoint.history.back().energies[k], 1e-11);
  }
}

TEST(DavidsonRestart, AskingForVectorsDoesNotDisturbTheRun) {
  const Eigen::MatrixXd a = ci_like_matrix(300, 3, 0.12);
  DavidsonConfig config;
  config.num_roots = 3;
  const DenseOperator h(a);
  const auto undisturbed = solve(h, config, {0});
  const auto disturbed = solve(h, config, {0}, {}, [](const SolverState<HostBackend>& state) {
    columns_of(state.restart_vectors());
    return SolverAction::proceed;
  });
  EXPECT_EQ(undisturbed.energies, disturbed.energies);
  EXPECT_EQ(undisturbed.history.size(), disturbed.history.size());
}

TEST(DavidsonRestart, AcceptsATighterToleranceAndMoreRoots) {
  const DenseOperator h(ci_like_matrix(300, 3));
  DavidsonConfig config;
  const Checkpoint checkpoint = run_until(h, config, 4);
  config.tolerance = 1e-9;
  config.num_roots = 4;
  const auto result = continue_run(h, config, checkpoint);
  ASSERT_EQ(result.status, SolverStatus::converged);
  ASSERT_EQ(result.energies.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(result.energies[k], h.exact()[static_cast<Eigen::Index>(k)], 1e-10);
    EXPECT_LE(result.residual_norms[k], 1e-9);
  }
}

}  // namespace test_davidson_restart
}  // namespace cisolve

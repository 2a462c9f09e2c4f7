// SPDX-License-Identifier: MIT
#include "cisolve/solver/davidson.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve {
namespace test_davidson {

using test::ci_like_matrix;
using test::DenseOperator;
using test::solve;
using test::with_spectrum;

/// Everything a result claims, against the dense eigensolver.
void expect_lowest_roots(const DenseOperator& h, const EigenResult<HostBackend>& result, int count,
                         double tolerance) {
  ASSERT_EQ(result.status, SolverStatus::converged);
  ASSERT_EQ(std::ssize(result.energies), count);
  ASSERT_EQ(result.vectors.columns(), count);
  const Eigen::VectorXd exact = h.exact();
  const auto view = result.vectors.view();
  const Eigen::Map<const Eigen::MatrixXd> x(view.data, view.rows, view.columns);
  EXPECT_LT((x.transpose() * x - Eigen::MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-12);
  for (int k = 0; k < count; ++k) {
    const std::size_t at = k;
    EXPECT_NEAR(result.energies[at], exact[k], tolerance) << "root " << k;
    const double residual = (h.matrix() * x.col(k) - result.energies[at] * x.col(k)).norm();
    EXPECT_LE(residual, tolerance + 1e-12);
    EXPECT_NEAR(result.residual_norms[at], residual, 1e-11);
    EXPECT_TRUE(result.converged[at]);
  }
  EXPECT_EQ(result.num_applications, h.applications());
}

struct Case {
  int size;
  int num_roots;
  int max_subspace = 0;  ///< 0: the default
  int model_rows = 0;    ///< 0: no model space
};

class DavidsonSpectra : public testing::TestWithParam<Case> {};

TEST_P(DavidsonSpectra, MatchDenseDiagonalisation) {
  const auto [size, num_roots, max_subspace, model_rows] = GetParam();
  const DenseOperator h(ci_like_matrix(size, 3));
  DavidsonConfig config;
  config.num_roots = num_roots;
  config.max_subspace = max_subspace;
  config.tolerance = 1e-8;
  config.max_iterations = 300;
  std::vector<std::int64_t> rows(std::min(size, model_rows));
  std::iota(rows.begin(), rows.end(), 0);
  const ModelSpace model = make_model_space<HostBackend>(h, rows);

  const auto result = solve(h, config, {0}, model);

  expect_lowest_roots(h, result, std::min(size, num_roots), 1e-8);
  for (const IterationRecord& record : result.history) {
    EXPECT_TRUE(std::ranges::is_sorted(record.energies));
    EXPECT_EQ(record.energies.size(), record.residual_norms.size());
  }
}

// One row; fewer rows than roots; than the subspace; just above the size diagonalised whole; with and
// without restarts; with and without a model space.
INSTANTIATE_TEST_SUITE_P(
    Shapes, DavidsonSpectra,
    testing::Values(Case{.size = 1, .num_roots = 1}, Case{.size = 1, .num_roots = 3, .model_rows = 1},
                    Case{.size = 2, .num_roots = 5}, Case{.size = 5, .num_roots = 3, .model_rows = 2},
                    Case{.size = 32, .num_roots = 4}, Case{.size = 33, .num_roots = 2},
                    Case{.size = 33, .num_roots = 4, .max_subspace = 30, .model_rows = 5},
                    Case{.size = 40, .num_roots = 9}, Case{.size = 40, .num_roots = 39},
                    Case{.size = 300, .num_roots = 1, .max_subspace = 4},
                    Case{.size = 300, .num_roots = 1, .model_rows = 20},
                    Case{.size = 300, .num_roots = 4, .max_subspace = 8},
                    Case{.size = 300, .num_roots = 4, .max_subspace = 16, .model_rows = 30},
                    Case{.size = 300, .num_roots = 10},
                    Case{.size = 500, .num_roots = 3, .max_subspace = 500}));

TEST(Davidson, RepeatsToTheLastBit) {
  const DenseOperator h(ci_like_matrix(400, 5));
  DavidsonConfig config;
  config.num_roots = 3;
  const auto first = solve(h, config, {0, 1, 2});
  const auto second = solve(h, config, {0, 1, 2});
  EXPECT_EQ(first.energies, second.energies);
  EXPECT_EQ(first.residual_norms, second.residual_norms);
  const auto a = first.vectors.view(), b = second.vectors.view();
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 400; ++i) ASSERT_EQ(a.column(k)[i], b.column(k)[i]);
  }
}

TEST(Davidson, SolvesDiagonalMatrices) {
  Eigen::VectorXd spectrum = Eigen::VectorXd::LinSpaced(200, 3.0, -2.0);
  spectrum[7] = -2.5;
  const DenseOperator h(spectrum.asDiagonal());
  for (const std::int64_t start : {7, 0, 100}) {
    DavidsonConfig config;
    config.num_roots = 2;
    const DenseOperator fresh(h.matrix());
    const auto result = solve(fresh, config, {start});
    expect_lowest_roots(fresh, result, 2, 1e-6);
  }
}

TEST(Davidson, EndsForTheIdentity) {
  // Every vector is an eigenvector and the cluster of 100 roots cannot be completed.
  const DenseOperator h(Eigen::MatrixXd::Identity(100, 100));
  DavidsonConfig config;
  config.num_roots = 2;
  const auto result = solve(h, config);
  ASSERT_EQ(result.status, SolverStatus::converged);
  ASSERT_GE(result.energies.size(), 2u);
  for (const double energy : result.energies) EXPECT_NEAR(energy, 1.0, 1e-14);
}

TEST(Davidson, ReplacesDependentAndZeroStartVectors) {
  const DenseOperator h(ci_like_matrix(120, 5));
  HostBackend::Block start(120, 4);
  HostBackend().fill(start.view(), 0.0);
  start.view().column(0)[3] = 2.0;
  start.view().column(2)[3] = -1.0;  // Column 1 and 3 are zero.
  DavidsonConfig config;
  config.num_roots = 4;
  config.start_perturbation = 0.0;
  const auto result = davidson<HostBackend>(HostBackend(), h, start.view(), {}, config);
  EXPECT_EQ(result.history[0].subspace_size, 4);
  expect_lowest_roots(h, result, 4, 1e-6);
}

TEST(Davidson, TakesMoreStartVectorsThanTheSubspaceWasToHold) {
  const DenseOperator h(ci_like_matrix(200, 5));
  std::vector<std::int64_t> rows(40);
  std::iota(rows.begin(), rows.end(), 0);
  DavidsonConfig config;
  config.max_subspace = 10;
  const auto result = solve(h, config, rows);
  EXPECT_EQ(result.history[0].subspace_size, 40);
  expect_lowest_roots(h, result, 1, 1e-6);
}

TEST(Davidson, KeepsToTheVectorsThatItMayAllocate) {
  const DenseOperator h(ci_like_matrix(300, 5));
  std::vector<std::int64_t> rows(40);
  std::iota(rows.begin(), rows.end(), 0);
  DavidsonConfig config;
  config.num_roots = 2;
  const int by_default = davidson_subspace(config, h.size());
  config.max_columns = 32;
  EXPECT_LE(davidson_columns(config, h.size()), 32);
  const int subspace = davidson_subspace(config, h.size());
  EXPECT_EQ(subspace, 12);  // 2 * 12 + 2 * 3 + 2 = 32
  EXPECT_LT(subspace, by_default);
  const auto result = solve(h, config, rows);
  for (const IterationRecord& record : result.history) EXPECT_LE(record.subspace_size, subspace);
  expect_lowest_roots(h, result, 2, 1e-6);
  config.max_columns = 1;  // Less than any run needs: the least that it can do with.
  EXPECT_EQ(davidson_subspace(config, h.size()), 9);
}

TEST(Davidson, NeedsFewerApplicationsWithAModelSpace) {
  // Strong coupling among the lowest 20 rows, weak elsewhere.
  Eigen::MatrixXd a = ci_like_matrix(400, 8, 0.01);
  a.topLeftCorner(20, 20) += with_spectrum(Eigen::VectorXd::LinSpaced(20, -1.0, 1.0), 4, 2.0);
  const DenseOperator h(a), with_model(a);
  DavidsonConfig config;
  const auto plain = solve(h, config);
  std::vector<std::int64_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0);
  const auto better = solve(with_model, config, {0}, make_model_space<HostBackend>(with_model, rows));
  expect_lowest_roots(h, plain, 1, 1e-6);
  expect_lowest_roots(with_model, better, 1, 1e-6);
  EXPECT_LT(better.num_applications, plain.num_applications);
}

TEST(Davidson, ReportsTheIterationLimit) {
  const DenseOperator h(ci_like_matrix(300, 3));
  DavidsonConfig config;
  config.num_roots = 3;
  config.max_iterations = 4;
  config.tolerance = 1e-10;
  const auto result = solve(h, config);
  EXPECT_EQ(result.status, SolverStatus::not_converged);
  ASSERT_EQ(result.energies.size(), 3u);
  EXPECT_EQ(result.history.size(), 4u);
  EXPECT_THAT(result.converged, testing::Contains(false));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(result.converged[k], result.residual_norms[k] <= config.tolerance);
    EXPECT_NEAR(result.energies[k], h.exact()[static_cast<Eigen::Index>(k)], 0.5);
  }
}

TEST(Davidson, NoticesThatTheToleranceIsBelowRounding) {
  const DenseOperator h(ci_like_matrix(300, 3));
  DavidsonConfig config;
  config.tolerance = 1e-20;
  config.max_iterations = 10000;
  const auto result = solve(h, config);
  EXPECT_EQ(result.status, SolverStatus::stagnated);
  EXPECT_LT(result.history.size(), 200u);
  EXPECT_NEAR(result.energies[0], h.exact()[0], 1e-12);
}

TEST(Davidson, NoticesThatTheWholeSpaceIsNotEnough) {
  const DenseOperator h(ci_like_matrix(20, 3));
  DavidsonConfig config;
  config.tolerance = 1e-30;
  const auto result = solve(h, config);
  EXPECT_EQ(result.status, SolverStatus::stagnated);
  EXPECT_NEAR(result.energies[0], h.exact()[0], 1e-12);
}

TEST(Davidson, StopsWhenTheObserverSaysSo) {
  const DenseOperator h(ci_like_matrix(300, 3));
  DavidsonConfig config;
  int calls = 0;
  const auto result = solve(h, config, {0}, {}, [&](const SolverState<HostBackend>& state) {
    ++calls;
    EXPECT_EQ(state.record.iteration, calls);
    EXPECT_EQ(std::ssize(state.history), calls);
    return calls == 3 ? SolverAction::stop : SolverAction::proceed;
  });
  EXPECT_EQ(result.status, SolverStatus::interrupted);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(result.energies.size(), 1u);
  EXPECT_EQ(result.num_applications, h.applications());
}

TEST(Davidson, RefusesNumbersThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd a = ci_like_matrix(100, 3);
  a(17, 20) = a(20, 17) = nan;
  EXPECT_THROW(solve(DenseOperator(a), {}), Error);
  a(17, 20) = a(20, 17) = 0.0;
  a(30, 30) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(solve(DenseOperator(a), {}), Error);
  const DenseOperator good(ci_like_matrix(100, 3));
  HostBackend::Block start(100, 1);
  HostBackend().fill(start.view(), nan);
  EXPECT_THROW(davidson<HostBackend>(HostBackend(), good, start.view(), {}, {}), Error);
}

TEST(Davidson, RefusesAnInvalidConfiguration) {
  const DenseOperator h(ci_like_matrix(50, 3));
  EXPECT_THROW(solve(h, {.num_roots = 0}), DimensionError);
  EXPECT_THROW(solve(h, {.tolerance = 0.0}), DimensionError);
  EXPECT_THROW(solve(h, {.max_iterations = 0}), DimensionError);
  EXPECT_THROW(solve(h, {.max_subspace = -1}), DimensionError);
  EXPECT_THROW(solve(h, {}, {}), DimensionError);
  HostBackend::Block start(49, 1);
  EXPECT_THROW(davidson<HostBackend>(HostBackend(), h, start.view(), {}, {}), DimensionError);
  ModelSpace broken{.rows = {1, 2}, .energies = {0.0}, .vectors = Matrix(2, 2)};
  EXPECT_THROW(solve(h, {}, {0}, broken), DimensionError);
}

TEST(ModelSpace, DiagonalisesTheBlockOfItsRows) {
  const DenseOperator h(ci_like_matrix(50, 3));
  const ModelSpace model = make_model_space<HostBackend>(h, {40, 1, 7});
  const Matrix block = h.dense_block(model.rows);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      double sum = 0.0;
      for (int j = 0; j < 3; ++j) sum += block(i, j) * model.vectors(j, k);
      EXPECT_NEAR(sum, model.energies[k] * model.vectors(i, k), 1e-14);
    }
  }
  EXPECT_THAT(model.energies, testing::BeginEndDistanceIs(3));
  EXPECT_THROW(make_model_space<HostBackend>(h, {1, 1}), DimensionError);
  EXPECT_THROW(make_model_space<HostBackend>(h, {50}), DimensionError);
}

}  // namespace test_davidson
}  // namespace cisolve

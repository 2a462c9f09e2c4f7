// SPDX-License-Identifier: MIT
// Complex Hermitian matrices, and H c = E S c with a metric S, against Eigen's dense solvers.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/davidson.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "solver/generalised_problems.hpp"

namespace cisolve {
namespace test_davidson_generalised {

using test::BasicDenseOperator;
using test::Dense;
using Metric = test::MetricKind;

/// Errors of energies: rounding, which a metric of condition number 1e5 amplifies to some 1e-11, and of the iteration
/// |residual|^2 / (gap times the smallest eigenvalue of S), which is less.
constexpr double energy_error = 1e-10;

/// Everything a result claims, against the dense eigensolver.
template <class Scalar>
void expect_lowest_roots(const BasicDenseOperator<Scalar>& h, const Eigen::VectorXd& exact,
                         const EigenResult<BasicHostBackend<Scalar>>& result, int count, double tolerance) {
  ASSERT_EQ(result.status, SolverStatus::converged);
  ASSERT_EQ(std::ssize(result.energies), count);
  ASSERT_EQ(result.vectors.columns(), count);
  const auto view = result.vectors.view();
  const Eigen::Map<const Dense<Scalar>> x(view.data, view.rows, view.columns);
  const Dense<Scalar> sx = h.metric() == nullptr ? Dense<Scalar>(x) : Dense<Scalar>(h.metric()->matrix() * x);
  // Rounding of 1e-16, amplified by DavidsonConfig::metric_floor at most; 1e-4 of that in these problems.
  EXPECT_LT((x.adjoint() * sx - Dense<Scalar>::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-10);
  for (int k = 0; k < count; ++k) {
    const std::size_t at = k;
    EXPECT_NEAR(result.energies[at], exact[k], energy_error) << "root " << k;
    const double residual = (h.matrix() * x.col(k) - result.energies[at] * sx.col(k)).norm();
    EXPECT_NEAR(result.residual_norms[at], residual, 1e-11);
    EXPECT_LE(result.residual_norms[at], tolerance);
  }
  EXPECT_EQ(result.num_applications, h.applications());
}

struct Case {
  int size;
  int num_roots;
  int max_subspace;
  int model_rows;
  std::vector<std::int64_t> start = {0};
};

/// As those of DavidsonSpectra, and poor start vectors: of high rows, and fewer than roots.
std::vector<Case> cases() {
  return {{.size = 1, .num_roots = 1, .max_subspace = 0, .model_rows = 0},
          {.size = 5, .num_roots = 3, .max_subspace = 0, .model_rows = 2},
          {.size = 32, .num_roots = 4, .max_subspace = 0, .model_rows = 0},
          {.size = 33, .num_roots = 4, .max_subspace = 30, .model_rows = 5},
          {.size = 40, .num_roots = 39, .max_subspace = 0, .model_rows = 0},
          {.size = 150, .num_roots = 1, .max_subspace = 8, .model_rows = 0, .start = {149}},
          {.size = 150, .num_roots = 4, .max_subspace = 0, .model_rows = 0, .start = {140, 70}},
          {.size = 150, .num_roots = 4, .max_subspace = 16, .model_rows = 30},
          {.size = 150, .num_roots = 8, .max_subspace = 30, .model_rows = 20, .start = {100}}};
}

template <class Scalar>
void expect_that_all_cases_match(Metric metric) {
  for (const auto& [size, num_roots, max_subspace, model_rows, start] : cases()) {
    SCOPED_TRACE(std::to_string(size) + " rows, " + std::to_string(num_roots) + " roots");
    const auto h = test::problem<Scalar>(test::ci_like_matrix<Scalar>(size, 3), metric);
    DavidsonConfig config;
    config.num_roots = num_roots;
    config.max_subspace = max_subspace;
    config.tolerance = 1e-8;
    config.max_iterations = 300;
    if (metric == Metric::ill_conditioned) {
      // The error is |residual|^2 / (1e-5 gap). Diagonals see nothing of nearly equal functions, so that many
      // iterations pass with little progress, and rounding adds up over some hundred restarts.
      config.tolerance = 1e-9;
      config.max_subspace = max_subspace == 0 ? 0 : std::max(max_subspace, 30);
      config.max_iterations = 3000;
      config.stagnation_window = 300;
    }
    std::vector<std::int64_t> rows(std::min(size, model_rows));
    std::iota(rows.begin(), rows.end(), 0);
    const auto model = make_model_space(h, rows);
    expect_lowest_roots(h, h.exact(), test::solve(h, config, start, model), std::min(size, num_roots),
                        config.tolerance);
  }
}

TEST(DavidsonComplex, MatchesDenseDiagonalisation) {
  expect_that_all_cases_match<std::complex<double>>(Metric::none);
}
TEST(DavidsonMetric, MatchesDenseDiagonalisation) {
  expect_that_all_cases_match<double>(Metric::well_conditioned);
}
TEST(DavidsonMetric, MatchesDenseDiagonalisationOfABadlyConditionedProblem) {
  expect_that_all_cases_match<double>(Metric::ill_conditioned);
}
TEST(DavidsonComplexMetric, MatchesDenseDiagonalisation) {
  expect_that_all_cases_match<std::complex<double>>(Metric::well_conditioned);
}
TEST(DavidsonComplexMetric, MatchesDenseDiagonalisationOfABadlyConditionedProblem) {
  expect_that_all_cases_match<std::complex<double>>(Metric::ill_conditioned);
}

/// Close to diagonal, as the problems of DavidsonClusters: only then is a partner's part in the start large enough.
template <class Scalar>
void expect_whole_clusters(bool has_metric) {
  struct Cluster {
    int first, multiplicity, num_roots, returned;
  };
  constexpr double overlap = 0.03;
  for (const auto& [first, multiplicity, num_roots, returned] :
       {Cluster{.first = 0, .multiplicity = 2, .num_roots = 1, .returned = 2},
        Cluster{.first = 1, .multiplicity = 3, .num_roots = 2, .returned = 4},
        Cluster{.first = 1, .multiplicity = 3, .num_roots = 4, .returned = 4}}) {
    SCOPED_TRACE(std::to_string(multiplicity) + " from " + std::to_string(first));
    Eigen::VectorXd spectrum = Eigen::VectorXd::LinSpaced(120, -3.0, 26.75);
    for (int i = 1; i < multiplicity; ++i) spectrum[first + i] = spectrum[first];
    const Dense<Scalar> a = test::with_spectrum<Scalar>(spectrum, 11, 0.03);
    const auto h = has_metric
                       ? test::transformed<Scalar>(a, test::transformation<Scalar>(120, 0, 0.0, overlap))
                       : BasicDenseOperator<Scalar>(a);
    DavidsonConfig config;
    config.num_roots = num_roots;
    config.tolerance = 1e-8;
    config.max_iterations = 500;
    expect_lowest_roots(h, spectrum, test::solve(h, config), returned, config.tolerance);
  }
}

TEST(DavidsonComplex, ReturnsClustersWhole) { expect_whole_clusters<std::complex<double>>(false); }
TEST(DavidsonMetric, ReturnsClustersWhole) { expect_whole_clusters<double>(true); }
TEST(DavidsonComplexMetric, ReturnsClustersWhole) { expect_whole_clusters<std::complex<double>>(true); }

TEST(DavidsonMetric, MayBeNearlySingular) {
  constexpr int size = 150;
  const Eigen::MatrixXd a = test::ci_like_matrix(size, 3);
  const auto h = test::transformed<double>(a, test::transformation<double>(size, 5, test::nearly_equal));
  const Eigen::VectorXd metric = symmetric_eigenvalues(h.metric()->matrix());
  const double condition = metric[size - 1] / metric[0];
  ASSERT_GT(condition, 1e9);
  DavidsonConfig config;
  config.num_roots = 3;
  config.tolerance = 1e-8;
  config.max_iterations = 500;
  const auto result = test::solve(h, config);
  ASSERT_EQ(result.status, SolverStatus::converged);
  const Eigen::VectorXd exact = symmetric_eigenvalues(a);
  for (int k = 0; k < 3; ++k) {
    // Rounding of the elements of H and S, amplified; the residual in the norm of S^-1 matters less.
    const double error = std::numeric_limits<double>::epsilon() * condition * std::abs(exact[k]);
    EXPECT_NEAR(result.energies[k], exact[k], error);
  }
}

/// Some functions twice: S is singular, and what is left is the problem without them.
template <class Scalar>
void expect_that_repeated_functions_change_nothing(int size, int num_roots) {
  const Dense<Scalar> a = test::ci_like_matrix<Scalar>(size, 3);
  Dense<Scalar> functions = test::transformation<Scalar>(size, 0, 0.0);
  functions.conservativeResize(size, size + 4);
  functions.rightCols(4) = functions.middleCols(size / 2, 4);
  const auto h = test::transformed<Scalar>(a, functions);
  DavidsonConfig config;
  config.num_roots = num_roots;
  config.tolerance = 1e-8;
  config.max_iterations = 500;
  const Eigen::VectorXd exact = symmetric_eigenpairs(a).values;
  expect_lowest_roots(h, exact, test::solve(h, config, {size + 3}), num_roots, config.tolerance);
}

TEST(DavidsonMetric, LeavesOutItsNullSpace) {
  for (const int size : {20, 100}) {
    SCOPED_TRACE(size);
    expect_that_repeated_functions_change_nothing<double>(size, 3);
    expect_that_repeated_functions_change_nothing<std::complex<double>>(size, 3);
  }
}

TEST(DavidsonMetric, DoesNotDependOnItsUnit) {
  const auto h = test::problem<double>(test::ci_like_matrix(150, 3), Metric::well_conditioned);
  constexpr double unit = 1e6;
  const test::DenseOperator scaled(unit * h.matrix(), unit * h.metric()->matrix());
  DavidsonConfig config;
  config.num_roots = 3;
  const auto expected = test::solve(h, config);
  config.tolerance *= std::sqrt(unit);  // Of a residual H c, where c^H S c = 1.
  const auto result = test::solve(scaled, config);
  ASSERT_EQ(result.status, SolverStatus::converged);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(result.energies[k], expected.energies[k], energy_error);
}

TEST(DavidsonMetric, IsHeldByRestartVectors) {
  const auto h = test::problem<double>(test::ci_like_matrix(150, 3), Metric::well_conditioned);
  DavidsonConfig config;
  config.num_roots = 2;
  config.max_subspace = 9;
  std::vector<double> kept;
  std::vector<IterationRecord> history;
  test::solve(h, config, {0}, {}, [&](const SolverState<HostBackend>& state) {
    if (state.record.iteration < 6) return SolverAction::proceed;
    const auto vectors = state.restart_vectors();
    for (int k = 0; k < vectors.columns; ++k) {
      const auto column = vectors.column(k);
      kept.insert(kept.end(), column.data, column.data + column.rows);
    }
    history = state.history;
    return SolverAction::stop;
  });
  const auto columns = static_cast<int>(std::ssize(kept) / h.size());
  const Eigen::Map<const Eigen::MatrixXd> x(kept.data(), h.size(), columns);
  EXPECT_TRUE((x.transpose() * h.metric()->matrix() * x).isIdentity(1e-12));
  HostBackend::Block start(h.size(), columns);
  HostBackend().from_host(kept, start.view());
  const auto result = davidson<HostBackend>(HostBackend(), h, start.view(), {}, config, {}, history);
  ASSERT_EQ(result.status, SolverStatus::converged);
  // Nothing is lost: the first energies are those of the last record.
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(result.history[history.size()].energies[k], history.back().energies[k], 1e-11);
    EXPECT_NEAR(result.energies[k], h.exact()[static_cast<Eigen::Index>(k)], energy_error);
  }
}

TEST(DavidsonMetric, FollowsRootsOfLargestOverlap) {
  const auto h = test::problem<double>(test::ci_like_matrix(150, 7), Metric::well_conditioned);
  const SymmetricEigenpairs exact = symmetric_eigenpairs(h.matrix(), h.metric()->matrix());
  HostBackend::Block start(h.size(), 2);
  HostBackend().from_host({exact.vectors.col(5).data(), 150}, start.view().slice(0, 1));
  HostBackend().from_host({exact.vectors.col(2).data(), 150}, start.view().slice(1, 1));
  for (int i = 0; i < 150; ++i) start.view().data[i] += 0.01 * std::sin(7.0 * i);
  DavidsonConfig config;
  config.num_roots = 2;
  config.follow_start = true;
  const auto result = davidson<HostBackend>(HostBackend(), h, start.view(), {}, config);
  ASSERT_EQ(result.status, SolverStatus::converged);
  EXPECT_NEAR(result.energies[0], exact.values[2], energy_error);
  EXPECT_NEAR(result.energies[1], exact.values[5], energy_error);
}

TEST(DavidsonMetric, IsCountedAmongTheVectors) {
  DavidsonConfig config;
  config.num_roots = 2;
  EXPECT_EQ(davidson_columns(config, 300, true),
            davidson_columns(config, 300) + davidson_subspace(config, 300) + 2);
  config.max_columns = 40;
  EXPECT_LE(davidson_columns(config, 300, true), 40);
  EXPECT_LT(davidson_subspace(config, 300, true), davidson_subspace(config, 300));
}

TEST(DavidsonMetric, IsRefusedIfItIsNone) {
  Eigen::MatrixXd metric = Eigen::MatrixXd::Identity(50, 50);
  metric(7, 7) = -1e-3;
  EXPECT_THROW(test::solve(test::DenseOperator(test::ci_like_matrix(50, 3), metric), {}), Error);
  metric(7, 7) = std::nan("");
  EXPECT_THROW(test::solve(test::DenseOperator(test::ci_like_matrix(50, 3), metric), {}), Error);
}

}  // namespace test_davidson_generalised
}  // namespace cisolve

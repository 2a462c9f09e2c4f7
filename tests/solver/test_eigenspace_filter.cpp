// SPDX-License-Identifier: MIT
// Roots within the eigenspace of a matrix that commutes with H, as S^2 does.
#include "cisolve/solver/eigenspace_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/solver/davidson.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve {
namespace test_eigenspace_filter {

using test::DenseOperator;
using test::unit_vectors;
using test::with_spectrum;

/// H and A with common eigenvectors: the energy of each, and its eigenvalue 0, 2, 6 or 12 of A, the
/// lowest energies belonging to 0.
struct CommutingPair {
  explicit CommutingPair(int size, unsigned seed = 5) {
    Eigen::VectorXd energy(size), value(size);
    constexpr double values[] = {0.0, 2.0, 6.0, 12.0};
    for (int i = 0; i < size; ++i) {
      value[i] = i < size / 4 ? 0.0 : values[i % 4];
      energy[i] = -5.0 + 0.1 * i + 0.01 * (i % 7);
      levels[std::lround(value[i])].push_back(energy[i]);
    }
    for (auto& level : levels) std::sort(level.begin(), level.end());
    h = with_spectrum(energy, seed, 0.1);
    a = with_spectrum(value, seed, 0.1);
  }

  EigenspaceFilter<HostBackend> filter(double wanted) const {
    std::vector<double> others = {0.0, 2.0, 6.0, 12.0};
    std::erase(others, wanted);
    const auto product = [this](HostBackend::ConstView x, HostBackend::View y) {
      DenseOperator(a).apply(x, y);
    };
    return {backend, product, a.rows(), std::ssize(of(wanted)), wanted, others};
  }
  const std::vector<double>& of(double wanted) const { return levels[std::lround(wanted)]; }

  HostBackend backend;
  Eigen::MatrixXd h, a;
  std::vector<double> levels[13];  ///< energies by eigenvalue of A
};

EigenResult<HostBackend> solve(const CommutingPair& pair, double wanted, int num_roots) {
  const auto filter = pair.filter(wanted);
  const DenseOperator h(pair.h);
  const auto start = unit_vectors(h.size(), {0, 1});
  DavidsonConfig config;
  config.num_roots = num_roots;
  config.tolerance = 1e-8;
  return davidson<HostBackend>(pair.backend, h, start.view(), {}, config, {}, {}, &filter);
}

class FilteredDavidson : public testing::TestWithParam<std::pair<int, double>> {};

TEST_P(FilteredDavidson, FindsTheLowestRootsOfTheEigenspace) {
  const auto [size, wanted] = GetParam();
  const CommutingPair pair(size);
  for (const int num_roots : {1, 3}) {
    const auto result = solve(pair, wanted, num_roots);
    ASSERT_EQ(result.status, SolverStatus::converged);
    ASSERT_EQ(std::ssize(result.energies), num_roots);
    for (std::size_t k = 0; k < result.energies.size(); ++k) {
      EXPECT_NEAR(result.energies[k], pair.of(wanted)[k], 1e-11) << "root " << k;
    }
    // Bound: sqrt(basis vectors) x filter_threshold.
    EXPECT_LE(pair.filter(wanted).contamination(std::as_const(result.vectors).view()), 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(SizesAndEigenspaces, FilteredDavidson,
                         testing::Values(std::pair(24, 6.0), std::pair(200, 0.0), std::pair(200, 2.0),
                                         std::pair(200, 12.0), std::pair(333, 6.0)));

TEST(FilteredDavidson, GivesWhatThereIsIfMoreIsAsked) {
  const CommutingPair pair(40);
  const auto result = solve(pair, 12.0, 30);
  EXPECT_EQ(result.status, SolverStatus::converged);
  ASSERT_EQ(result.energies.size(), pair.of(12.0).size());
  for (std::size_t k = 0; k < result.energies.size(); ++k)
    EXPECT_NEAR(result.energies[k], pair.of(12.0)[k], 1e-11);
}

TEST(EigenspaceFilter, ProjectsAndMeasures) {
  const CommutingPair pair(100);
  const auto filter = pair.filter(2.0);
  HostBackend::Block x(100, 7);  // more columns than are worked on at a time
  for (int k = 0; k < 7; ++k) {
    for (int i = 0; i < 100; ++i) x.view().column(k)[i] = 0.1 * std::sin(3.0 * i + k);
  }
  EXPECT_GT(filter.contamination(std::as_const(x).view()), 0.1);
  const Eigen::Map<Eigen::MatrixXd> map(x.view().data, 100, 7);
  const SymmetricEigenpairs exact = symmetric_eigenpairs(pair.a);
  Eigen::MatrixXd inside(100, static_cast<Eigen::Index>(pair.of(2.0).size()));
  for (Eigen::Index i = 0, k = 0; i < 100; ++i) {
    if (std::abs(exact.values[i] - 2.0) < 1e-6) inside.col(k++) = exact.vectors.col(i);
  }
  const Eigen::MatrixXd expected = inside * (inside.transpose() * map);
  filter.apply(x.view());
  EXPECT_LE((map - expected).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE(filter.contamination(std::as_const(x).view()), 1e-12);
}

TEST(EigenspaceFilter, NeedsAnotherEigenvalue) {
  const HostBackend backend;
  const auto product = [](HostBackend::ConstView, HostBackend::View) {};
  EXPECT_THROW(EigenspaceFilter<HostBackend>(backend, product, 4, 1, 2.0, {}), DimensionError);
  EXPECT_THROW(EigenspaceFilter<HostBackend>(backend, product, 4, 1, 2.0, {2.0}), DimensionError);
}

TEST(EigenvectorsWithin, DiagonaliseHInTheEigenspace) {
  const CommutingPair pair(60);
  std::vector<std::int64_t> rows(60);
  for (std::size_t i = 0; i < 60; ++i) rows[i] = static_cast<std::int64_t>(i);
  const ModelSpace model = make_model_space<HostBackend>(DenseOperator(pair.h), rows);
  Matrix a(60, 60);
  for (int j = 0; j < 60; ++j) {
    for (int i = 0; i < 60; ++i) a(i, j) = pair.a(i, j);
  }
  const Matrix vectors = eigenvectors_within(model, a, 6.0);
  ASSERT_EQ(vectors.columns(), std::ssize(pair.of(6.0)));
  const Eigen::Map<const Eigen::MatrixXd> v(vectors.data(), 60, vectors.columns());
  const Eigen::MatrixXd energies = v.transpose() * pair.h * v;
  for (Eigen::Index k = 0; k < v.cols(); ++k) {
    EXPECT_NEAR(energies(k, k), pair.of(6.0)[k], 1e-11);
  }
  EXPECT_LE((pair.a * v - 6.0 * v).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(eigenvectors_within(model, a, 20.0).columns(), 0);
}

}  // namespace test_eigenspace_filter
}  // namespace cisolve

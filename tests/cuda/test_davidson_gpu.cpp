// SPDX-License-Identifier: MIT
// The solver on the device against the same solver on the host: nothing but the backend differs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "cisolve/solver/davidson.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "cuda/device_test.hpp"
#include "cuda/vectors/cuda_backend.hpp"

namespace cisolve::cuda {
namespace test_davidson_gpu {

/// A dense symmetric matrix as a block of the backend, with a metric if one is given.
template <class Backend>
class BlockOperator : public Operator<Backend> {
public:
  BlockOperator(const Backend& backend, const Matrix& matrix, const Matrix* metric = nullptr)
      : backend_(backend), matrix_(matrix), block_(backend.allocate(matrix.rows(), matrix.rows())),
        diagonal_(backend.allocate(matrix.rows(), 1)) {
    const std::size_t n = matrix.rows();
    backend.from_host(std::span(matrix.data(), n * n), block_.view());
    std::vector<double> diagonal(n);
    for (int i = 0; i < matrix.rows(); ++i) diagonal[i] = matrix(i, i);
    backend.from_host(diagonal, diagonal_.view());
    if (metric != nullptr) metric_ = std::make_unique<BlockOperator>(backend, *metric);
  }
  std::int64_t size() const override { return matrix_.rows(); }
  void apply(typename Backend::ConstView x, typename Backend::View y) const override {
    Matrix s(matrix_.rows(), x.columns);
    backend_.to_host(x, std::span(s.data(), s.rows() * s.columns()));
    backend_.combine(block_.view(), s, 0.0, y);
  }
  typename Backend::ConstView diagonal() const override { return diagonal_.view(); }
  Matrix dense_block(std::span<const std::int64_t> indices) const override {
    const int size = static_cast<int>(indices.size());
    Matrix block(size, size);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        block(i, j) = matrix_(static_cast<int>(indices[i]), static_cast<int>(indices[j]));
      }
    }
    return block;
  }
  const BlockOperator* metric() const override { return metric_.get(); }

private:
  const Backend& backend_;
  const Matrix& matrix_;
  typename Backend::Block block_;
  typename Backend::Block diagonal_;
  std::unique_ptr<BlockOperator> metric_;
};

Matrix test_matrix(int size) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  Matrix a(size, size);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < j; ++i) a(i, j) = a(j, i) = (i + j) % 3 == 0 ? 0.05 * normal(engine) : 0.0;
    a(j, j) = -5.0 + 3.0 * std::sqrt(j / 20.0);
  }
  return a;
}

template <class Backend>
EigenResult<Backend> solve(const Backend& backend, const Matrix& matrix, const DavidsonConfig& config,
                           int model_rows, bool ask_for_restart_vectors = false,
                           const Matrix* metric = nullptr) {
  const BlockOperator<Backend> h(backend, matrix, metric);
  std::vector<std::int64_t> rows(model_rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
  auto start = backend.allocate(h.size(), 1);
  std::vector<double> unit(h.size(), 0.0);
  unit[0] = 1.0;
  backend.from_host(unit, start.view());
  const SolverObserver<Backend> observer = [&](const SolverState<Backend>& state) {
    if (ask_for_restart_vectors) {
      const auto vectors = state.restart_vectors();
      for (int k = 0; k < vectors.columns; ++k) EXPECT_NEAR(backend.norms(vectors.column(k))[0], 1.0, 1e-12);
    }
    return SolverAction::proceed;
  };
  return davidson<Backend>(backend, h, start.view(), make_model_space<Backend>(h, rows), config, observer);
}

struct Case {
  int size;
  int num_roots;
  int max_subspace = 0;  ///< 0: the default
  int model_rows = 0;    ///< 0: no model space
};

class DavidsonGpu : public test::DeviceTestWithParam<Case> {};
class DavidsonMetricGpu : public test::DeviceTest {};

TEST_P(DavidsonGpu, MatchesTheHost) {
  const auto [size, num_roots, max_subspace, model_rows] = GetParam();
  const Matrix matrix = test_matrix(size);
  DavidsonConfig config;
  config.num_roots = num_roots;
  config.max_subspace = max_subspace;
  config.tolerance = 1e-7;
  config.max_iterations = 300;
  const CudaBackend device;
  const auto expected = solve(HostBackend(), matrix, config, model_rows);
  const auto actual = solve(device, matrix, config, model_rows, true);
  const auto again = solve(device, matrix, config, model_rows, true);
  ASSERT_EQ(expected.status, SolverStatus::converged);
  ASSERT_EQ(actual.status, SolverStatus::converged);
  ASSERT_EQ(actual.energies.size(), expected.energies.size());
  for (std::size_t k = 0; k < expected.energies.size(); ++k) {
    EXPECT_NEAR(actual.energies[k], expected.energies[k], 1e-10);
    EXPECT_LE(actual.residual_norms[k], config.tolerance);
  }
  EXPECT_EQ(actual.energies, again.energies);
  EXPECT_EQ(actual.residual_norms, again.residual_norms);
}

TEST_F(DavidsonMetricGpu, MatchesTheHost) {
  const Matrix matrix = test_matrix(300);
  Matrix metric(300, 300);
  for (int j = 0; j < 300; ++j) {
    metric(j, j) = 1.0 + 0.3 * (j % 3);
    for (int i = 0; i < j; ++i) metric(i, j) = metric(j, i) = 0.01 * matrix(i, j);  // Diagonally dominant.
  }
  DavidsonConfig config;
  config.num_roots = 3;
  config.max_subspace = 16;
  config.tolerance = 1e-7;
  const auto expected = solve(HostBackend(), matrix, config, 10, false, &metric);
  const auto actual = solve(CudaBackend(), matrix, config, 10, false, &metric);
  ASSERT_EQ(expected.status, SolverStatus::converged);
  ASSERT_EQ(actual.status, SolverStatus::converged);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(actual.energies[k], expected.energies[k], 1e-10);
}

// Whole space; one root; restarts; a model space; rows beyond a thread block.
INSTANTIATE_TEST_SUITE_P(
    Shapes, DavidsonGpu,
    ::testing::Values(Case{.size = 1, .num_roots = 1}, Case{.size = 20, .num_roots = 3, .model_rows = 2},
                      Case{.size = 300, .num_roots = 1},
                      Case{.size = 300, .num_roots = 4, .max_subspace = 16, .model_rows = 20},
                      Case{.size = 1100, .num_roots = 3, .model_rows = 10}));

}  // namespace test_davidson_gpu
}  // namespace cisolve::cuda

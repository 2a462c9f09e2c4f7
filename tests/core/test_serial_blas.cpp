// SPDX-License-Identifier: MIT
#include "core/serial_blas.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cisolve/core/parallel.hpp"

extern "C" __attribute__((weak)) int openblas_get_num_threads();

namespace cisolve {
namespace test_serial_blas {

int blas_threads() { return openblas_get_num_threads == nullptr ? 1 : openblas_get_num_threads(); }

TEST(SerialBlas, TheLastScopeGivesTheThreadsBack) {
  const int before = blas_threads();
  std::optional<SerialBlas> first;
  first.emplace();
  std::thread([] { const SerialBlas another; }).join();
  EXPECT_TRUE(!blas_has_own_threads() || blas_threads() == 1);
  {
    std::optional<SerialBlas> longer(std::in_place);
    first.reset();
    EXPECT_TRUE(!blas_has_own_threads() || blas_threads() == 1);
  }
  EXPECT_EQ(blas_threads(), before);
}

TEST(SerialBlas, ProductsOfManyThreadsAreThoseOfOne) {
  constexpr int size = 120, calls = 40;
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(size, size);
  const Eigen::MatrixXd expected = a.transpose() * a;
  std::vector<double> differences(calls);
  const SerialBlas serial;
  parallel_for(calls, 1, [&](std::int64_t call) {
    const Eigen::MatrixXd product = a.transpose() * a;
    differences[call] = (product - expected).cwiseAbs().maxCoeff();
    if (blas_has_own_threads() && blas_threads() != 1) differences[call] = 1.0;
  });
  for (const double difference : differences) EXPECT_LT(difference, 1e-12);
}

}  // namespace test_serial_blas
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/vectors/host_backend.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace test_host_backend {

using View = HostBackend::View;
using ConstView = HostBackend::ConstView;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A block whose columns lie further apart than their length, filled with random numbers; what lies
/// between the columns is NaN, so that reading it shows.
struct PaddedBlock {
  PaddedBlock(std::int64_t rows, int columns, unsigned seed, std::int64_t padding = 3)
      : data(static_cast<std::size_t>((rows + padding) * columns), nan), view{data.data(), rows, columns,
                                                                              rows + padding} {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (int k = 0; k < columns; ++k) {
      for (std::int64_t i = 0; i < rows; ++i) view.column(k)[i] = normal(engine);
    }
  }
  double operator()(std::int64_t i, int k) const { return view.column(k)[i]; }

  std::vector<double> data;
  View view;
};

Matrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Matrix s(rows, columns);
  for (int k = 0; k < columns; ++k) {
    for (int i = 0; i < rows; ++i) s(i, k) = normal(engine);
  }
  return s;
}

/// Rows around the chunk size of 4096, and columns from none to more than a vector register holds.
class HostBackendShapes : public testing::TestWithParam<std::tuple<std::int64_t, int, int>> {
protected:
  std::int64_t rows = std::get<0>(GetParam());
  PaddedBlock a{rows, std::get<1>(GetParam()), 1};
  PaddedBlock b{rows, std::get<2>(GetParam()), 2};
  HostBackend backend;
};

TEST_P(HostBackendShapes, GramIsTheSumOfProducts) {
  const Matrix gram = backend.gram(a.view, b.view);
  ASSERT_EQ(gram.rows(), a.view.columns);
  ASSERT_EQ(gram.columns(), b.view.columns);
  for (int j = 0; j < a.view.columns; ++j) {
    for (int k = 0; k < b.view.columns; ++k) {
      double sum = 0.0, scale = 0.0;
      for (std::int64_t i = 0; i < rows; ++i) {
        sum += a(i, j) * b(i, k);
        scale += std::abs(a(i, j) * b(i, k));
      }
      EXPECT_NEAR(gram(j, k), sum, 2.0 * static_cast<double>(rows) * epsilon * scale);
    }
  }
}

TEST_P(HostBackendShapes, CombineAddsAMultiple) {
  const Matrix s = random_matrix(a.view.columns, b.view.columns, 3);
  for (const double beta : {0.0, 1.0, -0.5}) {
    PaddedBlock y(rows, b.view.columns, 4);
    const PaddedBlock before(rows, b.view.columns, 4);
    backend.combine(a.view, s, beta, y.view);
    for (int k = 0; k < b.view.columns; ++k) {
      for (std::int64_t i = 0; i < rows; ++i) {
        double sum = beta * before(i, k), scale = std::abs(sum);
        for (int j = 0; j < a.view.columns; ++j) {
          sum += a(i, j) * s(j, k);
          scale += std::abs(a(i, j) * s(j, k));
        }
        ASSERT_NEAR(y(i, k), sum, 2.0 * (a.view.columns + 2) * epsilon * scale) << i << ' ' << k;
      }
    }
  }
}

TEST_P(HostBackendShapes, WriteNothingBetweenTheColumns) {
  PaddedBlock y(rows, b.view.columns, 4);
  backend.combine(a.view, random_matrix(a.view.columns, b.view.columns, 3), 0.0, y.view);
  backend.fill(y.view, 1.0);
  backend.copy(b.view, y.view);
  backend.scale(y.view, std::vector<double>(y.view.columns, 2.0));
  for (int k = 0; k < y.view.columns; ++k) {
    for (std::int64_t i = rows; i < y.view.stride; ++i) EXPECT_TRUE(std::isnan(y.view.column(k)[i]));
    for (std::int64_t i = 0; i < rows; ++i) ASSERT_EQ(y(i, k), 2.0 * b(i, k));
  }
}

TEST_P(HostBackendShapes, NormsScaleAndDiagonal) {
  const std::vector<double> norms = backend.norms(b.view);
  const PaddedBlock diagonal(rows, 1, 5);
  std::vector<double> shifts, factors;
  for (int k = 0; k < b.view.columns; ++k) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < rows; ++i) sum += b(i, k) * b(i, k);
    EXPECT_NEAR(norms[k], std::sqrt(sum), 1e-12 * std::sqrt(sum));
    shifts.push_back(0.1 * k);
    factors.push_back(1.0 + k);
  }
  PaddedBlock y(rows, b.view.columns, 2);
  const double floor = 0.3;
  backend.divide_by_shifted_diagonal(diagonal.view, shifts, floor, y.view);
  backend.scale(y.view, factors);
  for (int k = 0; k < b.view.columns; ++k) {
    for (std::int64_t i = 0; i < rows; ++i) {
      double denominator = 0.1 * k - diagonal(i, 0);
      if (std::abs(denominator) < floor) denominator = denominator < 0.0 ? -floor : floor;
      ASSERT_DOUBLE_EQ(y(i, k), b(i, k) / denominator * (1.0 + k));
    }
  }
}

TEST_P(HostBackendShapes, HostDataGoThereAndBack) {
  std::vector<double> host(rows * b.view.columns);
  backend.to_host(b.view, host);
  PaddedBlock y(rows, b.view.columns, 9);
  backend.from_host(host, y.view);
  for (int k = 0; k < b.view.columns; ++k) {
    for (std::int64_t i = 0; i < rows; ++i) {
      ASSERT_EQ(host[k * rows + i], b(i, k));
      ASSERT_EQ(y(i, k), b(i, k));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostBackendShapes,
                         testing::Combine(testing::Values(0, 1, 7, 4095, 4096, 4097, 9001),
                                          testing::Values(0, 1, 4, 17), testing::Values(0, 1, 3, 8)));

TEST(HostBackend, GathersAndScattersRows) {
  const HostBackend backend;
  const PaddedBlock x(10, 2, 1);
  const HostBackend::Indices rows = backend.make_indices(std::vector<std::int64_t>{9, 0, 4});
  const Matrix values = backend.gather(x.view, rows);
  ASSERT_EQ(values.rows(), 3);
  EXPECT_EQ(values(0, 1), x(9, 1));
  EXPECT_EQ(values(1, 0), x(0, 0));
  EXPECT_EQ(values(2, 1), x(4, 1));
  PaddedBlock y(10, 2, 2);
  const PaddedBlock before(10, 2, 2);
  backend.scatter(values, rows, y.view);
  for (int k = 0; k < 2; ++k) {
    for (std::int64_t i = 0; i < 10; ++i) {
      const bool written = i == 9 || i == 0 || i == 4;
      EXPECT_EQ(y(i, k), written ? x(i, k) : before(i, k));
    }
  }
}

TEST(HostBackend, CombineIgnoresWhatABlockHeldIfBetaIsZero) {
  const HostBackend backend;
  const PaddedBlock a(5000, 3, 1);
  PaddedBlock y(5000, 1, 2);
  backend.fill(y.view, nan);
  backend.combine(a.view, random_matrix(3, 1, 1), 0.0, y.view);
  EXPECT_TRUE(std::isfinite(backend.norms(y.view)[0]));
  backend.fill(y.view, nan);
  backend.combine(a.view.slice(0, 0), Matrix(0, 1), 0.0, y.view);
  EXPECT_EQ(backend.norms(y.view)[0], 0.0);
}

TEST(HostBackend, RepeatsToTheLastBitAndWithAnotherNumberOfThreads) {
  const HostBackend backend;
  const PaddedBlock a(20000, 5, 1), b(20000, 3, 2);
  const Matrix first = backend.gram(a.view, b.view);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  const Matrix second = backend.gram(a.view, b.view);
  omp_set_num_threads(threads);
  const Matrix third = backend.gram(a.view, b.view);
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(first(j, k), third(j, k));
      EXPECT_NEAR(first(j, k), second(j, k), 1e-11);
    }
  }
}

TEST(HostBackend, NoiseRepeatsAndLeansTowardsLowElements) {
  const HostBackend backend;
  auto diagonal = backend.allocate(2000, 1), first = backend.allocate(2000, 1),
       again = backend.allocate(2000, 1), other = backend.allocate(2000, 1);
  backend.fill(diagonal.view().row_slice(0, 1000), 0.0);
  backend.fill(diagonal.view().row_slice(1000, 1000), 10.0);
  backend.fill_with_noise({0.0, 2.0, 1}, diagonal.view(), first.view());
  backend.fill_with_noise({0.0, 2.0, 1}, diagonal.view(), again.view());
  backend.fill_with_noise({0.0, 2.0, 2}, diagonal.view(), other.view());
  double low = 0.0, high = 0.0, overlap = 0.0, mean = 0.0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const double value = first.view().data[i];
    EXPECT_EQ(value, again.view().data[i]);
    EXPECT_NE(value, 0.0);
    (i < 1000 ? low : high) += value * value;
    overlap += value * other.view().data[i];
    mean += value;
  }
  EXPECT_NEAR(low, 1000.0 / 3.0, 50.0);  // Uniform in [-1, 1].
  EXPECT_NEAR(high / low, std::pow(2.0 / 12.0, 8), 1e-7);
  EXPECT_LT(std::abs(overlap), 60.0);  // About 1000 terms of variance 1/9.
  EXPECT_LT(std::abs(mean), 90.0);
}

TEST(HostBackend, FindsTheLowestElementsOfAColumn) {
  const HostBackend backend;
  PaddedBlock x(5, 1, 1);
  const double elements[] = {3.0, -1.0, 2.0, -1.0, 7.0};
  backend.from_host(elements, x.view);
  using Found = std::vector<std::pair<double, std::int64_t>>;
  EXPECT_EQ(backend.lowest(x.view, 3), (Found{{-1.0, 1}, {-1.0, 3}, {2.0, 2}}));
  EXPECT_EQ(backend.lowest(x.view, 9).size(), 5u);
}

/// The operations in which a complex number is more than two real ones, against the definition.
TEST(ComplexHostBackend, ConjugatesWhatStandsLeft) {
  using Complex = std::complex<double>;
  const ComplexHostBackend backend;
  constexpr std::int64_t rows = 4099;  // More than a chunk.
  auto a = backend.allocate(rows, 2), b = backend.allocate(rows, 1), y = backend.allocate(rows, 1);
  const PaddedBlock real(rows, 3, 1, 0), imaginary(rows, 3, 2, 0);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (int k = 0; k < 2; ++k) a.view().column(k)[i] = {real(i, k), imaginary(i, k)};
    b.view().data[i] = {real(i, 2), imaginary(i, 2)};
  }
  const auto gram = backend.gram(a.view(), b.view());
  BasicMatrix<Complex> s(2, 1);
  s(0, 0) = {0.5, -2.0};
  s(1, 0) = {-1.0, 0.25};
  backend.copy(b.view(), y.view());
  backend.combine(a.view(), s, 0.5, y.view());
  Complex sum[2] = {0.0, 0.0};
  double square = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Complex in = b.view().data[i];
    Complex combined = 0.5 * in;
    for (int k = 0; k < 2; ++k) {
      sum[k] += std::conj(a.view().column(k)[i]) * in;
      combined += a.view().column(k)[i] * s(k, 0);
    }
    square += std::norm(in);
    // Four products of numbers of order 1.
    ASSERT_LE(std::abs(y.view().data[i] - combined), 32.0 * epsilon * (1.0 + std::abs(combined))) << i;
  }
  // Sums of 4099 terms of order 1, in another order.
  const double rounding = 4.0 * static_cast<double>(rows) * epsilon;
  for (int k = 0; k < 2; ++k) EXPECT_LE(std::abs(gram(k, 0) - sum[k]), rounding * static_cast<double>(rows));
  EXPECT_NEAR(backend.norms(b.view())[0], std::sqrt(square), rounding * std::sqrt(square));
}

TEST(ComplexHostBackend, TakesTheRealPartOfADiagonal) {
  const ComplexHostBackend backend;
  auto diagonal = backend.allocate(3, 1), y = backend.allocate(3, 1);
  for (int i = 0; i < 3; ++i) diagonal.view().data[i] = {1.0 - i, 0.0};
  backend.fill(y.view(), {0.0, 2.0});
  backend.divide_by_shifted_diagonal(diagonal.view(), std::vector<double>{1.5}, 0.1, y.view());
  EXPECT_EQ(y.view().data[1], std::complex<double>(0.0, 2.0 / 1.5));
  EXPECT_EQ(backend.lowest(diagonal.view(), 1).front(), (std::pair<double, std::int64_t>(-1.0, 2)));
  const auto rows = backend.make_indices(std::vector<std::int64_t>{2, 0});
  const auto values = backend.gather(diagonal.view(), rows);
  backend.scatter(values, rows, y.view());
  EXPECT_EQ(y.view().data[2], std::complex<double>(-1.0, 0.0));
}

TEST(HostBackend, RefusesShapesThatDisagree) {
  const HostBackend backend;
  PaddedBlock a(5, 2, 1), b(6, 2, 2);
  EXPECT_THROW(backend.copy(a.view, b.view), DimensionError);
  EXPECT_THROW(backend.gram(a.view, b.view), DimensionError);
  EXPECT_THROW(backend.combine(a.view, Matrix(2, 2), 0.0, b.view), DimensionError);
  EXPECT_THROW(backend.combine(a.view, Matrix(3, 2), 0.0, a.view), DimensionError);
  EXPECT_THROW(backend.scale(a.view, std::vector<double>(3)), DimensionError);
  EXPECT_THROW(backend.from_host(std::vector<double>(9), a.view), DimensionError);
  EXPECT_THROW(backend.gather(a.view, {5}), DimensionError);
  EXPECT_THROW(backend.scatter(Matrix(1, 2), {-1}, a.view), DimensionError);
  EXPECT_THROW(backend.lowest(a.view, 1), DimensionError);
  EXPECT_THROW(backend.fill_with_noise({}, b.view.slice(0, 1), a.view.slice(0, 1)), DimensionError);
  EXPECT_THROW(backend.fill_with_noise({}, a.view.slice(0, 1), a.view.slice(0, 1), RowMap::whole(6)),
               DimensionError);
  EXPECT_THROW(backend.divide_by_shifted_diagonal(b.view.slice(0, 1), std::vector<double>(2), 1e-4, a.view),
               DimensionError);
}

}  // namespace test_host_backend
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cuda/vectors/cuda_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include "cisolve/core/error.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "cuda/device_test.hpp"
#include "cuda/vectors/vector_kernels.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::cuda {
namespace test_cuda_backend {

using test::random_vector;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The same numbers in both memories: columns 1 .. k, first rows, of larger blocks.
struct Twin {
  Twin(const CudaBackend& backend, std::int64_t rows, int columns, unsigned seed, std::int64_t spare_rows)
      : host(HostBackend().allocate(rows + spare_rows, columns + 1)),
        device(backend.allocate(rows + spare_rows, columns + 1)), rows_(rows), columns_(columns) {
    const std::size_t size = (rows + spare_rows) * (columns + 1);
    const std::vector<double> numbers = random_vector(size, seed);
    HostBackend().from_host(numbers, host.view());
    backend.from_host(numbers, device.view());
  }
  HostBackend::View on_host() { return cut(host.view()); }
  CudaBackend::View on_device() { return cut(device.view()); }

  HostBackend::Block host;
  CudaBackend::Block device;

private:
  template <class View>
  View cut(View whole) const {
    View view = whole.slice(1, columns_);
    view.rows = rows_;
    return view;
  }
  std::int64_t rows_;
  int columns_;
};

/// Rows, columns, rows that the blocks have more: around warps, blocks, and the blocks of a norm and of a gram matrix.
using Shape = std::tuple<std::int64_t, int, std::int64_t>;

class CudaBackendGpu : public test::DeviceTestWithParam<Shape> {
protected:
  void SetUp() override {
    test::DeviceTest::SetUp();
    if (IsSkipped()) return;
    backend = std::make_unique<CudaBackend>();
  }
  std::int64_t rows() const { return std::get<0>(GetParam()); }
  int columns() const { return std::get<1>(GetParam()); }
  Twin twin(int num_columns, unsigned seed) const {
    return Twin(*backend, rows(), num_columns, seed, std::get<2>(GetParam()));
  }

  /// The whole blocks, so that what lies around the views is compared too.
  void expect_equal(Twin& twin, double tolerance) const {
    const std::size_t size = twin.host.rows() * twin.host.columns();
    std::vector<double> expected(size), actual(size);
    HostBackend().to_host(twin.host.view(), expected);
    backend->to_host(twin.device.view(), actual);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_NEAR(actual[i], expected[i], tolerance * (1.0 + std::abs(expected[i]))) << i;
    }
  }
  static void expect_equal(const Matrix& actual, const Matrix& expected, double tolerance) {
    ASSERT_EQ(actual.rows(), expected.rows());
    ASSERT_EQ(actual.columns(), expected.columns());
    for (int j = 0; j < actual.columns(); ++j) {
      for (int i = 0; i < actual.rows(); ++i) ASSERT_NEAR(actual(i, j), expected(i, j), tolerance);
    }
  }

  HostBackend host;
  std::unique_ptr<CudaBackend> backend;
};

TEST_P(CudaBackendGpu, FillAndCopy) {
  Twin x = twin(columns(), 1), y = twin(columns(), 2);
  host.copy(x.on_host(), y.on_host());
  backend->copy(x.on_device(), y.on_device());
  expect_equal(y, 0.0);
  host.fill(x.on_host(), -0.75);
  backend->fill(x.on_device(), -0.75);
  expect_equal(x, 0.0);
}

TEST_P(CudaBackendGpu, HostDataThroughViews) {
  Twin x = twin(columns(), 1);
  const std::size_t size = rows() * columns();
  const std::vector<double> numbers = random_vector(size, 9);
  host.from_host(numbers, x.on_host());
  backend->from_host(numbers, x.on_device());
  expect_equal(x, 0.0);
  std::vector<double> back(size, -1.0);
  backend->to_host(x.on_device(), back);
  EXPECT_EQ(back, numbers);
}

TEST_P(CudaBackendGpu, GramMatchesAndRepeats) {
  for (const int count : {1, 2, columns() + 3}) {
    Twin a = twin(columns(), 1), b = twin(count, 2);
    const Matrix actual = backend->gram(a.on_device(), b.on_device());
    // Sums of n products of normal numbers: |a|^T|b| is about n.
    const double n = static_cast<double>(rows());
    expect_equal(actual, host.gram(a.on_host(), b.on_host()), 4.0 * (n + 1.0) * epsilon * (n + 10.0));
    const Matrix again = backend->gram(a.on_device(), b.on_device());
    EXPECT_TRUE(std::equal(actual.data(), actual.data() + actual.rows() * actual.columns(), again.data()));
  }
}

TEST_P(CudaBackendGpu, CombineMatches) {
  for (const double beta : {0.0, 1.0, -0.5}) {
    for (const int count : {1, 2, columns() + 2}) {
      Twin a = twin(columns(), 1), y = twin(count, 2);
      const std::vector<double> numbers = random_vector(columns() * count, 3);
      Matrix s(columns(), count);
      std::copy(numbers.begin(), numbers.end(), s.data());
      host.combine(a.on_host(), s, beta, y.on_host());
      backend->combine(a.on_device(), s, beta, y.on_device());
      expect_equal(y, 20.0 * (columns() + 2) * epsilon);
    }
  }
}

TEST_P(CudaBackendGpu, CombineDoesNotReadYForBetaZero) {
  Twin a = twin(columns(), 1), y = twin(columns(), 2);
  host.fill(y.on_host(), std::numeric_limits<double>::quiet_NaN());
  backend->fill(y.on_device(), std::numeric_limits<double>::quiet_NaN());
  Matrix s(columns(), columns());
  for (int i = 0; i < columns(); ++i) s(i, i) = 2.0;
  host.combine(a.on_host(), s, 0.0, y.on_host());
  backend->combine(a.on_device(), s, 0.0, y.on_device());
  expect_equal(y, 4.0 * epsilon);
}

TEST_P(CudaBackendGpu, CombineOfNothingScalesByBeta) {
  for (const double beta : {0.0, 3.0}) {
    Twin a = twin(columns(), 1), y = twin(columns(), 2);
    host.combine(a.on_host().slice(0, 0), Matrix(0, columns()), beta, y.on_host());
    backend->combine(a.on_device().slice(0, 0), Matrix(0, columns()), beta, y.on_device());
    expect_equal(y, 0.0);
  }
}

TEST_P(CudaBackendGpu, NormsMatchAndRepeat) {
  Twin x = twin(columns(), 1);
  const std::vector<double> expected = host.norms(x.on_host());
  const std::vector<double> actual = backend->norms(x.on_device());
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], static_cast<double>(rows() + 4) * epsilon * expected[k]);
  }
  EXPECT_EQ(backend->norms(x.on_device()), actual);
}

TEST_P(CudaBackendGpu, ScaleMatches) {
  Twin x = twin(columns(), 1);
  const std::vector<double> factors = random_vector(columns(), 5);
  host.scale(x.on_host(), factors);
  backend->scale(x.on_device(), factors);
  expect_equal(x, 0.0);
}

TEST_P(CudaBackendGpu, PreconditionerMatchesAlsoNearItsPoles) {
  Twin y = twin(columns(), 1), diagonal = twin(1, 2);
  std::vector<double> shifts = random_vector(columns(), 5);
  shifts[0] = diagonal.on_host().data[0];  // a denominator of exactly zero
  const double floor = 0.3;                // reached from both sides
  host.divide_by_shifted_diagonal(diagonal.on_host(), shifts, floor, y.on_host());
  backend->divide_by_shifted_diagonal(diagonal.on_device(), shifts, floor, y.on_device());
  expect_equal(y, 2.0 * epsilon);
}

TEST_P(CudaBackendGpu, NoiseIsTheHosts) {
  Twin diagonal = twin(1, 4);
  Twin y = twin(1, 5);
  const LowLyingNoise noise{-5.0, 2.0, 3};
  host.fill_with_noise(noise, diagonal.on_host(), y.on_host());
  backend->fill_with_noise(noise, diagonal.on_device(), y.on_device());
  expect_equal(y, 4.0 * epsilon);
}

TEST_P(CudaBackendGpu, NoiseOfSomeRowsIsTheHosts) {
  // Slabs of all lengths, with gaps: the second map has another number of them, the third one only.
  for (const std::int64_t longest : {std::int64_t{3}, std::int64_t{1000}, rows()}) {
    std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
    std::int64_t row = 7;
    for (std::int64_t local = 0, count = 1; local < rows(); local += count, row += count + 2) {
      count = std::min(rows() - local, longest == rows() ? longest : 1 + local % longest);
      slabs.emplace_back(row, count);
    }
    const RowMap map(row, slabs);
    Twin diagonal = twin(1, 4);
    Twin y = twin(1, 5);
    const LowLyingNoise noise{-5.0, 2.0, 3};
    host.fill_with_noise(noise, diagonal.on_host(), y.on_host(), map);
    backend->fill_with_noise(noise, diagonal.on_device(), y.on_device(), map);
    expect_equal(y, 4.0 * epsilon);
    for (std::int64_t i = 0; i < rows(); i += 97) {
      EXPECT_EQ(y.on_host().data[i], noise(map.global(i), map.rows(), diagonal.on_host().data[i]));
    }
  }
  Twin y = twin(1, 5);
  EXPECT_THROW(backend->fill_with_noise({}, y.on_device(), y.on_device(), RowMap::whole(rows() + 1)),
               DimensionError);
}

TEST_P(CudaBackendGpu, LowestElementsAreTheHosts) {
  Twin x = twin(1, 4);
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{17}, rows() + 1})
    EXPECT_EQ(backend->lowest(x.on_device(), count), host.lowest(x.on_host(), count));
}

TEST_P(CudaBackendGpu, GatherAndScatter) {
  Twin x = twin(columns(), 1);
  std::vector<std::int64_t> list;
  for (std::int64_t i = rows() - 1; i >= 0; i -= 3) list.push_back(i);
  const auto indices = backend->make_indices(list);
  EXPECT_EQ(indices.size(), list.size());
  const Matrix gathered = backend->gather(x.on_device(), indices);
  expect_equal(gathered, host.gather(x.on_host(), list), 0.0);

  Matrix values(static_cast<int>(list.size()), columns());
  const std::vector<double> numbers = random_vector(list.size() * static_cast<std::size_t>(columns()), 6);
  std::copy(numbers.begin(), numbers.end(), values.data());
  host.scatter(values, list, x.on_host());
  backend->scatter(values, indices, x.on_device());
  expect_equal(x, 0.0);

  EXPECT_THROW(backend->gather(x.on_device(), backend->make_indices(std::vector{rows()})), DimensionError);
  EXPECT_THROW(backend->gather(x.on_device(), backend->make_indices(std::vector{std::int64_t{-1}})),
               DimensionError);
}

TEST_P(CudaBackendGpu, ManySmallTransfersInARowStayInOrder) {
  // More calls than there are staging slots, none of which waits.
  Twin x = twin(columns(), 1);
  for (int turn = 1; turn <= 50; ++turn) {
    const std::vector<double> factors(columns(), turn % 2 == 0 ? 0.5 : 2.0 + turn);
    host.scale(x.on_host(), factors);
    backend->scale(x.on_device(), factors);
  }
  expect_equal(x, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, CudaBackendGpu,
                         ::testing::Values(Shape{1, 1, 0}, Shape{31, 3, 0}, Shape{255, 2, 1},
                                           Shape{256, 4, 0}, Shape{257, 5, 7}, Shape{10007, 12, 0},
                                           Shape{20000, 7, 3}, Shape{300001, 9, 2}));

class LongVectorsGpu : public test::DeviceTest {};

TEST_F(LongVectorsGpu, KeepSmallSquaresInAllGramMatrices) {
  constexpr double tiny = 1e-9;
  const CudaBackend backend;
  for (const int columns : {1, 2, 3, 5}) {
    auto x = backend.allocate(long_rows, columns);
    backend.fill(x.view(), tiny);
    Matrix ones(1, columns);
    for (int k = 0; k < columns; ++k) ones(0, k) = 1.0;
    backend.scatter(ones, backend.make_indices(std::vector<std::int64_t>{long_rows / 3}), x.view());
    const Matrix gram = backend.gram(x.view(), x.view());
    const double expected = 1.0 + tiny * tiny * static_cast<double>(long_rows - 1);
    for (int k = 0; k < columns; ++k) {
      EXPECT_NEAR(backend.norms(x.view())[k], std::sqrt(expected), 1e-14);
      for (int i = 0; i < columns; ++i) EXPECT_NEAR(gram(i, k), expected, 1e-14);
    }
  }
}

class CudaBackendErrorsGpu : public test::DeviceTest {};

TEST_F(CudaBackendErrorsGpu, ShapesMustAgree) {
  const CudaBackend backend;
  auto a = backend.allocate(10, 2), b = backend.allocate(11, 2);
  std::vector<double> small(3);
  EXPECT_THROW(backend.gram(a.view(), b.view()), DimensionError);
  EXPECT_THROW(backend.copy(a.view(), b.view()), DimensionError);
  EXPECT_THROW(backend.combine(a.view(), Matrix(3, 2), 0.0, a.view()), DimensionError);
  EXPECT_THROW(backend.scale(a.view(), small), DimensionError);
  EXPECT_THROW(backend.from_host(small, a.view()), DimensionError);
  EXPECT_THROW(backend.to_host(a.view(), small), DimensionError);
  const auto diagonal = b.view().slice(0, 1);
  EXPECT_THROW(backend.divide_by_shifted_diagonal(diagonal, std::vector<double>(2), 0.1, a.view()),
               DimensionError);
}

TEST_F(CudaBackendErrorsGpu, BlocksThatDoNotFitAreResourceErrors) {
  const CudaBackend backend;
  EXPECT_THROW(backend.allocate(std::int64_t{1} << 40, 4), ResourceError);
  EXPECT_EQ(backend.norms(backend.allocate(0, 2).view()), (std::vector<double>{0.0, 0.0}));
}

TEST_F(CudaBackendErrorsGpu, NoSuchDevice) { EXPECT_THROW(CudaBackend(1000), CudaError); }

}  // namespace test_cuda_backend
}  // namespace cisolve::cuda

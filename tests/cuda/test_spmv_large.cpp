// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::cuda {
namespace test_spmv_large {

// A matrix of more than 2^31 nonzeros that is never whole on the host: element (row, slot) by formula.
constexpr std::int64_t num_rows = 4'500'000;
constexpr std::int64_t row_length = 500;
constexpr std::int32_t ell_width = 480;  // the ELL part alone has more than 2^31 slots
constexpr std::int64_t tail_length = row_length - ell_width;
static_assert(ell_stride_of(ell_width) == ell_width);
static_assert(num_rows * ell_width > (std::int64_t{1} << 31));

ColumnIndex column_of(std::int64_t row, std::int64_t slot) {
  return static_cast<ColumnIndex>((row * 7919 + slot * 8999) % num_rows);
}

double value_of(std::int64_t row, std::int64_t slot) {
  return static_cast<double>((row * 31 + slot * 17) % 1009) / 1009.0 - 0.4;
}

/// What y = A x must be, and how far rounding may take it.
struct Expected {
  std::vector<double> y, bound;
};

Expected multiply(const std::vector<double>& x) {
  Expected expected{std::vector<double>(num_rows), std::vector<double>(num_rows)};
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < num_rows; ++row) {
    double sum = 0.0;
    double scale = 0.0;
    for (std::int64_t slot = 0; slot < row_length; ++slot) {
      const double product = value_of(row, slot) * x[column_of(row, slot)];
      sum += product;
      scale += std::abs(product);
    }
    expected.y[row] = sum;
    expected.bound[row] =
        static_cast<double>(row_length + 1) * std::numeric_limits<double>::epsilon() * scale;
  }
  return expected;
}

/// Slots first .. first + count of every row into columns and values, `count` apart, by way of pieces.
void generate(const Stream& stream, HostTransfer& transfer, std::int64_t first, std::int64_t count,
              ColumnIndex* columns, double* values) {
  constexpr std::int64_t rows_per_piece = 50'000;
  std::vector<ColumnIndex> host_columns(rows_per_piece * count);
  std::vector<double> host_values(host_columns.size());
  for (std::int64_t piece = 0; piece < num_rows; piece += rows_per_piece) {
    const std::int64_t rows = std::min(rows_per_piece, num_rows - piece);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t slot = 0; slot < count; ++slot) {
        const std::size_t at = row * count + slot;
        host_columns[at] = column_of(piece + row, first + slot);
        host_values[at] = value_of(piece + row, first + slot);
      }
    }
    const std::size_t size = rows * count;
    transfer.upload(stream, host_columns.data(), columns + piece * count, size * sizeof(ColumnIndex));
    transfer.upload(stream, host_values.data(), values + piece * count, size * sizeof(double));
  }
}

std::vector<std::int64_t> even_offsets(std::int64_t length) {
  std::vector<std::int64_t> offsets(num_rows + 1);
  for (std::int64_t row = 0; row <= num_rows; ++row) offsets[row] = row * length;
  return offsets;
}

/// Room for `size` elements and zeros behind them.
template <class T>
DeviceArray<T> with_spare(const Stream& stream, std::int64_t size) {
  DeviceArray<T> array(size + static_cast<std::int64_t>(spare_elements));
  check(cudaMemsetAsync(array.data() + size, 0, spare_elements * sizeof(T), stream.get()));
  return array;
}

class LargeSpmvGpu : public test::DeviceTest {
protected:
  void SetUp() override {
    test::DeviceTest::SetUp();
    if (IsSkipped()) return;
    const std::int64_t needed = num_rows * row_length * 12 + (std::int64_t{2} << 30);
    if (device_memory(0).free < needed) {
      GTEST_SKIP() << "the matrix takes " << needed << " bytes of device memory";
    }
  }

  template <class DeviceMatrix>
  void expect_products(const Stream& stream, HostTransfer& transfer, const DeviceMatrix& a) {
    const std::vector<double> x = test::random_vector(num_rows, 11);
    const Expected expected = multiply(x);
    DeviceArray<double> device_x(2 * num_rows), device_y(2 * num_rows);
    transfer.upload(stream, x.data(), device_x.data(), num_rows * sizeof(double));
    transfer.upload(stream, x.data(), device_x.data() + num_rows, num_rows * sizeof(double));
    SpmvWorkspace workspace;
    for (const int k : {1, 2}) {
      check(cudaMemsetAsync(device_y.data(), 0xff, device_y.size_bytes(), stream.get()));
      spmv(stream, a, {device_x.data(), num_rows, k, num_rows}, {device_y.data(), num_rows, k, num_rows},
           workspace);
      std::vector<double> y(num_rows * k);
      transfer.download(stream, device_y.data(), y.data(), y.size() * sizeof(double));
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_NEAR(y[i], expected.y[i % num_rows], expected.bound[i % num_rows]) << i;
      }
    }
  }
};

TEST_F(LargeSpmvGpu, CsrBeyondThirtyTwoBitOffsets) {
  const Stream stream;
  HostTransfer transfer;
  DeviceCsrMatrix a{num_rows,
                    num_rows,
                    num_rows * row_length,
                    DeviceArray<std::int64_t>(num_rows + 1),
                    with_spare<ColumnIndex>(stream, num_rows * row_length),
                    with_spare<double>(stream, num_rows * row_length)};
  upload<std::int64_t>(stream, transfer, even_offsets(row_length), a.offsets);
  generate(stream, transfer, 0, row_length, a.columns.data(), a.values.data());
  expect_products(stream, transfer, a);
}

TEST_F(LargeSpmvGpu, HybridBeyondThirtyTwoBitSlots) {
  const Stream stream;
  HostTransfer transfer;
  DeviceHybridMatrix a{.num_rows = num_rows,
                       .num_columns = num_rows,
                       .nonzeros = num_rows * row_length,
                       .ell_width = ell_width,
                       .ell_stride = ell_width,
                       .ell_columns = DeviceArray<ColumnIndex>(num_rows * ell_width),
                       .ell_values = DeviceArray<double>(num_rows * ell_width),
                       .row_counts = DeviceArray<std::int32_t>(num_rows),
                       .ell_counts = {},
                       .tail_offsets = DeviceArray<std::int64_t>(num_rows + 1),
                       .tail_columns = with_spare<ColumnIndex>(stream, num_rows * tail_length),
                       .tail_values = with_spare<double>(stream, num_rows * tail_length)};
  upload<std::int64_t>(stream, transfer, even_offsets(tail_length), a.tail_offsets);
  upload<std::int32_t>(stream, transfer, std::vector<std::int32_t>(num_rows, row_length), a.row_counts);
  generate(stream, transfer, 0, ell_width, a.ell_columns.data(), a.ell_values.data());
  generate(stream, transfer, ell_width, tail_length, a.tail_columns.data(), a.tail_values.data());
  expect_products(stream, transfer, a);
}

}  // namespace test_spmv_large
}  // namespace cisolve::cuda

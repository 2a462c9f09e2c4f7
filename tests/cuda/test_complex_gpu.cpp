// SPDX-License-Identifier: MIT
// Products of complex and quaternion matrices on the device.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/device_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "sparse/complex_source.hpp"

namespace cisolve::cuda {
namespace test_complex_gpu {

using test::block_order;
using test::complex_product_error;
using test::ListedRows;
using test::random_complex_vector;
using test::uneven_source;

constexpr double error_limit = 1e-14;

/// x of m x k and y of n x k on the device, y poisoned; columns of y lie n + 3 apart.
struct ComplexVectors {
  ComplexVectors(const Stream& stream_, std::int64_t n_, std::int64_t m_, int k_)
      : stream(stream_), n(n_), m(m_), k(k_), stride(n_ + 3), host_x(random_complex_vector((m + 5) * k, 7)),
        host_y(stride * k), x(host_x.size()), y(host_y.size()) {
    transfer.upload(stream, host_x.data(), x.data(), x.size_bytes());
    check(cudaMemsetAsync(y.data(), 0xff, y.size_bytes(), stream.get()));
  }
  ComplexVectors(const Stream& stream_, std::int64_t n_, int k_) : ComplexVectors(stream_, n_, n_, k_) {}
  ConstComplexDeviceView in() const { return {x.data(), m, k, m + 5}; }
  ComplexDeviceView out() { return {y.data(), n, k, stride}; }
  ConstComplexHostView on_host() const { return {host_x.data(), m, k, m + 5}; }
  ConstComplexHostView result() {
    transfer.download(stream, y.data(), host_y.data(), y.size_bytes());
    return {host_y.data(), n, k, stride};
  }

  const Stream& stream;
  std::int64_t n, m;
  int k;
  std::int64_t stride;
  std::vector<Complex> host_x, host_y;
  DeviceArray<Complex> x, y;
  HostTransfer transfer;
};

/// CSR, and hybrid of some widths: -1 chosen.
template <class Scalar, class Test>
void with_formats(const ListedRows<Scalar>& source, const Stream& stream, const Test& test) {
  test(to_device(build_csr(source), stream));
  for (const int width : {-1, 0, 3, 33, 1'000'000}) {
    const std::optional<std::int32_t> wanted = width < 0 ? std::nullopt : std::optional<std::int32_t>(width);
    test(to_device(build_hybrid(source, wanted), stream));
  }
  test(to_device(
      build_hybrid_by_columns(source, count_rows(source), std::min<std::int64_t>(source.num_rows(), 4)),
      stream));
}

template <class Scalar>
class ComplexFormatGpu : public test::DeviceTest {};
using Scalars = ::testing::Types<Complex, Quaternion>;
TYPED_TEST_SUITE(ComplexFormatGpu, Scalars);

// Empty, one row, below a warp, around warps and blocks of threads, several of all.
TYPED_TEST(ComplexFormatGpu, ProductsMatchLongDoubleSumsAndRepeat) {
  const Stream stream;
  for (const std::int64_t rows : {0, 1, 5, 31, 33, 129, 257, 1000}) {
    const auto source = uneven_source<TypeParam>(rows);
    SpmvWorkspace workspace;
    with_formats<TypeParam>(source, stream, [&](const auto& a) {
      for (const int k : {1, 2, 3, 4, 7}) {
        ComplexVectors vectors(stream, rows * block_order<TypeParam>, k);
        spmv(stream, a, vectors.in(), vectors.out(), workspace);
        const ConstComplexHostView y = vectors.result();
        EXPECT_LE(complex_product_error(source, vectors.on_host(), y), error_limit) << k << " vectors";
        const std::vector<Complex> once = vectors.host_y;
        for (std::int64_t i = 0; i < vectors.stride * k; ++i) {
          if (i % vectors.stride < vectors.n) continue;
          ASSERT_TRUE(std::isnan(once[i].real()) && std::isnan(once[i].imag())) << "wrote between columns";
        }
        for (int turn = 0; turn < 3; ++turn) {
          spmv(stream, a, vectors.in(), vectors.out(), workspace);
          vectors.result();
          for (std::int64_t i = 0; i < vectors.stride * k; ++i) {
            if (i % vectors.stride >= vectors.n) continue;
            ASSERT_EQ(vectors.host_y[i], once[i]);
          }
        }
      }
    });
  }
}

TYPED_TEST(ComplexFormatGpu, SomeRowsOfALargerMatrixAreAddedToo) {
  const Stream stream;
  constexpr std::int64_t order = block_order<TypeParam>;
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{0, 7}, {1, 300}, {37, 211}, {211, 37}}) {
    const auto source = uneven_source<TypeParam>(rows, columns);
    SpmvWorkspace workspace;
    with_formats<TypeParam>(source, stream, [&](const auto& a) {
      for (const int k : {1, 2, 3, 4, 8}) {
        ComplexVectors vectors(stream, rows * order, columns * order, k);
        spmv(stream, a, vectors.in(), vectors.out(), workspace);
        EXPECT_LE(complex_product_error(source, vectors.on_host(), vectors.result()), error_limit);
        const std::vector<Complex> once = vectors.host_y;
        spmv(stream, a, vectors.in(), vectors.out(), workspace, ProductUpdate::add);
        vectors.result();
        for (std::int64_t i = 0; i < vectors.stride * k; ++i) {
          if (i % vectors.stride >= vectors.n) continue;
          ASSERT_EQ(vectors.host_y[i], 2.0 * once[i]);  // exact in any order
        }
      }
    });
  }
}

TYPED_TEST(ComplexFormatGpu, TakesTheBytesOfTheHostAndLittleMore) {
  const Stream stream;
  const auto source = uneven_source<TypeParam>(257);
  const auto host = build_hybrid(source);
  const auto device = to_device(host, stream);
  EXPECT_GE(array_bytes(device), array_bytes(host));
  EXPECT_LE(array_bytes(device), array_bytes(host) + 1024) << "spare elements";
}

TYPED_TEST(ComplexFormatGpu, ShapesMustAgree) {
  const Stream stream;
  const auto a = to_device(build_csr(uneven_source<TypeParam>(5)), stream);
  SpmvWorkspace workspace;
  const std::int64_t n = 5 * block_order<TypeParam>;
  ComplexVectors vectors(stream, n, 2), other(stream, n + 1, 2);
  EXPECT_THROW(spmv(stream, a, other.in(), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in(), other.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in().slice(0, 1), vectors.out(), workspace), DimensionError);
}

}  // namespace test_complex_gpu
}  // namespace cisolve::cuda

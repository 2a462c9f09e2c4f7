// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/device_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::cuda {
namespace test_spmv {

using test::ListedSource;
using test::random_vector;
using test::rounding_bound;
using test::uneven_matrix;

/// Every kernel there is.
std::vector<SpmvConfig> all_configs() {
  std::vector<SpmvConfig> configs = {{}};
  for (const int elements : {1, 2, 4}) {
    for (const int lanes : {4, 8, 16, 32}) {
      for (const int in_flight : {4, 8}) {
        configs.push_back({elements, lanes, in_flight, 256, 2});
      }
    }
  }
  for (const int block_size : {32, 96, 512}) {
    for (const int rows : {1, 5}) configs.push_back({2, 32, 8, block_size, rows});
  }
  return configs;
}

std::string text_of(const SpmvConfig& config) {
  return std::to_string(config.elements_per_lane) + " elements, " + std::to_string(config.lanes_per_row) +
         " lanes, " + std::to_string(config.products_in_flight) + " in flight, block " +
         std::to_string(config.block_size) + ", rows " + std::to_string(config.rows_per_group);
}

/// x and y of one product on the device; y lies in a larger block.
struct Vectors {
  Vectors(const Stream& stream_, std::int64_t n_, int k_)
      : stream(stream_), n(n_), k(k_), stride(n_ + 3), host_x(random_vector(size(), 7)), x(size()),
        y(size()) {
    transfer.upload(stream, host_x.data(), x.data(), x.size_bytes());
  }
  std::size_t size() const { return static_cast<std::size_t>(stride * k); }
  ConstHostView on_host() const { return {host_x.data(), n, k, stride}; }
  ConstDeviceView in() const { return {x.data(), n, k, stride}; }
  DeviceView out() { return {y.data(), n, k, stride}; }

  void poison() { check(cudaMemsetAsync(y.data(), 0xff, y.size_bytes(), stream.get())); }
  std::vector<double> result() {
    std::vector<double> host(size());
    transfer.download(stream, y.data(), host.data(), y.size_bytes());
    return host;
  }

  const Stream& stream;
  std::int64_t n;
  int k;
  std::int64_t stride;
  std::vector<double> host_x;
  DeviceArray<double> x, y;
  HostTransfer transfer;
};

/// Rows and ELL width; -1: automatic; -2: CSR.
class SpmvGpu : public test::DeviceTestWithParam<std::tuple<std::int64_t, int>> {
protected:
  std::int64_t n() const { return std::get<0>(GetParam()); }
  int width() const { return std::get<1>(GetParam()); }

  /// Calls test(device matrix, host CSR).
  template <class Test>
  void with_matrix(const Test& test) {
    with_matrix_of(uneven_matrix(n()), test);
  }
  template <class Test>
  void with_matrix_of(const ListedSource& source, const Test& test) {
    const CsrMatrix csr = build_csr(source);
    if (width() == -2) {
      test(to_device(csr, stream()), csr);
    } else {
      const std::optional<std::int32_t> wanted = width() < 0 ? std::nullopt : std::optional(width());
      test(to_device(build_hybrid(source, wanted), stream()), csr);
    }
  }
  const Stream& stream() {
    if (!stream_) stream_.emplace();
    return *stream_;
  }

  void expect_product(Vectors& vectors, const CsrMatrix& csr, const std::string& what) {
    std::vector<double> expected(vectors.size());
    spmv(csr, vectors.on_host(), {expected.data(), vectors.n, vectors.k, vectors.stride});
    const std::vector<double> bound = rounding_bound(csr, vectors.on_host());
    const std::vector<double> actual = vectors.result();
    for (std::int64_t at = 0; at < vectors.stride * vectors.k; ++at) {
      const std::size_t i = at;
      if (at % vectors.stride >= vectors.n) {
        ASSERT_TRUE(std::isnan(actual[i])) << "wrote between the columns, " << what;
      } else {
        const std::size_t in_bound = at / vectors.stride * vectors.n + at % vectors.stride;
        ASSERT_NEAR(actual[i], expected[i], bound[in_bound])
            << "row " << at % vectors.stride << ", column " << at / vectors.stride << ", " << what;
      }
    }
  }

private:
  std::optional<Stream> stream_;
};

TEST_P(SpmvGpu, EveryKernelMatchesTheHost) {
  with_matrix([&](const auto& a, const CsrMatrix& csr) {
    SpmvWorkspace workspace;
    for (const int k : {1, 2, 3, 4, 7}) {
      Vectors vectors(stream(), n(), k);
      for (const SpmvConfig& config : all_configs()) {
        vectors.poison();
        spmv(stream(), a, vectors.in(), vectors.out(), workspace, ProductUpdate::assign, config);
        expect_product(vectors, csr, text_of(config));
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST_P(SpmvGpu, ProductsRepeatToTheLastBit) {
  with_matrix([&](const auto& a, const CsrMatrix&) {
    SpmvWorkspace workspace;
    Vectors vectors(stream(), n(), 5);
    check(cudaMemsetAsync(vectors.y.data(), 0, vectors.y.size_bytes(), stream().get()));
    spmv(stream(), a, vectors.in(), vectors.out(), workspace);
    const std::vector<double> once = vectors.result();
    for (int turn = 0; turn < 10; ++turn) {
      spmv(stream(), a, vectors.in(), vectors.out(), workspace);
      ASSERT_EQ(vectors.result(), once);
    }
  });
}

TEST_P(SpmvGpu, NothingButItsOwnRowReachesARow) {
  // Loads are wider than rows: what a neighbour brings in, even NaN, must not show.
  if (n() < 3) GTEST_SKIP() << "needs a row with neighbours";
  ListedSource source = uneven_matrix(n());
  for (double& value : source.row(1).values) value = std::numeric_limits<double>::quiet_NaN();
  with_matrix_of(source, [&](const auto& a, const CsrMatrix&) {
    SpmvWorkspace workspace;
    Vectors vectors(stream(), n(), 2);
    for (const SpmvConfig& config : all_configs()) {
      spmv(stream(), a, vectors.in(), vectors.out(), workspace, ProductUpdate::assign, config);
      const std::vector<double> y = vectors.result();
      for (std::int64_t i = 0; i < n(); ++i) {
        const bool expected = i == 1 && !source.row(1).values.empty();
        ASSERT_EQ(std::isnan(y[i]), expected) << "row " << i << ", " << text_of(config);
      }
    }
  });
}

TEST_P(SpmvGpu, BytesAreThoseOfTheHostAndSpareElements) {
  const ListedSource source = uneven_matrix(n());
  const auto expect_bytes = [&](const auto& host) {
    const auto device = to_device(host, stream());
    const std::int64_t spare = array_bytes(device) - array_bytes(host);
    EXPECT_GE(spare, 0);
    EXPECT_LE(spare, static_cast<std::int64_t>(7 * 8 * spare_elements))
        << "behind each of seven arrays at most";
  };
  if (width() == -2)
    expect_bytes(build_csr(source));
  else
    expect_bytes(build_hybrid(source));
}

// Empty, one row, below a warp, around warps and blocks; CSR, all in the tail, mixed, pure ELL, automatic.
INSTANTIATE_TEST_SUITE_P(Shapes, SpmvGpu,
                         ::testing::Combine(::testing::Values(0, 1, 5, 31, 255, 256, 257, 1000),
                                            ::testing::Values(-2, 0, 3, 32, 100000, -1)));

class SpmvErrorsGpu : public test::DeviceTest {};

TEST_F(SpmvErrorsGpu, ShapesAndConfigurationsAreChecked) {
  const Stream stream;
  const DeviceCsrMatrix a = to_device(build_csr(uneven_matrix(10)), stream);
  SpmvWorkspace workspace;
  Vectors vectors(stream, 10, 2), other(stream, 11, 2);
  EXPECT_THROW(spmv(stream, a, other.in(), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in(), other.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in().slice(0, 1), vectors.out(), workspace), DimensionError);
  for (const SpmvConfig& config : {SpmvConfig{.elements_per_lane = 3}, SpmvConfig{.lanes_per_row = 64},
                                   SpmvConfig{.products_in_flight = 16}, SpmvConfig{.block_size = 100},
                                   SpmvConfig{.block_size = 2048}, SpmvConfig{.rows_per_group = -1}}) {
    EXPECT_THROW(spmv(stream, a, vectors.in(), vectors.out(), workspace, ProductUpdate::assign, config),
                 DimensionError)
        << text_of(config);
  }
}

TEST(SpmvConfigDefaults, LanesFollowTheRowLength) {
  EXPECT_EQ(resolve({}, 0.0).lanes_per_row, 4);
  EXPECT_EQ(resolve({}, 16.0).lanes_per_row, 4);
  EXPECT_EQ(resolve({}, 60.0).lanes_per_row, 16);
  EXPECT_EQ(resolve({}, 600.0).lanes_per_row, 32);
  EXPECT_EQ(resolve({.lanes_per_row = 8}, 600.0).lanes_per_row, 8);
}

}  // namespace test_spmv
}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
// What every row of the table of formats has to keep on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/ranged_rows.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/formats.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve::cuda {
namespace test_formats_gpu {

using test::FormatCase;
using test::ListedSource;
using test::random_vector;
using test::uneven_matrix;

constexpr double error_limit = 1e-14;

std::unique_ptr<DeviceMatrix> upload_as(const FormatCase& wanted, const RowSource& source,
                                        const Stream& stream) {
  return upload(*wanted.format().build(source, count_rows(source), wanted.options, {}), stream);
}

/// x of m x k and y of n x k on the device, y poisoned; columns of y lie n + 3 apart.
struct Vectors {
  Vectors(const Stream& stream_, std::int64_t n_, std::int64_t m_, int k_)
      : stream(stream_), n(n_), m(m_), k(k_), stride(n_ + 3), host_x(random_vector((m_ + 3) * k_, 7)),
        host_y(size()), x(host_x.size()), y(size()) {
    transfer.upload(stream, host_x.data(), x.data(), x.size_bytes());
    check(cudaMemsetAsync(y.data(), 0xff, y.size_bytes(), stream.get()));
  }
  Vectors(const Stream& stream_, std::int64_t n_, int k_) : Vectors(stream_, n_, n_, k_) {}
  std::size_t size() const { return static_cast<std::size_t>(stride * k); }
  ConstDeviceView in() const { return {x.data(), m, k, m + 3}; }
  DeviceView out() { return {y.data(), n, k, stride}; }
  ConstHostView on_host() const { return {host_x.data(), m, k, m + 3}; }
  ConstHostView result() {
    transfer.download(stream, y.data(), host_y.data(), y.size_bytes());
    return {host_y.data(), n, k, stride};
  }

  const Stream& stream;
  std::int64_t n, m;
  int k;
  std::int64_t stride;
  std::vector<double> host_x, host_y;
  DeviceArray<double> x, y;
  HostTransfer transfer;
};

class StoredFormatGpu : public test::DeviceTestWithParam<std::tuple<FormatCase, std::int64_t>> {
protected:
  const FormatCase& wanted() const { return std::get<0>(GetParam()); }
  std::int64_t n() const { return std::get<1>(GetParam()); }
  void SetUp() override {
    test::DeviceTest::SetUp();
    if (IsSkipped()) return;
    if (wanted().options.reference_columns.value_or(0) > n()) GTEST_SKIP() << "more columns than there are";
    stream_.emplace();
  }
  const Stream& stream() const { return *stream_; }

private:
  std::optional<Stream> stream_;
};

TEST_P(StoredFormatGpu, ProductsMatchLongDoubleSumsAndRepeat) {
  const ListedSource source = uneven_matrix(n());
  const CsrMatrix csr = build_csr(source);
  const auto a = upload_as(wanted(), source, stream());
  EXPECT_EQ(a->num_rows(), n());
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 3, 4, 7}) {
    Vectors vectors(stream(), n(), k);
    a->multiply(stream(), vectors.in(), vectors.out(), workspace);
    const ConstHostView y = vectors.result();
    EXPECT_LE(test::product_error(csr, vectors.on_host(), y), error_limit) << k << " vectors";
    for (std::int64_t i = 0; i < vectors.stride * k; ++i) {
      if (i % vectors.stride < n()) continue;
      ASSERT_TRUE(std::isnan(vectors.host_y[i])) << "wrote between the columns";
    }
    std::vector<double> once;
    for (int column = 0; column < k; ++column) {
      once.insert(once.end(), y.column(column), y.column(column) + n());
    }
    for (int turn = 0; turn < 5; ++turn) {
      a->multiply(stream(), vectors.in(), vectors.out(), workspace);
      const ConstHostView again = vectors.result();
      for (int column = 0; column < k; ++column) {
        ASSERT_TRUE(std::equal(again.column(column), again.column(column) + n(),
                               once.begin() + static_cast<std::ptrdiff_t>(column * n())));
      }
    }
  }
}

TEST_P(StoredFormatGpu, NothingButItsOwnRowReachesARow) {
  if (n() < 3) GTEST_SKIP() << "needs a row with neighbours";
  ListedSource source = uneven_matrix(n());
  for (double& value : source.row(1).values) value = std::numeric_limits<double>::quiet_NaN();
  const auto a = upload_as(wanted(), source, stream());
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 4}) {
    Vectors vectors(stream(), n(), k);
    a->multiply(stream(), vectors.in(), vectors.out(), workspace);
    const ConstHostView y = vectors.result();
    for (std::int64_t i = 0; i < n(); ++i) {
      const bool expected = i == 1 && !source.row(1).values.empty();
      ASSERT_EQ(std::isnan(y.data[i]), expected) << "row " << i;
    }
  }
}

TEST_P(StoredFormatGpu, TakesTheBytesOfTheHostAndLittleMore) {
  const ListedSource source = uneven_matrix(n());
  const auto host = wanted().format().build(source, count_rows(source), wanted().options, {});
  const auto on_device = upload(*host, stream());
  EXPECT_GE(on_device->bytes(), host->bytes());
  EXPECT_LE(on_device->bytes(), host->bytes() + 1024) << "spare elements and counters";
}

TEST_P(StoredFormatGpu, ShapesMustAgree) {
  const auto a = upload_as(wanted(), uneven_matrix(n()), stream());
  SpmvWorkspace workspace;
  Vectors vectors(stream(), n(), 2), other(stream(), n() + 1, 2);
  EXPECT_THROW(a->multiply(stream(), other.in(), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(a->multiply(stream(), vectors.in(), other.out(), workspace), DimensionError);
  EXPECT_THROW(a->multiply(stream(), vectors.in().slice(0, 1), vectors.out(), workspace), DimensionError);
}

// Empty, one row, below a warp, around warps, slices and blocks of threads, several of all.
INSTANTIATE_TEST_SUITE_P(Table, StoredFormatGpu,
                         ::testing::Combine(::testing::ValuesIn(test::format_cases()),
                                            ::testing::Values(0, 1, 5, 31, 33, 129, 257, 1000)));

/// Relative to all of y, which may be one sum whose terms nearly cancel.
constexpr double limit_of_few_rows = 1e-12;

class RectangularFormatGpu : public test::DeviceTestWithParam<FormatCase> {};

TEST_P(RectangularFormatGpu, ProductsMatchLongDoubleSumsAndAreAdded) {
  const Stream stream;
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{0, 7},
                             {1, 300},
                             {5, 1},
                             {33, 5},
                             {31, 257},
                             {257, 64},
                             {64, 1000},
                             {1000, 211}}) {
    SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
    const ListedSource source = uneven_matrix(n, m, 5);
    const CsrMatrix csr = build_csr(source);
    const auto a = upload_as(GetParam(), source, stream);
    EXPECT_EQ(a->num_rows(), n);
    EXPECT_EQ(a->num_columns(), m);
    SpmvWorkspace workspace;
    for (const int k : {1, 2, 3, 4, 8}) {
      Vectors vectors(stream, n, m, k);
      a->multiply(stream, vectors.in(), vectors.out(), workspace);
      EXPECT_LE(test::product_error(csr, vectors.on_host(), vectors.result()), limit_of_few_rows);
      const std::vector<double> once = vectors.host_y;
      a->multiply(stream, vectors.in(), vectors.out(), workspace, ProductUpdate::add);
      vectors.result();
      for (std::int64_t i = 0; i < vectors.stride * k; ++i) {
        if (i % vectors.stride < n)
          ASSERT_EQ(vectors.host_y[i], 2.0 * once[i]);  // exact in any order
        else
          ASSERT_TRUE(std::isnan(vectors.host_y[i])) << "wrote between the columns";
      }
      Vectors wide(stream, n, m + 1, k), tall(stream, n + 1, m, k);
      EXPECT_THROW(a->multiply(stream, wide.in(), vectors.out(), workspace), DimensionError);
      EXPECT_THROW(a->multiply(stream, vectors.in(), tall.out(), workspace), DimensionError);
    }
  }
}

TEST_P(RectangularFormatGpu, NearAndFarColumnsOfAllRanksHaveTheProductOfTheWhole) {
  constexpr std::int64_t n = 301;
  constexpr int k = 3;
  const Stream stream;
  const ListedSource source = uneven_matrix(n);
  const CsrMatrix csr = build_csr(source);
  SpmvWorkspace workspace;
  for (const std::int64_t ranks : {1, 2, 3, 4, 7}) {
    Vectors vectors(stream, n, k);
    const std::int64_t most = (n + ranks - 1) / ranks;
    for (std::int64_t first = 0; first < n; first += most) {
      const RowRange share{first, std::min(first + most, n)};
      const DeviceView own{vectors.y.data() + first, share.size(), k, vectors.stride};
      const RangedRows near(source, share, ColumnPart{share, true}),
          far(source, share, ColumnPart{share, false});
      upload_as(GetParam(), near, stream)->multiply(stream, vectors.in(), own, workspace);
      upload_as(GetParam(), far, stream)->multiply(stream, vectors.in(), own, workspace, ProductUpdate::add);
      stream.synchronize();  // the matrices go
    }
    constexpr double limit = 1e-13;
    EXPECT_LE(test::product_error(csr, vectors.on_host(), vectors.result()), limit) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Table, RectangularFormatGpu, ::testing::ValuesIn(test::format_cases()));

class LongRowGpu : public test::DeviceTestWithParam<FormatCase> {};

TEST_P(LongRowGpu, ARowOfMoreThanSixteenBits) {
  const ListedSource source = test::long_row_matrix();
  const auto lengths = count_rows(source);
  const std::int64_t bytes = GetParam().format().bytes_for(lengths, GetParam().options);
  if (bytes > std::int64_t{1} << 30) GTEST_SKIP() << "this format takes " << bytes << " bytes for such a row";
  const Stream stream;
  const CsrMatrix csr = build_csr(source);
  const auto a = upload_as(GetParam(), source, stream);
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 4}) {
    Vectors vectors(stream, source.num_rows(), k);
    a->multiply(stream, vectors.in(), vectors.out(), workspace);
    EXPECT_LE(test::product_error(csr, vectors.on_host(), vectors.result()), error_limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LongRowGpu, ::testing::ValuesIn(test::format_cases()));

}  // namespace test_formats_gpu
}  // namespace cisolve::cuda

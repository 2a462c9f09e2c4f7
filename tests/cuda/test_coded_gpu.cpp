// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/coded_matrix.hpp"
#include "cuda/sparse/formats.hpp"
#include "cuda/sparse/tiled_coded_matrix.hpp"
#include "sparse/coded_source.hpp"

namespace cisolve::cuda {
namespace test_coded_gpu {

using test::CodedCase;
using test::CodedSource;
using test::random_vector;

/// Every kernel there is, in blocks of all shapes.
std::vector<CodedSpmvConfig> all_configs() {
  std::vector<CodedSpmvConfig> configs = {{}};
  for (const auto place : {DictionaryPlace::shared, DictionaryPlace::global}) {
    for (const int warps : {1, 2, 4}) {
      for (const auto path : {GatherPath::load, GatherPath::texture}) {
        configs.push_back({512, 2, warps, place, path});  // 64 registers a thread
        configs.push_back({256, 5, warps, place, path});  // 40, where there is such a kernel
        configs.push_back({1024, 1, warps, place, path});
        configs.push_back({128, 1, warps, place, path});
      }
    }
  }
  return configs;
}

std::string text_of(const CodedSpmvConfig& config) {
  return "block " + std::to_string(config.block_size) + ", blocks " +
         std::to_string(config.blocks_per_multiprocessor) + ", warps per slice " +
         std::to_string(config.warps_per_slice) + ", dictionary " +
         std::to_string(static_cast<int>(config.dictionary)) + ", gather " +
         std::to_string(static_cast<int>(config.gather));
}

/// x and y of one product of an n x m matrix on the device; y lies in a larger block.
struct Vectors {
  Vectors(const Stream& stream_, std::int64_t n_, std::int64_t m_, int k_)
      : stream(stream_), n(n_), m(m_), k(k_), stride(n_ + 3), host_x(random_vector((m_ + 5) * k_, 7)),
        x(host_x.size()), y(size()) {
    transfer.upload(stream, host_x.data(), x.data(), x.size_bytes());
  }
  Vectors(const Stream& stream_, std::int64_t n_, int k_) : Vectors(stream_, n_, n_, k_) {}
  std::size_t size() const { return static_cast<std::size_t>(stride * k); }
  ConstHostView on_host() const { return {host_x.data(), m, k, m + 5}; }
  ConstDeviceView in() const { return {x.data(), m, k, m + 5}; }
  DeviceView out() { return {y.data(), n, k, stride}; }

  void poison() { check(cudaMemsetAsync(y.data(), 0xff, y.size_bytes(), stream.get())); }
  std::vector<double> result() {
    std::vector<double> host(size());
    transfer.download(stream, y.data(), host.data(), y.size_bytes());
    return host;
  }

  const Stream& stream;
  std::int64_t n, m;
  int k;
  std::int64_t stride;
  std::vector<double> host_x;
  DeviceArray<double> x, y;
  HostTransfer transfer;
};

class CodedMatrixGpu : public test::DeviceTestWithParam<CodedCase> {};

void expect_product(Vectors& vectors, const CsrMatrix& csr, const std::string& what) {
  const std::vector<double> expected = test::long_double_product(csr, vectors.on_host());
  const std::vector<double> bound = test::rounding_bound(csr, vectors.on_host());
  const std::vector<double> actual = vectors.result();
  for (std::int64_t at = 0; at < vectors.stride * vectors.k; ++at) {
    const std::size_t i = at;
    if (at % vectors.stride >= vectors.n) {
      ASSERT_TRUE(std::isnan(actual[i])) << "wrote between the columns, " << what;
    } else {
      const std::size_t packed = at / vectors.stride * vectors.n + at % vectors.stride;
      ASSERT_NEAR(actual[i], expected[packed], bound[packed])
          << "row " << at % vectors.stride << ", column " << at / vectors.stride << ", " << what;
    }
  }
}

TEST_P(CodedMatrixGpu, EveryKernelMatchesLongDouble) {
  const CodedSource source = GetParam().make();
  const CsrMatrix csr = build_csr(source);
  const Stream stream;
  const DeviceCodedMatrix a = to_device(build_coded(source, {}, GetParam().layout), stream);
  SpmvWorkspace workspace;
  for (const int k : {1, 2, 3, 4, 7}) {
    Vectors vectors(stream, a.num_rows, a.num_columns, k);
    for (const CodedSpmvConfig& config : all_configs()) {
      vectors.poison();
      if (config.dictionary == DictionaryPlace::shared &&
          (coded_shared_bytes(config, a.num_codes, 4) + 1024) * config.blocks_per_multiprocessor >
              a.limits.shared_per_multiprocessor) {
        continue;
      }
      spmv(stream, a, vectors.in(), vectors.out(), workspace, ProductUpdate::assign, config);
      expect_product(vectors, csr, text_of(config));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CodedMatrixGpu, ProductsRepeatToTheLastBit) {
  const Stream stream;
  const DeviceCodedMatrix a = to_device(build_coded(GetParam().make(), {}, GetParam().layout), stream);
  SpmvWorkspace workspace;
  Vectors vectors(stream, a.num_rows, a.num_columns, 7);
  check(cudaMemsetAsync(vectors.y.data(), 0, vectors.y.size_bytes(), stream.get()));
  spmv(stream, a, vectors.in(), vectors.out(), workspace);
  const std::vector<double> once = vectors.result();
  for (int turn = 0; turn < 10; ++turn) {
    spmv(stream, a, vectors.in(), vectors.out(), workspace);
    ASSERT_EQ(vectors.result(), once);
  }
}

/// Adds a product to zeros and to itself: exact in any order.
template <class Matrix>
void expect_added(const Stream& stream, const Matrix& a, int k) {
  SpmvWorkspace workspace;
  Vectors vectors(stream, a.num_rows, a.num_columns, k);
  check(cudaMemsetAsync(vectors.y.data(), 0, vectors.y.size_bytes(), stream.get()));
  spmv(stream, a, vectors.in(), vectors.out(), workspace);
  const std::vector<double> once = vectors.result();
  spmv(stream, a, vectors.in(), vectors.out(), workspace, ProductUpdate::add);
  const std::vector<double> twice = vectors.result();
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_EQ(twice[i], 2.0 * once[i]) << i;
}

TEST_P(CodedMatrixGpu, ProductsAreAddedToWhatThereIs) {
  const Stream stream;
  const DeviceCodedMatrix a = to_device(build_coded(GetParam().make(), {}, GetParam().layout), stream);
  for (const int k : {1, 2, 3, 4, 7}) expect_added(stream, a, k);
}

TEST_P(CodedMatrixGpu, BytesAreThoseOfTheHost) {
  const CodedMatrix host = build_coded(GetParam().make(), {}, GetParam().layout);
  const Stream stream;
  EXPECT_EQ(array_bytes(to_device(host, stream)), array_bytes(host));
}

/// The matrix by tiles of some columns; none if these have no room beside the dictionary.
std::optional<DeviceTiledMatrix> tiled(const CodedMatrix& host, std::int32_t width, const Stream& stream) {
  DeviceCodedMatrix a = to_device(host, stream);
  constexpr std::int64_t spare = 1024;
  if (8 * (std::int64_t{a.num_codes} + width) + spare > a.limits.shared_per_block) return std::nullopt;
  return by_tiles(std::move(a), make_column_tiles(host, width), stream);
}

TEST_P(CodedMatrixGpu, TilesOfAnyWidthMatchLongDouble) {
  const CodedSource source = GetParam().make();
  const CsrMatrix csr = build_csr(source);
  const CodedMatrix host = build_coded(source, {}, GetParam().layout);
  const Stream stream;
  SpmvWorkspace workspace;
  for (const std::int32_t width : {32, 100, 1000, 20'000}) {
    const auto a = tiled(host, width, stream);
    if (!a) continue;
    for (const int k : {1, 3}) {
      Vectors vectors(stream, a->num_rows, a->num_columns, k);
      vectors.poison();
      spmv(stream, *a, vectors.in(), vectors.out(), workspace);
      expect_product(vectors, csr, "tiles of " + std::to_string(width));
      if (HasFatalFailure()) return;
      const std::vector<double> once = vectors.result();
      spmv(stream, *a, vectors.in(), vectors.out(), workspace);
      const std::vector<double> again = vectors.result();
      ASSERT_EQ(std::memcmp(again.data(), once.data(), once.size() * sizeof(double)), 0);  // NaNs between
      expect_added(stream, *a, k);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CodedMatrixGpu, ::testing::ValuesIn(test::coded_cases()),
                         [](const auto& param) { return param.param.name; });

class CodedErrorsGpu : public test::DeviceTest {};

TEST_F(CodedErrorsGpu, ShapesAndConfigurationsAreChecked) {
  const Stream stream;
  const DeviceCodedMatrix a = to_device(build_coded(test::uneven_coded_source(10)), stream);
  SpmvWorkspace workspace;
  Vectors vectors(stream, 10, 2), other(stream, 11, 2);
  EXPECT_THROW(spmv(stream, a, other.in(), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in(), other.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, a, vectors.in().slice(0, 1), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(
      spmv(stream, a, vectors.in(), vectors.out(), workspace, ProductUpdate::assign, {.warps_per_slice = 3}),
      DimensionError);
}

TEST_F(CodedErrorsGpu, ShapesAreCheckedByTilesToo) {
  const Stream stream;
  const auto a = tiled(build_coded(test::uneven_coded_source(10)), 32, stream);
  ASSERT_TRUE(a);
  SpmvWorkspace workspace;
  Vectors vectors(stream, 10, 2), other(stream, 11, 2);
  EXPECT_THROW(spmv(stream, *a, other.in(), vectors.out(), workspace), DimensionError);
  EXPECT_THROW(spmv(stream, *a, vectors.in(), other.out(), workspace), DimensionError);
}

class ScatteredGpu : public test::DeviceTest {};

/// Rows of 100 neighbours, the same for 32 rows.
CodedSource neighbours(std::int64_t n) {
  constexpr std::int64_t length = 100;
  std::vector<CodedSource::Row> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t first = std::min(i / 32 * 32, n - length);
    for (std::int64_t k = 0; k < length; ++k) {
      rows[static_cast<std::size_t>(i)].row.columns.push_back(static_cast<ColumnIndex>(first + k));
      rows[static_cast<std::size_t>(i)].row.values.push_back(0.5 + static_cast<double>((i + k) % 7));
    }
  }
  return CodedSource(std::move(rows));
}

TEST_F(ScatteredGpu, LargeScatteredMatricesComeByTilesAndOthersDoNot) {
  const Stream stream;
  const auto comes_by_tiles = [&](const CodedSource& source, std::int64_t besides = 0) {
    const CodedMatrix host = build_coded(source);
    return worthwhile_tiles(host, to_device(host, stream), besides).has_value();
  };
  const CodedSource scattered = test::ci_like_source(200'000, 80, 300);
  EXPECT_TRUE(comes_by_tiles(scattered));
  EXPECT_FALSE(comes_by_tiles(scattered, std::int64_t{1} << 45)) << "there is no room";
  EXPECT_FALSE(comes_by_tiles(test::ci_like_source(2000, 200, 300))) << "it is small";
  EXPECT_FALSE(comes_by_tiles(neighbours(120'000))) << "its rows share their lines";
  EXPECT_FALSE(comes_by_tiles(test::ci_like_source(1'500'000, 8, 300))) << "a piece is a word";
}

TEST_F(ScatteredGpu, AMatrixThatIsUploadedByTilesIsMultiplied) {
  const Stream stream;
  const CodedSource source = test::ci_like_source(200'000, 80, 300);
  const CsrMatrix csr = build_csr(source);
  const StoredAs<CodedMatrix> host("coded", build_coded(source));
  const auto a = upload(host, stream);
  ASSERT_NE(dynamic_cast<const DeviceStoredAs<DeviceTiledMatrix>*>(a.get()), nullptr);
  SpmvWorkspace workspace;
  Vectors vectors(stream, csr.num_rows, 2);
  vectors.poison();
  a->multiply(stream, vectors.in(), vectors.out(), workspace);
  expect_product(vectors, csr, "uploaded");
}

// Shapes need no device. Limits of an H200: 132 multiprocessors, 227 KiB a block, 228 KiB in all.
constexpr CodedDeviceLimits limits{132, 227 << 10, 228 << 10};

CodedTraits traits_of(std::int64_t num_codes) { return {1000, 1000, num_codes, 3.0}; }

TEST(CodedConfig, FollowsTheDictionary) {
  EXPECT_EQ(resolve({}, traits_of(5000), 1, limits).warps_per_slice, 4);
  EXPECT_EQ(resolve({}, traits_of(28'400), 1, limits).warps_per_slice, 2);
  EXPECT_EQ(resolve({}, traits_of(20'000), 1, limits).block_size, 1024);
  EXPECT_EQ(resolve({}, traits_of(32'768), 1, limits).dictionary, DictionaryPlace::global);
  EXPECT_EQ(resolve({}, traits_of(5000), 4, limits).blocks_per_multiprocessor, 2);
  EXPECT_EQ(resolve({.dictionary = DictionaryPlace::global}, traits_of(5), 1, limits).dictionary,
            DictionaryPlace::global);
  // x of one vector comes by the path that its locality asks for, as long as a texture can show it.
  EXPECT_EQ(resolve({}, {1000, 1000, 5000, 3.0}, 1, limits).gather, GatherPath::load);
  EXPECT_EQ(resolve({}, {1000, 1000, 5000, 20.0}, 1, limits).gather, GatherPath::texture);
  EXPECT_EQ(resolve({}, {1000, std::int64_t{1} << 28, 5000, 20.0}, 1, limits).gather, GatherPath::load);
  EXPECT_EQ(resolve({}, {1000, 1000, 5000, 20.0}, 4, limits).gather, GatherPath::load);
  // Scattered x and many slices: one block with much of L1.
  EXPECT_EQ(resolve({}, {600'000, 600'000, 5000, 20.0}, 1, limits).block_size, 1024);
  EXPECT_EQ(resolve({}, {300'000, 300'000, 5000, 20.0}, 1, limits).block_size, 512);
  EXPECT_EQ(resolve({}, {600'000, 600'000, 5000, 20.0}, 4, limits).block_size, 512);
  // A device with little shared memory.
  EXPECT_EQ(resolve({}, traits_of(7000), 1, {30, 48 << 10, 64 << 10}).dictionary, DictionaryPlace::global);
}

TEST(TileWidth, LeavesRoomForTheDictionary) {
  EXPECT_EQ(tile_width(0, 10, limits.shared_per_block), 0);
  EXPECT_EQ(tile_width(1000, 10, limits.shared_per_block), 1024);
  EXPECT_EQ(tile_width(366'899, 11'307, limits.shared_per_block), 17'472);  // 21 tiles
  EXPECT_EQ(tile_width(366'899, 26'000, limits.shared_per_block), 0);
}

TEST(CodedConfig, WhatIsAskedForStaysOrIsRefused) {
  const CodedSpmvConfig config =
      resolve({.block_size = 256, .warps_per_slice = 1}, traits_of(1000), 2, limits);
  EXPECT_EQ(config.block_size, 256);
  EXPECT_EQ(config.warps_per_slice, 1);
  EXPECT_EQ(coded_shared_bytes(config, 1000, 2), 8000);
  for (const CodedSpmvConfig& bad :
       {CodedSpmvConfig{.block_size = 100}, CodedSpmvConfig{.block_size = 2048},
        CodedSpmvConfig{.block_size = 64, .warps_per_slice = 4},
        CodedSpmvConfig{.blocks_per_multiprocessor = -1}, CodedSpmvConfig{.warps_per_slice = 3}}) {
    EXPECT_THROW(resolve(bad, traits_of(10), 1, limits), DimensionError) << text_of(bad);
  }
  EXPECT_THROW(resolve({.dictionary = DictionaryPlace::shared}, traits_of(32'768), 1, limits),
               DimensionError);
}

}  // namespace test_coded_gpu
}  // namespace cisolve::cuda

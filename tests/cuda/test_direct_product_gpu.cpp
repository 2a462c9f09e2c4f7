// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct_product.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve::cuda {
namespace test_direct_product_gpu {

using test::full;
using test::random_vector;
using test::relative_distance;
using Shape = test::SpaceShape;

struct Problem {
  explicit Problem(const Shape& s)
      : integrals(s.integrals()), tables(integrals, 0.0), space(s.selection(integrals)),
        diagonal(string_diagonal(space, tables)) {}

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
  Array<double> diagonal;
};

constexpr int columns = 2;

/// Device products of the columns of x, in blocks that are further apart than they are long.
class OnDevice {
public:
  OnDevice(const cisolve::DirectProduct& host, const DirectConfig& config)
      : n_(host.size()), stride_(n_ + 3), product_(host, stream_, config), x_(stride_ * columns),
        y_(x_.size()) {}

  const DirectProduct& product() const { return product_; }
  const DirectWorkspace& workspace() const { return workspace_; }

  std::vector<double> multiply(const std::vector<double>& x) {
    put(x, x_);
    check(cudaMemsetAsync(y_.data(), 0xff, y_.size_bytes(), stream_.get()));
    product_.multiply({x_.data(), n_, columns, stride_}, {y_.data(), n_, columns, stride_}, workspace_);
    return get(y_);
  }
  std::vector<double> project(const std::vector<double>& x) {
    put(x, x_);
    product_.project({x_.data(), n_, columns, stride_}, workspace_);
    return get(x_);
  }

private:
  void put(const std::vector<double>& host, DeviceArray<double>& device) {
    for (int k = 0; k < columns; ++k) {
      const std::size_t n = n_;
      transfer_.upload(stream_, host.data() + n * static_cast<std::size_t>(k), device.data() + stride_ * k,
                       8 * n);
    }
    transfer_.finish();
  }
  std::vector<double> get(const DeviceArray<double>& device) {
    const std::size_t n = n_;
    std::vector<double> host(n * columns);
    for (int k = 0; k < columns; ++k)
      transfer_.download(stream_, device.data() + stride_ * k, host.data() + n * static_cast<std::size_t>(k),
                         8 * n);
    return host;
  }

  std::int64_t n_, stride_;
  Stream stream_;
  DirectProduct product_;
  DirectWorkspace workspace_;
  HostTransfer transfer_;
  DeviceArray<double> x_, y_;
};

void expect_product_of_host(const Problem& problem, SpinParity parity) {
  const std::int64_t n = problem.space.size();
  ASSERT_GT(n, 0);
  const cisolve::DirectProduct host(problem.space, problem.tables, problem.diagonal, parity);
  const auto x = random_vector(n * columns, 7);
  std::vector<double> expected(x.size()), projected = x;
  cisolve::DirectWorkspace workspace;
  host.multiply({x.data(), n, columns, n}, {expected.data(), n, columns, n}, workspace);
  host.project({projected.data(), n, columns, n}, workspace);
  const auto expect_product = [&](DirectConfig config, const std::string& what) {
    OnDevice device(host, config);
    const auto y = device.multiply(x);
    EXPECT_LE(relative_distance(y, expected), 1e-13) << what;
    EXPECT_EQ(device.multiply(x), y) << "products must repeat to the last bit: " << what;
    EXPECT_EQ(device.project(x), projected);
    const DirectBytes foreseen = PlannedDirectProduct(host, config).bytes();
    EXPECT_EQ(foreseen.tables, device.product().bytes()) << what;
    EXPECT_EQ(foreseen.workspace, device.workspace().bytes()) << what;
    config.most_pack_bytes = 0;
    EXPECT_EQ(OnDevice(host, config).multiply(x), y) << "packs kept and made anew: " << what;
  };
  for (const std::int64_t least_long : {-1, 0, 20}) {
    for (const int blocks : {0, 1, 2}) {
      DirectConfig config = DirectConfig::for_device();
      config.blocks_per_multiprocessor = blocks;
      config.least_long_columns = least_long;
      const std::string what =
          std::to_string(blocks) + " blocks, tiled from " + std::to_string(least_long) + " columns on";
      expect_product(config, what);
      config.device.shared_memory = std::min<std::int64_t>(config.device.shared_memory, 100 << 10);
      EXPECT_LE(relative_distance(OnDevice(host, config).multiply(x), expected), 1e-13)
          << "a smaller device, " << what;
    }
  }
  for (const SameSpin same_spin : {SameSpin::dense, SameSpin::projected}) {
    DirectConfig config = DirectConfig::for_device();
    config.same_spin = same_spin;
    expect_product(config, same_spin == SameSpin::dense ? "dense" : "projected");
  }
  // So little that rows of y stay in device memory, the shortest aside.
  DirectConfig least = DirectConfig::for_device();
  least.least_long_columns = 0;
  for (std::int64_t too_little = 0; least.device.shared_memory - too_little > 512;) {
    DirectConfig middle = least;
    middle.device.shared_memory = (least.device.shared_memory + too_little) / 2;
    try {
      PlannedDirectProduct(host, middle);
      least = middle;
    } catch (const ResourceError&) {
      too_little = middle.device.shared_memory;
    }
  }
  expect_product(least,
                 "tiled with " + std::to_string(least.device.shared_memory) + " bytes of shared memory");
}

class DirectProductsGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(DirectProductsGpu, EqualTheHost) { expect_product_of_host(Problem(GetParam()), SpinParity::none); }

INSTANTIATE_TEST_SUITE_P(Shapes, DirectProductsGpu, ::testing::ValuesIn(test::small_product_spaces()));

// Same-spin matrices of classes and of panels that are dense.
INSTANTIATE_TEST_SUITE_P(
    Dense, DirectProductsGpu,
    ::testing::Values(Shape{.orbitals = 10, .alpha = 5, .beta = 5},
                      Shape{.orbitals = 11, .alpha = 5, .beta = 4, .irrep = 0, .num_irreps = 2},
                      Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
                      Shape{.orbitals = 12, .alpha = 5, .beta = 4, .level = 3, .irrep = 1, .num_irreps = 2}));

// Runs with parts of classes of beta strings.
INSTANTIATE_TEST_SUITE_P(
    Bounded, DirectProductsGpu,
    ::testing::Values(
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3}, {2, 1}, {2, 1}),
        test::bounded({.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 4}, {2, 2}, {2, 2}),
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3, .level = 3, .num_irreps = 4}, {1, 1}, {3, 2}),
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 3, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2}),  // Ms = 1/2
        test::bounded({.orbitals = 8, .alpha = 2, .beta = 5, .level = 3, .irrep = 0, .num_irreps = 4}, {2, 1},
                      {2, 2}),  // Ms = -3/2
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4}, {2, 0},
                      {2, 2}),                                                  // no hole: a frozen core
        test::bounded({.orbitals = 8, .alpha = 3, .beta = 3}, {2, 0}, {4, 0}),  // CAS
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 4, .zeros = 0.3},
                      {5, 4}, {5, 3}),  // windows that overlap, zeros
        test::bounded({.orbitals = 9, .alpha = 1, .beta = 0, .num_irreps = 2}, {1, 1}, {3, 0})));

class LargeDirectProductsGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(LargeDirectProductsGpu, EqualTheHost) {
  expect_product_of_host(Problem(GetParam()), SpinParity::none);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, LargeDirectProductsGpu,
    ::testing::Values(
        Shape{.orbitals = 13, .alpha = 6, .beta = 2},  // a class of 1716 strings
        Shape{.orbitals = 13, .alpha = 2, .beta = 6, .irrep = 1, .num_irreps = 2},
        Shape{.orbitals = 14, .alpha = 5, .beta = 4, .level = 3, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 15, .alpha = 7, .beta = 1},  // rows too long for shared memory
        Shape{.orbitals = 12, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 4},
        Shape{.orbitals = 14, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 17, .alpha = 8, .beta = 1},  // rows too long for shared memory without t
        Shape{.orbitals = 46,
              .alpha = 10,
              .beta = 10,
              .level = 1},  // 360 singles of a string: few pairs at a time
        test::bounded({.orbitals = 13, .alpha = 6, .beta = 2}, {2, 2}, {3, 2}),
        test::bounded({.orbitals = 13, .alpha = 2, .beta = 6}, {2, 2},
                      {3, 2}),  // parts of hundreds of strings
        test::bounded({.orbitals = 14, .alpha = 5, .beta = 4, .level = 4, .irrep = 0, .num_irreps = 4},
                      {2, 1}, {6, 2})));

class SpinParitiesGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(SpinParitiesGpu, EqualTheHost) {
  const Problem problem(GetParam());
  for (const SpinParity parity : {SpinParity::even, SpinParity::odd}) expect_product_of_host(problem, parity);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SpinParitiesGpu,
    ::testing::Values(
        Shape{.orbitals = 6, .alpha = 3, .beta = 3},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 8, .zeros = 0.3},
        Shape{.orbitals = 8, .alpha = 3, .beta = 3, .level = 2, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 5, .num_irreps = 2},
        Shape{.orbitals = 9, .alpha = 1, .beta = 1, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 7, .alpha = 6, .beta = 6, .level = 3}, Shape{.orbitals = 9, .alpha = 4, .beta = 4},
        Shape{.orbitals = 10, .alpha = 5, .beta = 5},
        Shape{.orbitals = 11, .alpha = 5, .beta = 5, .irrep = 1, .num_irreps = 2},
        Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2}),
        test::bounded({.orbitals = 9, .alpha = 4, .beta = 4}, {2, 2}, {3, 2})));

class DirectProductErrorsGpu : public test::DeviceTest {};
TEST_F(DirectProductErrorsGpu, ShapesMustAgree) {
  const Problem problem({.orbitals = 6, .alpha = 3, .beta = 3, .level = 2});
  const cisolve::DirectProduct host(problem.space, problem.tables, problem.diagonal);
  const Stream stream;
  const DirectProduct product(host, stream);
  DirectWorkspace workspace;
  EXPECT_THROW(product.multiply({nullptr, host.size() - 1, 1, host.size()},
                                {nullptr, host.size(), 1, host.size()}, workspace),
               DimensionError);
  EXPECT_THROW(product.project({nullptr, host.size() - 1, 1, host.size()}, workspace), DimensionError);
}

}  // namespace test_direct_product_gpu
}  // namespace cisolve::cuda

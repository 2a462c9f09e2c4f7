// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/ranked_direct_product.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/direct_problem.hpp"
#include "cuda/ranks/nccl_exchange.hpp"
#include "cuda/ranks/peer_exchange.hpp"
#include "cuda/ranks/staged_exchange.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve::cuda {
namespace test_ranked_direct_product_gpu {

using test::random_vector;
using test::relative_distance;
using Problem = test::DirectProblem;
using Shape = test::SpaceShape;

using MakeExchange = std::function<std::unique_ptr<DeviceExchange>(const Communicator&)>;

std::unique_ptr<DeviceExchange> by_peers(const Communicator& ranks) {
  return std::make_unique<PeerExchange>(ranks);
}

/// Columns of vectors on a device, further apart than they are long, and their rows in host vectors of all rows.
class Columns {
public:
  Columns(const RowMap& map, int columns)
      : map_(map), n_(map.local_rows()), stride_(n_ + 3), columns_(columns), device_(stride_ * columns) {}

  DeviceView view() { return {device_.data(), n_, columns_, stride_}; }

  void put(const Stream& stream, const std::vector<double>& all) {
    std::vector<double> own(n_);
    for (int k = 0; k < columns_; ++k) {
      for (const RowMap::Slab& slab : map_.slabs())
        std::copy_n(all.begin() + k * map_.rows() + slab.first_row, slab.count,
                    own.begin() + slab.first_local);
      transfer_.upload(stream, own.data(), device_.data() + stride_ * k, 8 * own.size());
      transfer_.finish();
    }
  }
  void get(const Stream& stream, std::vector<double>& all) {
    std::vector<double> own(n_);
    for (int k = 0; k < columns_; ++k) {
      transfer_.download(stream, device_.data() + stride_ * k, own.data(), 8 * own.size());
      for (const RowMap::Slab& slab : map_.slabs())
        std::copy_n(own.begin() + slab.first_local, slab.count,
                    all.begin() + k * map_.rows() + slab.first_row);
    }
  }

private:
  const RowMap& map_;
  std::int64_t n_, stride_;
  int columns_;
  DeviceArray<double> device_;
  HostTransfer transfer_;
};

/// What ranks on the first devices make of x, ranks beyond the last device on the first again.
struct Found {
  std::vector<double> first, second, one_by_one, s_squared, projected;
  std::vector<double> shifts;
};

Found by_ranks(const Problem& problem, const DirectConfig& config, int num_ranks,
               const std::vector<double>& x, int columns, const MakeExchange& make = by_peers,
               int devices = 1) {
  Found found{x, x, x, x, x, std::vector<double>(num_ranks)};
  run_ranks(num_ranks, [&](const Communicator& ranks) {
    check(cudaSetDevice(ranks.rank() % devices));
    const StringShares shares{ranks.size(), ranks.rank()};
    const RowMap map = rows_of(problem.space, problem.host.tables().blocks, shares);
    std::vector<double> diagonal;
    for (std::int64_t k = 0; k < map.local_rows(); ++k) diagonal.push_back(problem.diagonal[map.global(k)]);
    const Stream stream;
    const auto exchange = make(ranks);
    PlannedDirectProduct planned(problem.host, config, shares);
    const DirectBytes foreseen = planned.bytes();
    RankedDirectProduct product(std::move(planned), diagonal, *exchange, stream);
    EXPECT_EQ(product.size(), problem.host.size());
    EXPECT_EQ(product.local_rows(), map.local_rows());
    found.shifts[ranks.rank()] = product.shift();
    DirectWorkspace workspace;
    Columns from(map, columns), to(map, columns);
    from.put(stream, x);
    const auto multiply = [&](std::vector<double>& y) {
      const DeviceView target = to.view();
      check(cudaMemsetAsync(target.data, 0xff, 8 * target.stride * columns, stream.get()));
      product.multiply(from.view(), target, workspace);
      to.get(stream, y);
    };
    multiply(found.first);
    multiply(found.second);
    product.set_overlap(false);
    multiply(found.one_by_one);
    product.project(from.view(), workspace);
    from.get(stream, found.projected);
    EXPECT_EQ(foreseen.tables, product.bytes());
    EXPECT_EQ(foreseen.workspace, workspace.bytes());
    EXPECT_EQ(foreseen.workspace, product.workspace_bytes());
    if (product.gathers_whole()) {
      from.put(stream, x);
      product.prepare_spin(problem.space);
      product.multiply_s_squared(from.view(), to.view(), workspace);
      to.get(stream, found.s_squared);
    }
    ranks.barrier();  // Nobody frees what another may still copy from.
  });
  return found;
}

/// The same by a product without ranks.
struct Expected {
  std::vector<double> product, projected, s_squared, s_squared_there;

  Expected(const Problem& problem, const DirectConfig& config, const std::vector<double>& x, int columns)
      : product(x), projected(x), s_squared(x), s_squared_there(x) {
    const RowMap map = RowMap::whole(problem.host.size());
    const Stream stream;
    DirectProduct whole(problem.host, stream, config);
    DirectWorkspace workspace;
    Columns from(map, columns), to(map, columns);
    from.put(stream, x);
    whole.multiply(from.view(), to.view(), workspace);
    to.get(stream, product);
    whole.prepare_spin(problem.space);
    whole.multiply_s_squared(from.view(), to.view(), workspace);
    to.get(stream, s_squared_there);
    const StringSpin on_host(problem.space);
    const auto n = static_cast<std::size_t>(map.rows());
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k)
      on_host.multiply(std::span(x).subspan(k * n, n), std::span(s_squared).subspan(k * n, n));
    whole.project(from.view(), workspace);
    from.get(stream, projected);
  }
};

std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
  std::ranges::transform(a, b, a.begin(), std::plus());
  return a;
}

/// Ways to cut a product.
std::vector<DirectConfig> configs() {
  std::vector<DirectConfig> result(5, DirectConfig::for_device());
  result[1].least_long_columns = 0;
  result[2].same_spin = SameSpin::dense;
  result[3].same_spin = SameSpin::projected;
  result[4].blocks_per_multiprocessor = 1;
  result[4].most_pack_bytes = 0;
  return result;
}

void expect_product_of_one(const Shape& shape, SpinParity parity) {
  const Problem problem(shape, parity);
  const std::int64_t n = problem.host.size();
  ASSERT_GT(n, 0);
  const std::vector<DirectConfig> all = configs();
  for (std::size_t number = 0; number < all.size(); ++number) {
    const int columns = number == 0 ? 3 : 1;
    const auto x = random_vector(n * columns, 7);
    const Expected expected(problem, all[number], x, columns);
    // S^2 x may vanish: x is added to it.
    EXPECT_LE(relative_distance(sum(expected.s_squared_there, x), sum(expected.s_squared, x)), 1e-13);
    for (const int ranks : {1, 2, 3, 4}) {
      const std::string what = "config " + std::to_string(number) + ", " + std::to_string(ranks) + " ranks";
      const Found found = by_ranks(problem, all[number], ranks, x, columns);
      EXPECT_LE(relative_distance(found.first, expected.product), 1e-13) << what;
      EXPECT_EQ(found.second, found.first) << "products must repeat to the last bit: " << what;
      EXPECT_EQ(found.one_by_one, found.first) << "with and without overlap: " << what;
      EXPECT_EQ(found.projected, expected.projected) << what;
      EXPECT_EQ(found.s_squared, expected.s_squared_there) << "of any number of ranks: " << what;
      for (const double shift : found.shifts) EXPECT_EQ(shift, problem.host.shift());
    }
  }
}

class RankedDirectProductsGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(RankedDirectProductsGpu, EqualThatOfOne) { expect_product_of_one(GetParam(), SpinParity::none); }

INSTANTIATE_TEST_SUITE_P(Small, RankedDirectProductsGpu, ::testing::ValuesIn(test::small_product_spaces()));
INSTANTIATE_TEST_SUITE_P(
    Shapes, RankedDirectProductsGpu,
    ::testing::Values(
        Shape{.orbitals = 10, .alpha = 5, .beta = 5},
        Shape{.orbitals = 11, .alpha = 5, .beta = 4, .irrep = 0, .num_irreps = 2},
        Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 12, .alpha = 5, .beta = 4, .level = 3, .irrep = 1, .num_irreps = 2},
        Shape{.orbitals = 13, .alpha = 6, .beta = 2}, Shape{.orbitals = 13, .alpha = 2, .beta = 6},
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 3, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2}),
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .irrep = 0, .num_irreps = 4, .zeros = 0.3},
                      {5, 4}, {5, 3})));

class RankedSpinParitiesGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(RankedSpinParitiesGpu, EqualThoseOfOne) {
  for (const SpinParity parity : {SpinParity::even, SpinParity::odd})
    expect_product_of_one(GetParam(), parity);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RankedSpinParitiesGpu,
    ::testing::Values(
        Shape{.orbitals = 6, .alpha = 3, .beta = 3},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 8, .zeros = 0.3},
        Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 9, .alpha = 1, .beta = 1, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 10, .alpha = 5, .beta = 5},
        Shape{.orbitals = 11, .alpha = 5, .beta = 5, .irrep = 1, .num_irreps = 2},
        Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
        test::bounded({.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4}, {2, 1},
                      {3, 2})));

/// Every row long and every class projected; x whole, or in strips as narrow as there are.
DirectConfig projected_with(std::int64_t most_strip_bytes) {
  DirectConfig config = DirectConfig::for_device();
  config.least_long_columns = 0;
  config.same_spin = SameSpin::projected;
  config.most_strip_bytes = most_strip_bytes;
  return config;
}

class RankedStripsGpu : public test::DeviceTestWithParam<Shape> {};
TEST_P(RankedStripsGpu, GiveTheProductOfOneAndTheSameBitsToAnyRanks) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even, SpinParity::odd}) {
    if (parity != SpinParity::none && !Problem(GetParam()).host.tables().exchange_symmetric) continue;
    const Problem problem(GetParam(), parity);
    const std::int64_t n = problem.host.size();
    const auto x = random_vector(n * 2, 7);
    const Expected expected(problem, projected_with(0), x, 2);
    // Of one tile of columns, and of two.
    for (const std::int64_t bytes :
         {std::int64_t{1}, 2 * 128 * 8 * problem.host.tables().alpha_major.panels[0].rows}) {
      const DirectConfig config = projected_with(bytes);
      ASSERT_GT(PlannedDirectProduct(problem.host, config, {2, 0}).strips(), 1);
      const Found one = by_ranks(problem, config, 1, x, 2);
      for (const int ranks : {1, 2, 3, 4}) {
        const Found found = by_ranks(problem, config, ranks, x, 2);
        EXPECT_LE(relative_distance(found.first, expected.product), 1e-13) << ranks;
        EXPECT_EQ(found.first, one.first) << ranks;
        EXPECT_EQ(found.second, found.first) << "products must repeat to the last bit: " << ranks;
        EXPECT_EQ(found.one_by_one, found.first) << "with and without overlap: " << ranks;
        EXPECT_EQ(found.projected, expected.projected) << ranks;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RankedStripsGpu,
    ::testing::Values(Shape{.orbitals = 11, .alpha = 5, .beta = 5},
                      Shape{.orbitals = 13, .alpha = 5, .beta = 5, .irrep = 0, .num_irreps = 2},
                      Shape{.orbitals = 13, .alpha = 5, .beta = 5, .irrep = 1, .num_irreps = 4},
                      Shape{.orbitals = 12, .alpha = 5, .beta = 4, .irrep = 1, .num_irreps = 2}));

/// Products of both parities and without, by exchanges of two kinds: not a bit differs.
void expect_same_product(const MakeExchange& one, const MakeExchange& other, int ranks, int devices) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::odd}) {
    const Problem problem({.orbitals = 10, .alpha = 5, .beta = 5, .irrep = 0, .num_irreps = 4}, parity);
    const auto x = random_vector(problem.host.size() * 2, 7);
    const Found found = by_ranks(problem, DirectConfig::for_device(), ranks, x, 2, one, devices);
    const Found expected = by_ranks(problem, DirectConfig::for_device(), ranks, x, 2, other, devices);
    EXPECT_EQ(found.first, expected.first);
    EXPECT_EQ(found.second, expected.first);
    EXPECT_EQ(found.one_by_one, expected.first);
    EXPECT_EQ(found.projected, expected.projected);
  }
}

class RankedExchangesGpu : public test::DeviceTest {};
TEST_F(RankedExchangesGpu, ThroughTheHostGiveTheSameProduct) {
  const MakeExchange staged = [](const Communicator& ranks) {
    return std::make_unique<StagedExchange>(ranks);
  };
  expect_same_product(staged, by_peers, 3, 1);
}

TEST_F(RankedExchangesGpu, BetweenDevicesGiveTheSameProduct) {
  const auto devices = static_cast<int>(visible_devices().size());
  if (devices < 2) GTEST_SKIP() << "there is one CUDA device only";
  expect_same_product(by_peers, by_peers, devices, devices);
  if (!has_nccl()) GTEST_SKIP() << "this build has no NCCL";
  expect_same_product(make_nccl_exchange, by_peers, devices, devices);
}

/// Measuring changes nothing: a product with its stages, after exchanges by themselves, is the same to the last bit.
void expect_same_product_when_measured(SpinParity parity, const DirectConfig& config) {
  using Exchanged = RankedDirectProduct::Exchanged;
  const Problem problem({.orbitals = 11, .alpha = 5, .beta = 5, .irrep = 0, .num_irreps = 2}, parity);
  const std::int64_t n = problem.host.size();
  const auto x = random_vector(n, 7);
  run_ranks(3, [&](const Communicator& ranks) {
    const StringShares shares{ranks.size(), ranks.rank()};
    const RowMap map = rows_of(problem.space, problem.host.tables().blocks, shares);
    const std::vector<double> diagonal(map.local_rows(), 0.5);
    const Stream stream;
    PeerExchange exchange(ranks);
    RankedDirectProduct product(PlannedDirectProduct(problem.host, config, shares), diagonal, exchange,
                                stream);
    DirectWorkspace workspace;
    Columns from(map, 1), to(map, 1);
    from.put(stream, x);
    std::vector<double> expected(n), found(n);
    product.multiply(from.view(), to.view(), workspace);
    to.get(stream, expected);

    EXPECT_GE(product.received_bytes(Exchanged::rows), 8 * (n - map.local_rows()));
    EXPECT_EQ(product.received_bytes(Exchanged::columns) > 0, product.exchanges(Exchanged::columns) > 0);
    product.exchange_alone(Exchanged::rows, workspace);
    product.exchange_alone(Exchanged::columns, workspace);
    RankedStages stages;
    product.set_stages(&stages);
    product.multiply(from.view(), to.view(), workspace);
    to.get(stream, found);
    EXPECT_EQ(found, expected);
    const auto milliseconds = stages.milliseconds();
    const auto of = [&](RankedStage stage) { return milliseconds[static_cast<std::size_t>(stage)]; };
    EXPECT_GT(of(RankedStage::own_rows), 0.0);
    EXPECT_GT(of(RankedStage::y_collected), 0.0);
    EXPECT_EQ(of(RankedStage::x_mirrored) > 0.0, parity != SpinParity::none);
    ranks.barrier();  // Nobody frees what another may still copy from.
  });
}

TEST_F(RankedExchangesGpu, CanBeMeasured) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even}) {
    expect_same_product_when_measured(parity, DirectConfig::for_device());
    expect_same_product_when_measured(parity, projected_with(1));
  }
}

/// Sums of a single panel have the order that they have in strips.
TEST_F(RankedExchangesGpu, OfAStripThatHoldsAllOfXGiveTheSameProduct) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even}) {
    const Problem problem({.orbitals = 11, .alpha = 5, .beta = 5}, parity);
    const auto x = random_vector(problem.host.size(), 7);
    const Found in_strips = by_ranks(problem, projected_with(std::int64_t{1} << 30), 3, x, 1);
    EXPECT_EQ(in_strips.first, by_ranks(problem, projected_with(0), 3, x, 1).first);
  }
}

class RankedDirectProductErrorsGpu : public test::DeviceTest {};
TEST_F(RankedDirectProductErrorsGpu, AreSaid) {
  const Problem problem({.orbitals = 6, .alpha = 3, .beta = 3, .level = 2}, SpinParity::none);
  const DirectConfig config = DirectConfig::for_device();
  const Stream stream;
  const SoloCommunicator solo;
  PeerExchange exchange(solo);
  const StringShares shares;
  EXPECT_THROW(DirectProduct(PlannedDirectProduct(problem.host, config, shares), stream), DimensionError);
  EXPECT_THROW(RankedDirectProduct(PlannedDirectProduct(problem.host, config), problem.host.diagonal(),
                                   exchange, stream),
               DimensionError);
  EXPECT_THROW(RankedDirectProduct(PlannedDirectProduct(problem.host, config, shares),
                                   problem.host.diagonal().subspan(1), exchange, stream),
               DimensionError);
  const RankedDirectProduct product(PlannedDirectProduct(problem.host, config, shares),
                                    problem.host.diagonal(), exchange, stream);
  const std::int64_t n = product.local_rows();
  DirectWorkspace workspace;
  EXPECT_THROW(product.multiply({nullptr, n - 1, 1, n}, {nullptr, n, 1, n}, workspace), DimensionError);
  EXPECT_THROW(product.project({nullptr, n - 1, 1, n}, workspace), DimensionError);
}

}  // namespace test_ranked_direct_product_gpu
}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/ranked_matrix.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/ranks/nccl_exchange.hpp"
#include "cuda/ranks/peer_exchange.hpp"
#include "cuda/ranks/staged_exchange.hpp"
#include "sparse/coded_source.hpp"
#include "sparse/format_cases.hpp"

namespace cisolve::cuda {
namespace test_ranked_matrix_gpu {

using test::random_vector;

using MakeExchange = std::function<std::unique_ptr<DeviceExchange>(const Communicator&)>;

std::unique_ptr<DeviceExchange> by_peers(const Communicator& ranks) {
  return std::make_unique<PeerExchange>(ranks);
}

constexpr std::int64_t n = 1'111;
constexpr double limit = 1e-14;

/// Products by ranks on the first devices, ranks beyond the last device on the first again: overlapped twice, and not.
std::vector<std::vector<double>> by_ranks(const RowsToStore& matrix,
                                          const std::vector<std::int64_t>& first_rows,
                                          const std::vector<double>& x, int columns, const MakeExchange& make,
                                          int devices = 1) {
  std::vector<std::vector<double>> found(3, std::vector<double>(x.size()));
  run_ranks(static_cast<int>(first_rows.size()) - 1, [&](const Communicator& ranks) {
    check(cudaSetDevice(ranks.rank() % devices));
    const RowShares shares{first_rows, ranks.rank()};
    const std::int64_t first = shares.own().first, rows = shares.own().size(), stride = rows + 3;
    const Stream stream;
    const auto exchange = make(ranks);
    RowsOfRank own(matrix, shares);
    RankedMatrix product(own, shares, 0, *exchange, stream);
    EXPECT_EQ(product.local_rows(), rows);
    EXPECT_EQ(product.received_bytes(), 8 * (n - rows));
    RankedMatrixWorkspace workspace;
    HostTransfer transfer;
    DeviceArray<double> from(stride * columns), to(stride * columns);
    for (int k = 0; k < columns; ++k)
      transfer.upload(stream, x.data() + k * n + first, from.data() + k * stride, 8 * rows);
    transfer.finish();
    for (std::size_t which = 0; which < found.size(); ++which) {
      product.set_overlap(which < 2);
      check(cudaMemsetAsync(to.data(), 0xff, to.size_bytes(), stream.get()));
      product.multiply({from.data(), rows, columns, stride}, {to.data(), rows, columns, stride}, workspace);
      for (int k = 0; k < columns; ++k)
        transfer.download(stream, to.data() + k * stride, found[which].data() + k * n + first, 8 * rows);
    }
    product.exchange_alone({from.data(), rows, columns, stride}, workspace);
    stream.synchronize();
    ranks.barrier();  // Nobody frees what another may still copy from.
  });
  return found;
}

void expect_products(const test::FormatCase& one, int ranks, int columns, const MakeExchange& make = by_peers,
                     int devices = 1) {
  SCOPED_TRACE(one.name + " on " + std::to_string(ranks) + ", columns " + std::to_string(columns));
  const test::CodedSource source = test::uneven_coded_source(n, 2);
  const std::vector<std::int64_t> lengths = count_rows(source);
  const CsrMatrix csr = build_csr(source);
  const std::vector<double> x = random_vector(n * columns, 7);
  const auto found = by_ranks({source, lengths, one.format(), one.options}, cut_rows(lengths, ranks), x,
                              columns, make, devices);
  EXPECT_LE(test::product_error(csr, {x.data(), n, columns, n}, {found[0].data(), n, columns, n}), limit);
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

class RankedMatrixGpu : public test::DeviceTestWithParam<test::FormatCase> {};

TEST_P(RankedMatrixGpu, MakesTheProductOfTheWhole) {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const int columns : {1, 3, 6}) expect_products(GetParam(), ranks, columns);
  }
}

std::vector<test::FormatCase> device_cases() {
  std::vector<test::FormatCase> cases = test::format_cases();
  std::erase_if(cases, [](const auto& one) { return one.name.starts_with("hybrid-paper"); });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Table, RankedMatrixGpu, ::testing::ValuesIn(device_cases()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

class RankedMatricesGpu : public test::DeviceTest {};

TEST_F(RankedMatricesGpu, MayHaveRanksWithoutRows) {
  const test::CodedSource source = test::uneven_coded_source(n, 2);
  const FormatOptions options;
  const std::vector<double> x = random_vector(n, 7);
  const CsrMatrix csr = build_csr(source);
  for (const char* format : {"csr", "coded"}) {
    const auto found =
        by_ranks({source, {}, *find_storage_format(format), options}, {0, 0, 500, 500, n}, x, 1, by_peers);
    EXPECT_LE(test::product_error(csr, {x.data(), n, 1, n}, {found[0].data(), n, 1, n}), limit);
  }
}

TEST_F(RankedMatricesGpu, GoThroughTheHostToo) {
  const auto by_host = [](const Communicator& ranks) { return std::make_unique<StagedExchange>(ranks); };
  for (const char* format : {"coded", "hybrid"}) expect_products({format}, 3, 2, by_host);
}

TEST_F(RankedMatricesGpu, GoByNcclWhereThereAreSeveralDevices) {
  const int devices = static_cast<int>(visible_devices().size());
  if (!has_nccl() || devices < 2) GTEST_SKIP() << "there is one CUDA device only, or no NCCL";
  for (int ranks = 2; ranks <= std::min(devices, 4); ++ranks) {
    for (const char* format : {"coded", "csr"})
      for (const int columns : {1, 6}) expect_products({format}, ranks, columns, make_nccl_exchange, devices);
  }
}

}  // namespace test_ranked_matrix_gpu
}  // namespace cisolve::cuda

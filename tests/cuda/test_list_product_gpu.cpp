// SPDX-License-Identifier: MIT
// Products over lists on the device, against those of the host.
#include "cuda/selection/list_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/formats.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "selection/list_matrix.hpp"

namespace cisolve::cuda {
namespace test_list_product_gpu {

class ListProductGpu : public test::DeviceTest {};

template <int Words>
void expect_products_of_host(const typename RandomSelection<Words>::Shape& shape, double memory_share) {
  const RandomSelection<Words> s(shape);
  const auto host = list_hamiltonian(s);
  const std::int64_t nonzeros = host->num_nonzeros();
  const Stream stream;
  const std::int64_t bytes_unstored = list_product(*host, stream, 0.0)->bytes();
  host->note(-1, 0);
  const auto device = list_product(*host, stream, memory_share);
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->bytes() > bytes_unstored, memory_share > 0.0) << "whether rows are stored";
  EXPECT_EQ(host->num_nonzeros(), nonzeros) << "as the device counts them";
  EXPECT_GT(host->bytes(), 0);
  EXPECT_EQ(host->bytes(), device->bytes());
  const std::int64_t n = std::ssize(s.listed), stride = n + 3;
  HostTransfer transfer;
  SpmvWorkspace workspace;
  cisolve::SpmvWorkspace host_workspace;
  for (const int columns : {1, 2, 3, 4, 7}) {
    const auto size = static_cast<std::size_t>(stride * columns);
    std::vector<double> x(size), expected(size), found(size), again(size);
    for (std::size_t i = 0; i < size; ++i)
      x[i] = s.vectors[i % s.vectors.size()] + 0.1 * static_cast<double>(i % 7);
    host->multiply({x.data(), n, columns, stride}, {expected.data(), n, columns, stride}, host_workspace);
    DeviceArray<double> there(size), product(size);
    transfer.upload(stream, x.data(), there.data(), there.size_bytes());
    for (std::vector<double>* y : {&found, &again}) {
      device->multiply(stream, {there.data(), n, columns, stride}, {product.data(), n, columns, stride},
                       workspace);
      transfer.download(stream, product.data(), y->data(), product.size_bytes());
    }
    for (int k = 0; k < columns; ++k) {
      for (std::int64_t i = 0; i < n; ++i) {
        const std::size_t at = static_cast<std::size_t>(k * stride + i);
        ASSERT_NEAR(found[at], expected[at], 1e-11 * (1.0 + std::abs(expected[at])))
            << columns << " columns, row " << i;
        ASSERT_EQ(again[at], found[at]) << "products must repeat to the last bit";
      }
    }
  }
}

/// Of rows that are stored, and of those made in each product.
template <int Words>
void expect_products_of_host(const typename RandomSelection<Words>::Shape& shape) {
  for (const double memory_share : {0.5, 0.0}) expect_products_of_host<Words>(shape, memory_share);
}

TEST_F(ListProductGpu, AreThoseOfTheHost) {
  expect_products_of_host<1>({});
  expect_products_of_host<1>({.orbitals = 7, .alpha = 3, .beta = 3, .irreps = 1, .zeros = 0.5});
  expect_products_of_host<1>({.orbitals = 6, .alpha = 3, .beta = 3, .irreps = 2, .unrestricted = true});
  expect_products_of_host<1>({.orbitals = 12, .alpha = 4, .beta = 5, .irreps = 8, .share = 0.3, .roots = 1});
  expect_products_of_host<2>({.orbitals = 6, .alpha = 3, .beta = 2});
  expect_products_of_host<4>({.orbitals = 6, .alpha = 2, .beta = 2, .irreps = 2, .roots = 3});
}

TEST_F(ListProductGpu, HaveFewElectronsOrHoles) {
  for (const auto& [alpha, beta] : {std::array{1, 0}, {2, 0}, {0, 2}, {1, 1}, {5, 1}, {4, 5}, {5, 5}})
    expect_products_of_host<1>({.orbitals = 5, .alpha = alpha, .beta = beta, .irreps = 1, .share = 0.6});
}

TEST_F(ListProductGpu, OfOrbitalsBeyondTheFirstWord) {
  expect_products_of_host<2>(
      {.orbitals = 66, .alpha = 1, .beta = 1, .irreps = 8, .zeros = 0.9, .share = 0.5});
}

TEST_F(ListProductGpu, AreOfListsAlone) {
  CsrMatrix csr;
  csr.num_rows = csr.num_columns = 0;
  csr.offsets = Array<std::int64_t>(1);
  csr.offsets[0] = 0;
  const Stream stream;
  EXPECT_EQ(list_product(StoredAs<CsrMatrix>("csr", std::move(csr)), stream), nullptr);
}

}  // namespace test_list_product_gpu
}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sparse/device_matrix.hpp"
#include "cuda/sparse/paper_hybrid_matrix.hpp"
#include "sparse/listed_source.hpp"

namespace cisolve::cuda {
namespace test_paper_kernel_gpu {

using test::random_vector;
using test::uneven_matrix;

class PaperKernelGpu : public test::DeviceTest {};

TEST_F(PaperKernelGpu, EveryBlockSizeGivesTheProduct) {
  const Stream stream;
  for (const std::int64_t n : {1, 2, 33, 500}) {
    const auto source = uneven_matrix(n);
    const auto lengths = count_rows(source);
    for (const std::int32_t boundary : {0, 5, 40}) {
      const PaperHybridMatrix host = build_paper_hybrid(source, lengths, boundary);
      const DevicePaperHybridMatrix a = to_device(host, stream);
      const std::vector<double> x = random_vector(n, 3);
      std::vector<double> expected(x.size()), found(x.size());
      spmv(host, {x.data(), n, 1, n}, {expected.data(), n, 1, n});
      DeviceArray<double> in(x.size()), out(x.size());
      HostTransfer transfer;
      transfer.upload(stream, x.data(), in.data(), in.size_bytes());
      for (const int block_size : {16, 32, 64}) {
        check(cudaMemsetAsync(out.data(), 0xff, out.size_bytes(), stream.get()));
        spmv_in_blocks(stream, a, {in.data(), n, 1, n}, {out.data(), n, 1, n}, block_size);
        transfer.download(stream, out.data(), found.data(), out.size_bytes());
        for (std::size_t row = 0; row < x.size(); ++row) {
          ASSERT_NEAR(found[row], expected[row], 1e-12 * (1.0 + std::abs(expected[row])))
              << "n " << n << ", boundary " << boundary << ", block " << block_size << ", row " << row;
        }
      }
    }
  }
}

TEST_F(PaperKernelGpu, OtherBlockSizesAreRefused) {
  const Stream stream;
  const auto source = uneven_matrix(10);
  const DevicePaperHybridMatrix a = to_device(build_paper_hybrid(source, count_rows(source), 3), stream);
  stream.synchronize();
  DeviceArray<double> x(10), y(10);
  EXPECT_THROW(spmv_in_blocks(stream, a, {x.data(), 10, 1, 10}, {y.data(), 10, 1, 10}, 48), DimensionError);
}

}  // namespace test_paper_kernel_gpu
}  // namespace cisolve::cuda

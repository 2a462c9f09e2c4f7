// SPDX-License-Identifier: MIT
#include "cuda/sparse/spmv_config.hpp"

#include "cuda/core/launch.cuh"

namespace cisolve::cuda {
namespace {

constexpr int pack_block_size = 256;

/// One thread per packed row: without an order, reads are coalesced column by column; writes are wide.
template <int width>
__global__ void __launch_bounds__(pack_block_size)
    pack_kernel(ConstDeviceView x, const std::int32_t* __restrict__ order, double* __restrict__ packed) {
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * pack_block_size + threadIdx.x;
  if (place >= x.rows) return;
  const std::int64_t row = order == nullptr ? place : order[place];
  double values[width];
#pragma unroll
  for (int k = 0; k < width; ++k) values[k] = k < x.columns ? x.data[k * x.stride + row] : 0.0;
  if constexpr (width == 1) {
    packed[place] = values[0];
  } else {
    auto* pairs = reinterpret_cast<double2*>(packed) + place * (width / 2);
#pragma unroll
    for (int pair = 0; pair < width / 2; ++pair) {
      pairs[pair] = make_double2(values[2 * pair], values[2 * pair + 1]);
    }
  }
}

}  // namespace

SpmvConfig resolve(SpmvConfig config, double mean_row_length) {
  if (config.elements_per_lane == 0) config.elements_per_lane = 2;
  if (config.lanes_per_row == 0) {
    // Short rows would leave most lanes of a warp idle: at least two loads for each.
    config.lanes_per_row = 4;
    while (config.lanes_per_row < 32 &&
           config.lanes_per_row * config.elements_per_lane * 2 < mean_row_length) {
      config.lanes_per_row *= 2;
    }
  }
  if (config.products_in_flight == 0) config.products_in_flight = 8;
  if (config.block_size == 0) config.block_size = 512;
  if (config.rows_per_group == 0) config.rows_per_group = 4;

  const auto one_of = [](int value, int smallest, int largest) {
    return value >= smallest && value <= largest && (value & (value - 1)) == 0;
  };
  if (!one_of(config.elements_per_lane, 1, 4) || !one_of(config.lanes_per_row, 4, 32) ||
      !one_of(config.products_in_flight, 4, 8) || config.block_size < 32 ||
      config.block_size > largest_block || config.block_size % 32 != 0 || config.rows_per_group < 1 ||
      config.rows_per_group > 1024) {
    throw DimensionError("cuda::spmv: no kernel of that shape");
  }
  return config;
}

void pack(const Stream& stream, ConstDeviceView x, int width, double* packed, const std::int32_t* order) {
  const auto blocks = static_cast<unsigned>((x.rows + pack_block_size - 1) / pack_block_size);
  if (width != 1 && width != 2 && width != 4) throw DimensionError("cuda::pack: width must be 1, 2 or 4");
  const auto kernel = width == 1 ? pack_kernel<1> : width == 2 ? pack_kernel<2> : pack_kernel<4>;
  Launch{stream, blocks, pack_block_size}(kernel, x, order, packed);
}

}  // namespace cisolve::cuda

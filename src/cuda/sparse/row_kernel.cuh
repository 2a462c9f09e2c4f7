// SPDX-License-Identifier: MIT
#pragma once

// The product kernel that the row-wise formats share: a few lanes per row, sums by shuffles. What it
// must do is stream the matrix once at the full rate of the memory while gathering x. So the matrix
// is loaded with L1::no_allocate, which leaves L1 to x; every lane issues several loads before it uses
// the first; and neighbouring rows, whose columns lie close, run on the same multiprocessor together.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/core/launch.cuh"
#include "cuda/sparse/column_groups.hpp"

namespace cisolve::cuda {

/// N consecutive nonzeros, loaded past L1; the addresses are multiples of N elements.
template <int N>
struct Nonzeros {
  std::int32_t columns[N];
  double values[N];
};

__device__ inline void stream_load(const double* from, double& first, double& second) {
  asm("ld.global.nc.L1::no_allocate.v2.f64 {%0, %1}, [%2];" : "=d"(first), "=d"(second) : "l"(from));
}

__device__ inline Nonzeros<1> stream_load(const std::int32_t* columns, const double* values,
                                          std::integral_constant<int, 1>) {
  Nonzeros<1> loaded;
  asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(loaded.columns[0]) : "l"(columns));
  asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(loaded.values[0]) : "l"(values));
  return loaded;
}

__device__ inline Nonzeros<2> stream_load(const std::int32_t* columns, const double* values,
                                          std::integral_constant<int, 2>) {
  Nonzeros<2> loaded;
  asm("ld.global.nc.L1::no_allocate.v2.s32 {%0, %1}, [%2];"
      : "=r"(loaded.columns[0]), "=r"(loaded.columns[1])
      : "l"(columns));
  stream_load(values, loaded.values[0], loaded.values[1]);
  return loaded;
}

__device__ inline Nonzeros<4> stream_load(const std::int32_t* columns, const double* values,
                                          std::integral_constant<int, 4>) {
  Nonzeros<4> loaded;
  asm("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
      : "=r"(loaded.columns[0]), "=r"(loaded.columns[1]), "=r"(loaded.columns[2]), "=r"(loaded.columns[3])
      : "l"(columns));
  stream_load(values, loaded.values[0], loaded.values[1]);
  stream_load(values + 2, loaded.values[2], loaded.values[3]);
  return loaded;
}

/// Row `row` of `width` packed vectors, by the read-only path.
template <int width>
__device__ void gather(const double* x, std::int32_t row, double (&elements)[width]) {
  const double* from = x + static_cast<std::int64_t>(row) * width;
  if constexpr (width == 1) {
    elements[0] = __ldg(from);
  } else {
#pragma unroll
    for (int k = 0; k < width; k += 2) {
      const double2 pair = __ldg(reinterpret_cast<const double2*>(from + k));
      elements[k] = pair.x;
      elements[k + 1] = pair.y;
    }
  }
}

/// Consecutive nonzeros of one row. Loads start at the aligned element at or before the first; what they
/// find before it (`head` elements) or after the last belongs to other rows and is left out.
template <class Scalar>
struct BasicDevicePart {
  const std::int32_t* columns;  ///< aligned
  const Scalar* values;
  int head;    ///< elements to leave out
  int length;  ///< nonzeros of this part
};
using DevicePart = BasicDevicePart<double>;

template <int elements, class Scalar>
__device__ BasicDevicePart<Scalar> unaligned_part(const std::int32_t* columns, const Scalar* values,
                                                  std::int64_t first, int length) {
  const int head = static_cast<int>(first & (elements - 1));
  return {columns + (first - head), values + (first - head), head, length};
}

/// Adds what one lane has of the product of a part with `width` packed vectors, `in_flight` nonzeros at
/// a time.
template <int elements, int lanes, int width, int in_flight>
__device__ void add_part(const DevicePart& part, int lane, const double* __restrict__ x,
                         double (&sums)[width]) {
  constexpr int unroll = in_flight / elements;
  constexpr int step = lanes * elements;

  // Two pointers that move on: the loads of a turn differ by constants, which costs no registers.
  const std::int32_t* columns = part.columns + lane * elements;
  const double* values = part.values + lane * elements;
  for (int start = lane * elements - part.head; start < part.length; start += unroll * step) {
    Nonzeros<elements> loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (start + u * step < part.length) {
        loaded[u] =
            stream_load(columns + u * step, values + u * step, std::integral_constant<int, elements>{});
      }
    }
    columns += unroll * step;
    values += unroll * step;
    double xs[unroll][elements][width];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int e = 0; e < elements; ++e) {
        // One comparison for both ends: what lies before the part wraps around to a large number.
        const auto at = static_cast<unsigned>(start + u * step + e);
        if (at < static_cast<unsigned>(part.length)) {
          gather<width>(x, loaded[u].columns[e], xs[u][e]);
        } else {
          loaded[u].values[e] = 0.0;
#pragma unroll
          for (int k = 0; k < width; ++k) xs[u][e][k] = 0.0;
        }
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int e = 0; e < elements; ++e) {
#pragma unroll
        for (int k = 0; k < width; ++k) sums[k] = fma(loaded[u].values[e], xs[u][e][k], sums[k]);
      }
    }
  }
}

/// y = sum or y += sum, of one element.
__device__ inline void put(double sum, ProductUpdate update, double& y) {
  y = update == ProductUpdate::add ? y + sum : sum;
}

/// y = A x or y += A x for the `width` packed vectors x; the first `num_written` columns of y are written.
///
/// `lanes` neighbouring threads work on one row. A block has rows_per_group rows for each such group,
/// all neighbours. The matrix `a` gives the bounds of a row (loaded one row ahead) and its parts.
template <int elements, int lanes, int width, int in_flight, class Rows>
__global__ void __launch_bounds__(largest_block)
    row_kernel(Rows a, const double* __restrict__ x, double* __restrict__ y, std::int64_t y_stride,
               int num_written, ProductUpdate update, int rows_per_group) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int num_groups = static_cast<int>(blockDim.x) / lanes;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * num_groups * rows_per_group +
                     static_cast<int>(threadIdx.x) / lanes;
  auto next = a.bounds(row);
  // All lanes of a warp stay in the loop, also those without a row: the shuffles need them.
  for (int turn = 0; turn < rows_per_group; ++turn, row += num_groups) {
    const auto bounds = next;
    if (turn + 1 < rows_per_group) next = a.bounds(row + num_groups);

    double sums[width] = {};
    a.template for_each_part<elements>(row, bounds, [&](const DevicePart& part) {
      add_part<elements, lanes, width, in_flight>(part, lane, x, sums);
    });
    __syncwarp();
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int k = 0; k < width; ++k) sums[k] += __shfl_xor_sync(0xffffffffU, sums[k], distance);
    }
    double mine = sums[0];
#pragma unroll
    for (int k = 1; k < width; ++k) mine = lane == k ? sums[k] : mine;
    if (row < a.num_rows && lane < num_written) put(mine, update, y[lane * y_stride + row]);
  }
}

template <int elements, int lanes, int width, int in_flight, class Rows>
void launch_row_kernel(const Stream& stream, const Rows& a, const SpmvConfig& config, const double* x,
                       DeviceView y, ProductUpdate update) {
  const std::int64_t rows_per_block =
      static_cast<std::int64_t>(config.block_size / lanes) * config.rows_per_group;
  const auto blocks = static_cast<unsigned>((a.num_rows + rows_per_block - 1) / rows_per_block);
  Launch{stream, blocks, static_cast<unsigned>(config.block_size)}(
      row_kernel<elements, lanes, width, in_flight, Rows>, a, x, y.data, y.stride, y.columns, update,
      config.rows_per_group);
}

template <int elements, int width, class Rows>
void dispatch_lanes(const Stream& stream, const Rows& a, const SpmvConfig& config, const double* x,
                    DeviceView y, ProductUpdate update) {
  // Several vectors bring their own parallelism, and need the registers.
  constexpr int most = width == 1 ? 8 : 4;
  switch (config.lanes_per_row) {
    case 4:
      return launch_row_kernel<elements, 4, width, most>(stream, a, config, x, y, update);
    case 8:
      return launch_row_kernel<elements, 8, width, most>(stream, a, config, x, y, update);
    case 16:
      return launch_row_kernel<elements, 16, width, most>(stream, a, config, x, y, update);
    default:
      break;
  }
  if (config.products_in_flight == 4) {
    launch_row_kernel<elements, 32, width, 4>(stream, a, config, x, y, update);
  } else {
    launch_row_kernel<elements, 32, width, most>(stream, a, config, x, y, update);
  }
}

template <int width, class Rows>
void dispatch_elements(const Stream& stream, const Rows& a, const SpmvConfig& config, const double* x,
                       DeviceView y, ProductUpdate update) {
  switch (config.elements_per_lane) {
    case 1:
      return dispatch_lanes<1, width>(stream, a, config, x, y, update);
    case 2:
      return dispatch_lanes<2, width>(stream, a, config, x, y, update);
    default:
      return dispatch_lanes<4, width>(stream, a, config, x, y, update);
  }
}

/// y = A x or y += A x for any number of columns.
/// @param nonzeros  of the matrix
template <class Rows>
void multiply(const Stream& stream, const Rows& a, std::int64_t nonzeros, ConstDeviceView x, DeviceView y,
              SpmvWorkspace& workspace, ProductUpdate update, const SpmvConfig& config) {
  const double rows = static_cast<double>(std::max<std::int64_t>(a.num_rows, 1));
  const SpmvConfig resolved = resolve(config, static_cast<double>(nonzeros) / rows);
  for_each_column_group(
      a.num_rows, a.num_columns, x, y, [&](auto group, ConstDeviceView from, DeviceView to) {
        constexpr int width = decltype(group)::value;
        dispatch_elements<width>(stream, a, resolved, packed_columns<width>(stream, from, workspace), to,
                                 update);
      });
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#include "cuda/analysis/string_density_kernels.hpp"

#include "cuda/core/launch.cuh"
#include "cuda/core/sums.cuh"

namespace cisolve::cuda {
namespace {

using Arrays = StringDensityArrays<Pointer>;

constexpr int warp_size = 32;
constexpr int beta_threads = 512;
constexpr int element_threads = 256;

/// value, negated if bit 0 of `code` is set.
__device__ double with_phase(double value, std::uint32_t code) {
  const auto sign = static_cast<unsigned long long>(code) << 63U;
  return __longlong_as_double(
      static_cast<long long>(static_cast<unsigned long long>(__double_as_longlong(value)) ^ sign));
}

/// Where the j-th beta string of a piece stands behind its row.
__device__ std::int64_t place_of(const Arrays& a, const direct::PieceRows& rows, std::int32_t j) {
  return rows.gather < 0 ? j : a.places[rows.gather + j];
}

/// Sum of x y over the elements first, first + step, ... of a piece that both rows have.
__device__ double dot(const Arrays& a, const direct::PieceRows& to, const direct::PieceRows& from,
                      std::int32_t first, std::int32_t size, std::int32_t step, const double* __restrict__ x,
                      const double* __restrict__ y) {
  double sum = 0.0;
  x += to.row;
  y += from.row;
  if (to.gather < 0 && from.gather < 0) {
#pragma unroll 4
    for (std::int32_t j = first; j < size; j += step) sum += x[j] * y[j];
  } else {
    for (std::int32_t j = first; j < size; j += step) sum += x[place_of(a, to, j)] * y[place_of(a, from, j)];
  }
  return sum;
}

/// A block of threads per task, some of them for each row.
__global__ void __launch_bounds__(alpha_threads)
    alpha_kernel(const Arrays a, const double* __restrict__ x, const double* __restrict__ y,
                 double* __restrict__ partial) {
  const AlphaTask task = a.alpha_tasks[blockIdx.x];
  const auto thread = static_cast<std::int32_t>(threadIdx.x);
  const std::int32_t lane = thread % task.lanes;
  double sum = 0.0;
  for (std::int64_t k = task.first + thread / task.lanes; k < task.last; k += alpha_threads / task.lanes) {
    const AlphaLink link = a.alpha_links[k];
    const direct::PieceRows to = a.piece_rows[task.to_rows + (link.target_code >> 1U)];
    const direct::PieceRows from = a.piece_rows[task.from_rows + link.source];
    sum += with_phase(dot(a, to, from, lane, task.size, task.lanes, x, y), link.target_code);
  }
  sum = block_sum<alpha_threads>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// A tile of the row of an alpha string.
__device__ void read_tile(const Arrays& a, std::int32_t first_part, std::int32_t last_part,
                          std::int32_t string, const double* __restrict__ x, double* tile) {
  for (std::int32_t k = first_part; k < last_part; ++k) {
    const TilePart part = a.tile_parts[k];
    const direct::PieceRows rows = a.piece_rows[part.rows + string];
    double* to = tile + part.position;
    if (rows.gather < 0) {
      const double* from = x + rows.row + part.first;
#pragma unroll 4
      for (auto j = static_cast<std::int32_t>(threadIdx.x); j < part.size; j += beta_threads) to[j] = from[j];
    } else {
      for (auto j = static_cast<std::int32_t>(threadIdx.x); j < part.size; j += beta_threads)
        to[j] = x[rows.row + place_of(a, rows, part.first + j)];
    }
  }
}

/// A block of threads per task; a warp does a group at a time.
__global__ void __launch_bounds__(beta_threads)
    beta_kernel(const Arrays a, const double* __restrict__ x, const double* __restrict__ y,
                double* __restrict__ partial) {
  extern __shared__ double tiles[];
  const BetaTask task = a.beta_tasks[blockIdx.x];
  const TilePair pair = a.tile_pairs[task.pair];
  const bool same = x == y && pair.to_first == pair.from_first;
  const double* to = tiles;
  double* from = same ? tiles : tiles + pair.to_size;
  const auto lane = static_cast<std::int32_t>(threadIdx.x % warp_size);
  for (std::int32_t string = task.first; string < task.last; ++string) {
    __syncthreads();  // others may still be at the string before
    read_tile(a, pair.to_first, pair.to_last, string, x, tiles);
    if (!same) read_tile(a, pair.from_first, pair.from_last, string, y, from);
    __syncthreads();
    for (std::int64_t k = pair.first_group + threadIdx.x / warp_size; k < pair.last_group;
         k += beta_threads / warp_size) {
      const BetaGroup group = a.beta_groups[k];
      double sum = 0.0;
#pragma unroll 4
      for (std::int64_t at = group.first + lane; at < group.last; at += warp_size) {
        const std::uint32_t link = a.beta_links[at];
        sum += to[link >> 1U & (most_tile_strings - 1U)] * with_phase(from[link >> 16U], link);
      }
      sum = warp_sum(sum);
      if (lane > 0) continue;
      double& result = partial[group.partial + task.number];
      result = string == task.first ? sum : result + sum;
    }
  }
}

__global__ void __launch_bounds__(element_threads)
    element_kernel(const Arrays a, const double* __restrict__ partial, double* __restrict__ results) {
  const PartialSums of = a.sums[blockIdx.x];
  double sum = 0.0;
  for (std::int64_t k = of.first + threadIdx.x; k < of.last; k += element_threads) sum += partial[k];
  sum = block_sum<element_threads>(sum);
  if (threadIdx.x == 0) results[blockIdx.x] = sum;
}

}  // namespace

void launch_alpha_sums(const Stream& stream, const Arrays& arrays, std::size_t tasks, const double* x,
                       const double* y, double* partial) {
  Launch{stream, static_cast<unsigned>(tasks), alpha_threads}(alpha_kernel, arrays, x, y, partial);
}

void launch_beta_sums(const Stream& stream, const Arrays& arrays, std::size_t tasks,
                      std::int64_t shared_doubles, const double* x, const double* y, double* partial) {
  const std::size_t bytes = static_cast<std::size_t>(shared_doubles) * sizeof(double);
  Launch{stream, static_cast<unsigned>(tasks), beta_threads, bytes}(beta_kernel, arrays, x, y, partial);
}

void launch_element_sums(const Stream& stream, const Arrays& arrays, std::size_t elements,
                         const double* partial, double* results) {
  Launch{stream, static_cast<unsigned>(elements), element_threads}(element_kernel, arrays, partial, results);
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
// Same-spin Hamiltonians of many strings by projection; see ProjectionPlan.
#include <algorithm>

#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/lanes.cuh"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int project_warps = 8;
constexpr int project_threads = project_warps * warp_size;
static_assert(project_warps * tile_columns == narrowest_strip);

/// Some columns of intermediates, all entries of the class.
struct Strip {
  double* e;  ///< [entries][ld]
  std::int64_t ld;
  const double* x;  ///< [strings][x_stride]
  std::int64_t x_stride;
  int columns;
};

/// What a block of threads holds in shared memory.
struct ProjectScratch {
  double* w;           // [projected_from][up to projected_ld]
  std::int64_t* rows;  // [projected_from] of x
};

/// An item, and its entries.
struct ProjectTarget {
  ProjectionItem item;
  const ProjectionEntry* entries;
};

/// W from some entries of an item, `begin` on, to some, `first` on, with their phases; beyond the last there is zero, and
/// some row of x.
__device__ void load_w(const ProjectionArrays<Pointer>& a, const ProjectTarget& target, const Strip& strip,
                       int begin, int first, int count, int ld, const ProjectScratch& s) {
  const int width = ld - factor_padding;
  const int from = min(target.item.size - begin, projected_from);
  const int rows = (from + excitation_step - 1) / excitation_step * excitation_step;
  const ProjectionEntry* sources = target.entries + begin;
  for (int k = static_cast<int>(threadIdx.x); k < rows * width; k += project_threads) {
    const int row = k / width;
    const int column = k % width;
    double value = 0.0;
    if (row < from && column < count) {
      const int cd = sources[row].pair;
      const int ab = target.entries[first + column].pair;
      const std::int64_t at = static_cast<std::int64_t>(cd / 2) * target.item.ld + ab / 2;
      value = with_sign(__ldg(a.integrals + target.item.matrix + at), static_cast<unsigned>(cd ^ ab) & 1U);
    }
    s.w[row * ld + column] = value;
  }
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < rows) s.rows[thread] = sources[min(thread, from - 1)].string * strip.x_stride;
}

/// e(P, ab) of a warp's columns for up to 8 * eights entries from `first` on.
template <int eights>
__device__ void make_intermediates(const ProjectionArrays<Pointer>& a, const ProjectTarget& target,
                                   const Strip& strip, int first, int count, const ProjectScratch& s) {
  constexpr int ld = 8 * eights + factor_padding;
  constexpr int depth = 2;
  const int group = lane() / 4;
  const int in_group = lane() % 4;
  const int column = static_cast<int>(blockIdx.y) * narrowest_strip + warp() * tile_columns + 2 * group;
  const bool inside = column < strip.columns;
  const double* x = strip.x + column;
  double sums[eights][4] = {};
  for (int begin = 0; begin < target.item.size; begin += projected_from) {
    __syncthreads();  // What was there is no longer read.
    load_w(a, target, strip, begin, first, count, ld, s);
    __syncthreads();
    const int size = min(target.item.size - begin, projected_from);
    const double* f = s.w + in_group * ld + group;
    Operands operands[depth];
    const auto load = [&](Operands& to, int k) {
      if (k < size) to.load(x + s.rows[k + in_group], x + s.rows[k + in_group + 4], inside);
    };
#pragma unroll
    for (int k = 0; k < depth; ++k) load(operands[k], k * excitation_step);
#pragma unroll 1
    for (int k = 0; k < size; k += depth * excitation_step) {
#pragma unroll
      for (int j = 0; j < depth; ++j) {
        if (k + j * excitation_step >= size) break;
        multiply_step(sums, operands[j], f);
        load(operands[j], k + (j + depth) * excitation_step);
        f += excitation_step * ld;
      }
    }
  }
  if (!inside) return;
  double* to = strip.e + (target.item.first + first) * strip.ld + column;
#pragma unroll
  for (int i = 0; i < eights; ++i) {
    const int entry = 8 * i + 2 * in_group;
    if (entry < count)
      *reinterpret_cast<double2*>(to + entry * strip.ld) = make_double2(sums[i][0], sums[i][2]);
    if (entry + 1 < count)
      *reinterpret_cast<double2*>(to + (entry + 1) * strip.ld) = make_double2(sums[i][1], sums[i][3]);
  }
}

template <int eights>
__device__ void make_any(const ProjectionArrays<Pointer>& a, const ProjectTarget& target, const Strip& strip,
                         int first, int count, const ProjectScratch& s) {
  if constexpr (eights > 1) {
    if (count <= 8 * (eights - 1)) return make_any<eights - 1>(a, target, strip, first, count, s);
  }
  make_intermediates<eights>(a, target, strip, first, count, s);
}

__global__ void __launch_bounds__(project_threads, 2)
    project_kernel(const __grid_constant__ ProjectionArrays<Pointer> a, const __grid_constant__ Projection p,
                   const __grid_constant__ Strip strip) {
  extern __shared__ double2 memory[];
  auto* w = reinterpret_cast<double*>(memory);
  const ProjectScratch s{w, reinterpret_cast<std::int64_t*>(w + projected_from * projected_ld)};
  const ProjectionItem item = a.items[p.first_item + static_cast<int>(blockIdx.x)];
  const ProjectTarget target{item, a.entries + p.first_entry + item.first};
  for (int first = 0; first < item.size; first += projected_at_a_time)
    make_any<projected_at_a_time / 8>(a, target, strip, first, min(item.size - first, projected_at_a_time),
                                      s);
}

constexpr int square = 32;  // strings and columns
constexpr int square_rows = 8;
constexpr dim3 square_threads(square, square_rows);

/// y(I) = sum of the intermediates of I; or to transposed y, y(I) += the same.
template <bool transposed>
__global__ void __launch_bounds__(square* square_rows)
    restore_kernel(const __grid_constant__ ProjectionArrays<Pointer> a, const __grid_constant__ Projection p,
                   const __grid_constant__ Strip strip, int strings, double* y, std::int64_t y_stride) {
  __shared__ double sums[square][square + 1];
  const int first_string = static_cast<int>(blockIdx.x) * square;
  const int first_column = static_cast<int>(blockIdx.y) * square;
  const int column = first_column + static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < square; k += square_rows) {
    const int string = first_string + k;
    if (string >= strings || column >= strip.columns) continue;
    const std::int32_t* slots =
        a.slots + p.first_slot + static_cast<std::int64_t>(string) * p.slots_per_string;
    double sum = 0.0;
#pragma unroll 4
    for (int j = 0; j < p.slots_per_string; ++j) sum += __ldg(strip.e + __ldg(slots + j) * strip.ld + column);
    if (transposed)
      sums[k][threadIdx.x] = sum;
    else
      y[string * y_stride + column] = sum;
  }
  if (!transposed) return;
  __syncthreads();
  const int string = first_string + static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < square; k += square_rows) {
    if (string < strings && first_column + k < strip.columns)
      y[(first_column + k) * y_stride + string] += sums[threadIdx.x][k];
  }
}

/// to [columns][ld] = from [rows][stride], transposed.
__global__ void __launch_bounds__(square* square_rows)
    transpose_kernel(const double* from, std::int64_t stride, int rows, int columns, double* to,
                     std::int64_t ld) {
  __shared__ double tile[square][square + 1];
  const int column = static_cast<int>(blockIdx.x) * square;
  const int row = static_cast<int>(blockIdx.y) * square;
  const int i = static_cast<int>(threadIdx.x);
  for (int k = static_cast<int>(threadIdx.y); k < square; k += square_rows) {
    if (row + k < rows && column + i < columns) tile[k][i] = from[(row + k) * stride + column + i];
  }
  __syncthreads();
  for (int k = static_cast<int>(threadIdx.y); k < square; k += square_rows) {
    if (row + i < rows && column + k < columns) to[(column + k) * ld + row + i] = tile[i][k];
  }
}

unsigned squares(std::int64_t n) { return static_cast<unsigned>((n + square - 1) / square); }

void launch_project(const Stream& stream, const ProjectionArrays<Pointer>& tables, const Projection& p,
                    const Strip& strip) {
  static_assert(projected_from <= project_threads);
  const dim3 grid(static_cast<unsigned>(p.num_items),
                  static_cast<unsigned>((strip.columns + narrowest_strip - 1) / narrowest_strip));
  Launch{stream, grid, project_threads, projected_bytes}(project_kernel, tables, p, strip);
}

}  // namespace

void launch_projection(const Stream& stream, const ProjectionArrays<Pointer>& tables, const Projection& p,
                       const LargePart& part, const Panels& panels, double* scratch) {
  const double* x = panels.x[part.layout] + part.x;
  double* y = panels.y[part.layout] + part.y;
  double* transposed = scratch + std::int64_t{p.num_entries} * p.width;
  const std::int32_t all = part.left ? part.columns : part.rows;
  for (std::int32_t first = 0; first < all; first += p.width) {
    const std::int32_t count = std::min(p.width, all - first);
    if (part.left) {
      // Padding of x, which is zero, is there for loads of two columns.
      const Strip strip{scratch, p.width, x + first, part.stride, count};
      launch_project(stream, tables, p, strip);
      Launch{stream, dim3(squares(part.rows), squares(count)), square_threads}(
          restore_kernel<false>, tables, p, strip, part.rows, y + first, part.stride);
    } else {
      const dim3 grid(squares(part.columns), squares(count));
      const std::int64_t at = std::int64_t{first} * part.stride;
      Launch{stream, grid, square_threads}(transpose_kernel, x + at, part.stride, count, part.columns,
                                           transposed, p.width);
      const Strip strip{scratch, p.width, transposed, p.width, count};
      launch_project(stream, tables, p, strip);
      Launch{stream, grid, square_threads}(restore_kernel<true>, tables, p, strip, part.columns, y + at,
                                           part.stride);
    }
  }
}

}  // namespace cisolve::cuda::direct

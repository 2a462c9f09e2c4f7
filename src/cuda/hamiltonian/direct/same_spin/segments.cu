// SPDX-License-Identifier: MIT
#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/last_from.cuh"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int segment_threads = 256;

/// What same-spin excitations bring to two columns of a target string; of every `parts` excitations from one class the
/// one numbered `part`.
/// @param x        the panel, at the first of the two columns
/// @param ordinal  of the target
__device__ double2 segment_sum(const SpinTables& a, int minor_class, std::int32_t ordinal, const double* x,
                               std::int32_t stride, int part, int parts) {
  const std::int64_t* first_row = a.first_row + static_cast<std::int64_t>(minor_class) * a.num_major;
  const std::int64_t* groups_of = a.excitations.groups_of + ordinal;
  double2 sum{0.0, 0.0};
  for (std::int64_t g = groups_of[0]; g < groups_of[1]; ++g) {
    const ExcitationGroup group = a.excitations.groups[g];
    const std::int64_t row = first_row[group.source_class];
    if (row < 0) continue;
    const double* rows = x + row * stride;
    const double* values = a.excitations.values + group.first;
    const std::int32_t* sources = a.excitations.sources + group.first;
#pragma unroll 4
    for (int k = part; k < group.size; k += parts) {
      const double value = __ldg(values + k);
      const auto at = static_cast<std::int64_t>(__ldg(sources + k)) * stride;
      const auto from = __ldg(reinterpret_cast<const double2*>(rows + at));
      sum.x += value * from.x;
      sum.y += value * from.y;
    }
  }
  return sum;
}

/// A warp's share of the segments: a target string and a tile of columns, two columns per lane. Where columns are few,
/// lanes share out excitations, and add up in a fixed order.
__device__ void sum_segment(const SegmentTables& a, const Panels& panels, std::int64_t warp) {
  const int lane = threadIdx.x % warp_size;
  const Segment segment = last_from(a.segments, a.num_segments, warp, &Segment::first_warp);
  const int layout = segment.layout;
  const auto string = static_cast<std::int32_t>((warp - segment.first_warp) / segment.column_tiles);
  const auto tile = static_cast<std::int32_t>((warp - segment.first_warp) % segment.column_tiles);
  const std::int32_t column = 2 * (tile * segment.lanes + lane % segment.lanes);
  const bool inside = column < segment.stride;
  const int part = lane / segment.lanes;
  double2 sum = segment_sum(a.of[layout], segment.minor_class, segment.first_ordinal + string,
                            panels.x[layout] + segment.panel + (inside ? column : 0), segment.stride, part,
                            warp_size / segment.lanes);
  for (int distance = segment.lanes; distance < warp_size; distance *= 2) {
    sum.x += __shfl_down_sync(0xffffffffU, sum.x, distance);
    sum.y += __shfl_down_sync(0xffffffffU, sum.y, distance);
  }
  if (part != 0 || !inside) return;
  double* y = panels.y[layout] + segment.y + static_cast<std::int64_t>(string) * segment.stride + column;
  if (a.adds) {
    const auto before = *reinterpret_cast<const double2*>(y);
    sum.x += before.x;
    sum.y += before.y;
  }
  *reinterpret_cast<double2*>(y) = sum;
}

__global__ void __launch_bounds__(segment_threads)
    segments_kernel(const __grid_constant__ SegmentTables a, const __grid_constant__ Panels panels) {
  const std::int64_t warp =
      (static_cast<std::int64_t>(blockIdx.x) * segment_threads + threadIdx.x) / warp_size;
  if (warp < a.num_warps) sum_segment(a, panels, warp);
}

}  // namespace

void launch_segments(const Stream& stream, const SegmentTables& tables, const Panels& panels) {
  constexpr std::int64_t warps = segment_threads / warp_size;
  const auto blocks = static_cast<unsigned>((tables.num_warps + warps - 1) / warps);
  Launch{stream, blocks, segment_threads}(segments_kernel, tables, panels);
}

}  // namespace cisolve::cuda::direct

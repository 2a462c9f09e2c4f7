// SPDX-License-Identifier: MIT

#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/opposite/items.cuh"
#include "cuda/hamiltonian/direct/opposite/opposite_part.hpp"
#include "cuda/hamiltonian/direct/opposite/pack.cuh"

namespace cisolve::cuda::direct {
namespace {

/// What a block of threads holds in shared memory.
struct Scratch {
  double* packs;  // [2][pack_room], of this phase and of the next
  double* y;      // [most_columns]
  double* t;
};

/// entry_group entries of a column.
struct Entries {
  uint4 group;

  static __device__ double pair(const double* t, unsigned e) {
    return with_sign(t[(e & 0xffffU) >> 1], e) + with_sign(t[e >> 17], e >> 16);
  }
  __device__ double sum(const double* t) const {
    return (pair(t, group.x) + pair(t, group.y)) + (pair(t, group.z) + pair(t, group.w));
  }
};

/// The entries of a warp's slices, a group ahead of what is summed.
class EntryWalk {
public:
  __device__ EntryWalk(const GatherArrays<Pointer>& a, const Phase& phase, int columns)
      : entries_(reinterpret_cast<const uint4*>(a.entries) + phase.first_entry + threadIdx.x % warp_size),
        offsets_(a.slice_offsets + phase.first_slice), columns_(columns),
        slice_(static_cast<int>(threadIdx.x) / warp_size) {
    begin();
  }

  /// y(i) += sum over the excitations rs of i. A column belongs to one thread.
  __device__ void gather(const double* t, double* y) {
#pragma unroll 1
    for (; slice_ * slice_columns < columns_; slice_ += num_warps(), begin()) {
      double sum = 0.0;
#pragma unroll 1
      while (at_ < last_) {
        const Entries entries = ahead_;
        at_ += slice_columns;
        if (at_ < last_) load();
        sum += entries.sum(t);
      }
      const int column = slice_ * slice_columns + static_cast<int>(threadIdx.x) % warp_size;
      if (column < columns_) y[column] += sum;
    }
  }

private:
  __device__ void begin() {
    if (slice_ * slice_columns >= columns_) return;
    at_ = __ldg(offsets_ + slice_);
    last_ = __ldg(offsets_ + slice_ + 1);
    if (at_ < last_) load();
  }
  __device__ void load() { ahead_ = {__ldg(entries_ + at_)}; }

  const uint4* entries_;
  const std::int32_t* offsets_;
  const int columns_;
  int slice_, at_ = 0, last_ = 0;
  Entries ahead_;
};

/// y = same-spin excitations of a row: warps share out columns and, where there are more warps, excitations.
__device__ void sum_same_spin(const GatherArrays<Pointer>& a, const Target& target, const Scratch& s) {
  const Block& block = target.block;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int tiles = (block.stride + 2 * warp_size - 1) / (2 * warp_size);
  const int parts = max(num_warps() / tiles, 1);
  const std::int64_t* offsets = a.same_spin_offsets + block.first_same_spin + target.string;
  const std::int64_t first = offsets[0];
  const auto size = static_cast<int>(offsets[1] - first);
  const double* values = a.same_spin_values + first;
  const std::int32_t* rows = a.same_spin_rows + first;
  for (int k = static_cast<int>(threadIdx.x) / warp_size; k < tiles * parts; k += num_warps()) {
    const int column = 2 * (k % tiles * warp_size + lane);
    const bool inside = column < block.stride;
    const double* x = target.x + block.panel + (inside ? column : 0);
    double2 sum{0.0, 0.0};
#pragma unroll 8
    for (int excitation = k / tiles; excitation < size; excitation += parts) {
      const double value = __ldg(values + excitation);
      const auto from = __ldg(reinterpret_cast<const double2*>(
          x + static_cast<std::int64_t>(__ldg(rows + excitation)) * block.stride));
      sum.x += value * from.x;
      sum.y += value * from.y;
    }
    if (inside) {
      double* to = s.t + k / tiles * block.stride + column;
      to[0] = sum.x;
      to[1] = sum.y;
    }
  }
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += num_threads()) {
    double sum = 0.0;
    for (int part = 0; part < parts; ++part) sum += s.t[part * block.stride + column];
    s.y[column] = sum;
  }
}

/// A row of y. Where packs are made here, warps that have made their share of the next go on to work on this phase.
template <bool packed, int depth>
__device__ void sum_row(const SumsTables& a, const Target& target, const Scratch& s, double* y) {
  const Block& block = target.block;
  const bool has_same_spin = block.first_same_spin != no_same_spin;
  const bool writes = has_same_spin && !a.adds;
  const double* next_pack = a.packs + block.first_pack + target.string * block.row_size;
  const auto fetch = [&](int phase, int size, int turn) {
    double* to = s.packs + turn * block.pack_room;
    if constexpr (packed) {
      copy_pack(to, next_pack, size);
      next_pack += size;
    } else {
      make_pack(a.pack, target, a.pack.lists.phases[phase], to);
    }
  };
  const bool has_phases = block.first_phase < block.last_phase;
  if (has_phases) fetch(block.first_phase, a.pack.lists.phases[block.first_phase].size, 0);
  __pipeline_commit();
  if (has_same_spin) {
    sum_same_spin(a.gather, target, s);
  } else {
    for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += num_threads())
      s.y[column] = 0.0;
  }
  int turn = 0;
  for (int k = block.first_phase; k < block.last_phase; ++k, turn ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    const Pack pack(s.packs + turn * block.pack_room);
    const Phase& phase = *pack.phase;
    if (k + 1 < block.last_phase) fetch(k + 1, phase.next_size, turn ^ 1);
    __pipeline_commit();
    sum_items<depth>(pack, target.x, s.t);
    if (threadIdx.x == 0) s.t[phase.nothing] = 0.0;
    EntryWalk walk(a.gather, phase, block.columns);
    __syncthreads();
    walk.gather(s.t, s.y);
  }
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < block.columns; column += num_threads()) {
    y[column] = writes ? s.y[column] : y[column] + s.y[column];
  }
}

template <int warps, int blocks, bool packed>
__global__ void __launch_bounds__(warps* warp_size, blocks)
    sums_kernel(const __grid_constant__ SumsTables a, const __grid_constant__ Panels panels) {
  extern __shared__ double2 memory[];
  // With few registers for a thread there are more threads to hide loads behind.
  constexpr int depth = warps * blocks > 16 ? 1 : 3;
  auto* packs = reinterpret_cast<double*>(memory);
  const Target target = target_of(a.pack, a.pack.lists.tasks[blockIdx.x], panels);
  const Block& block = target.block;
  double* y = packs + 2 * block.pack_room;
  sum_row<packed, depth>(
      a, target, {packs, y, y + a.most_columns},
      panels.y[block.layout] + block.y + static_cast<std::int64_t>(target.string) * block.stride);
}

__global__ void __launch_bounds__(most_warps* warp_size)
    packs_kernel(const __grid_constant__ PackTables a, double* packs) {
  const Target target = target_of(a, a.lists.tasks[blockIdx.x], {});
  const Block& block = target.block;
  double* to = packs + block.first_pack + target.string * block.row_size;
  for (int k = block.first_phase; k < block.last_phase; ++k) {
    make_pack(a, target, a.lists.phases[k], to);
    to += a.lists.phases[k].size;
  }
}

template <int warps, int blocks>
auto kernel_for(bool packed) {
  return packed ? sums_kernel<warps, blocks, true> : sums_kernel<warps, blocks, false>;
}

}  // namespace

OppositePart::OppositePart(const OppositePlan& plan, bool adds, const ExcitationTables& excitations,
                           Uploads& put)
    : shape_(plan.shape), adds_(adds), tasks_in_layout_1_(plan.tasks_in_layout_1), excitations_(excitations),
      arrays_(put(plan.arrays)), gather_(put(plan.gather)), packs_(plan.kept_packs()) {
  if (packs_.size() == 0) return;
  Launch{put.stream(), static_cast<unsigned>(arrays_.tasks.size()), most_warps * warp_size}(
      packs_kernel, {excitations_, pointers_to(arrays_)}, packs_.data());
}

void OppositePart::add(const Stream& stream, const Panels& panels, const TaskSpan& tasks) const {
  PhaseArrays<Pointer> lists = pointers_to(arrays_);
  lists.tasks += tasks.first;
  const SumsTables tables{
      {excitations_, lists}, pointers_to(gather_), shape_.most_columns, packs_.data(), adds_};
  const bool packed = packs_.size() > 0;
  const auto kernel =
      shape_.blocks == 1 ? kernel_for<most_warps, 1>(packed) : kernel_for<few_warps, 2>(packed);
  Launch{stream, static_cast<unsigned>(tasks.count), static_cast<unsigned>(shape_.warps * warp_size),
         shape_.shared_bytes()}(kernel, tables, panels);
}

}  // namespace cisolve::cuda::direct

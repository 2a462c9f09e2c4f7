// SPDX-License-Identifier: MIT
// The opposite-spin part of long rows.
#include <cuda_pipeline.h>

#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/excitations/factors.cuh"
#include "cuda/hamiltonian/direct/long_rows/long_rows_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int long_threads = long_warps * warp_size;

/// What a block of threads holds in shared memory.
struct LongScratch {
  double* t;             // [pairs][long_ld], and behind it a zero
  double* factors;       // [excitations][pairs + factor_padding]
  std::int64_t* rows;    // [excitations] of x
  std::uint32_t* words;  // [long_warps][walk_words][lanes]
};

/// A warp's walks from t to y, whose words are copied to shared memory some at a time.
template <bool shared>
class Walker {
public:
  /// @param walks  of the warp, one for every tile
  __device__ Walker(const LongRowsTables& a, const Walk* walks, std::uint32_t* words)
      : all_(a.lists.words), walks_(walks),
        words_(words + threadIdx.x / warp_size * (walk_words * warp_size)) {}

  /// Begins to copy the words of the next walk, all lanes' reading done.
  __device__ void begin() {
    const Walk walk = *walks_;
    walks_ += long_warps;
    from_ = all_ + static_cast<std::int64_t>(walk.first) * warp_size;
    left_ = walk.size;
    copy();
  }

  /// y(i) += sum over excitations rs of i from the columns of the tile. During a tile a target belongs to one thread.
  __device__ void add(const double* t, double* y) {
    constexpr std::uint32_t none = shared ? short_target_mask : long_target_mask;
    constexpr int at_a_time = 4;
    std::uint32_t target = none;
    double sum = 0.0;
    bool begins = true;
    while (left_ > 0) {
      __pipeline_wait_prior(0);
      __syncwarp();
      const int size = min(left_, walk_words);
#pragma unroll 1
      for (int first = 0; first < size; first += at_a_time) {
        std::uint32_t words[at_a_time];
#pragma unroll
        for (int k = 0; k < at_a_time; ++k)
          words[k] = words_[(first + k) * warp_size + threadIdx.x % warp_size];
#pragma unroll
        for (int k = 0; k < at_a_time; ++k) {
          if (first + k >= size) break;
          const std::uint32_t word = words[k];
          if (begins) {
            target = shared ? word >> entry_bits & short_target_mask : word;
            sum = shared ? entry(t, word) : 0.0;
          } else {
            sum += entry(t, word) + entry(t, word >> entry_bits);
          }
          begins = (word & last_word) != 0;
          if (begins && target != none) y[target] += sum;
        }
      }
      __syncwarp();
      from_ += walk_words * warp_size;
      left_ -= walk_words;
      if (left_ > 0) copy();
    }
  }

private:
  __device__ void copy() {
    constexpr int wide = 4;  // words copied at a time
    const int size = min(left_, walk_words) * warp_size;
    for (int k = wide * static_cast<int>(threadIdx.x % warp_size); k < size; k += wide * warp_size)
      __pipeline_memcpy_async(words_ + k, from_ + k, wide * sizeof(std::uint32_t));
    __pipeline_commit();
  }
  static __device__ double entry(const double* t, std::uint32_t word) {
    return with_sign(t[(word & entry_mask) >> 1], word);
  }

  const std::uint32_t* const all_;
  const Walk* walks_;
  std::uint32_t* const words_;
  const std::uint32_t* from_ = nullptr;
  int left_ = 0;
};

/// All tiles of an item with up to 8 * eights pairs. A warp makes tile_columns columns of t at a time. Operands are loaded
/// `depth` steps ahead, into registers that the last step has just used, also while t is added to y.
template <int eights, bool shared>
__device__ void add_tiles(const LongRowsTables& a, const LongItem& item, int num_excitations,
                          const LongScratch& s, const double* x, double* y) {
  constexpr int depth = 2;
  constexpr int ld = 8 * eights + factor_padding;
  const int group = lane() / 4;
  const int in_group = lane() % 4;
  const int column = warp() * tile_columns + 2 * group;
  const double* const factors = s.factors + in_group * ld + group;
  const double* const end = factors + num_excitations * ld;
  double* const to = s.t + 2 * in_group * long_ld + column;
  Cursor<long_columns> cursor{x, s.rows + in_group, num_excitations, item.stride, column, 0, item.stride};
  Walker<shared> walker(a, a.lists.walks + item.first_walk + warp(), s.words);
  walker.begin();
  const double* f = factors;
  double sums[eights][4] = {};
  int first = 0;
  // Whether there are more.
  const auto step = [&](Operands& operands) {
    multiply_step(sums, operands, f);
    cursor.load(operands);
    f += excitation_step * ld;
    if (f != end) return true;
    f = factors;
    if (first > 0) __syncthreads();
#pragma unroll
    for (int k = 0; k < eights; ++k) {
      double* at = to + 8 * k * long_ld;
      *reinterpret_cast<double2*>(at) = make_double2(sums[k][0], sums[k][2]);
      *reinterpret_cast<double2*>(at + long_ld) = make_double2(sums[k][1], sums[k][3]);
    }
    __syncthreads();
    walker.add(s.t, y);
    first += long_columns;
    if (first >= item.stride) return false;
    walker.begin();
#pragma unroll
    for (int k = 0; k < eights; ++k) {
      for (double& sum : sums[k]) sum = 0.0;
    }
    return true;
  };
  walk_steps<depth>(cursor, step);
}

template <int eights, bool shared>
__device__ void add_item(const LongRowsTables& a, const LongItem& item, int num_excitations,
                         const LongScratch& s, const double* x, double* y) {
  if constexpr (eights > 1) {
    if (item.num_pairs <= 8 * (eights - 1))
      return add_item<eights - 1, shared>(a, item, num_excitations, s, x, y);
  }
  add_tiles<eights, shared>(a, item, num_excitations, s, x, y);
}

template <bool shared>
__global__ void __launch_bounds__(long_threads, long_blocks)
    long_rows_kernel(const __grid_constant__ LongRowsTables a, const __grid_constant__ Panels panels) {
  extern __shared__ double2 memory[];
  auto* t = reinterpret_cast<double*>(memory);
  double* factors = t + a.t_size;
  auto* rows = reinterpret_cast<std::int64_t*>(factors + a.factors_size);
  auto* words = reinterpret_cast<std::uint32_t*>(rows + a.most_excitations);
  const LongScratch s{t, factors, rows, words};
  const RowTask task = a.lists.tasks[blockIdx.x];
  const LongBlock block = a.lists.blocks[task.block];
  const MajorString major{block.layout, block.coulomb, task.string, block.half != 0};
  const double* x = panels.x[block.layout];
  double* row = panels.y[block.layout] + block.y + static_cast<std::int64_t>(task.string) * block.stride;
  double* y = shared ? reinterpret_cast<double*>(words + long_warps * walk_words * warp_size) : row;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) t[a.pairs_at_a_time * long_ld] = 0.0;
  if (shared) {
    for (int column = thread; column < block.columns; column += long_threads) y[column] = row[column];
  }
  for (int k = block.first_item; k < block.last_item; ++k) {
    const LongItem item = a.lists.items[k];
    const Range range = a.excitations.lists.ranges[item.first_range + task.string];
    if (range.size == 0) continue;
    const int num_excitations = (range.size + excitation_step - 1) / excitation_step * excitation_step;
    const FactorsTo to{factors, rows, (item.num_pairs + 7) / 8 * 8 + factor_padding};
    for (int first = warp() * factors_at_a_time; first < num_excitations;
         first += long_warps * factors_at_a_time)
      make_factors(a.excitations, major, item, range, first, to);
    __syncthreads();
    add_item<most_long_pairs / 8, shared>(a, item, num_excitations, s, x, y);
  }
  if (!shared) return;
  __syncthreads();
  for (int column = thread; column < block.columns; column += long_threads) row[column] = y[column];
}

}  // namespace

LongRowsPart::LongRowsPart(const LongRowsPlan& plan, const ExcitationTables& excitations, Uploads& put)
    : arrays_(put(plan.arrays)), tasks_in_layout_1_(plan.tasks_in_layout_1), of_strips_(plan.of_strips),
      shared_(plan.shared),
      shared_bytes_(plan.shared_bytes()), tables_{excitations,          pointers_to(arrays_),
                                                  plan.pairs_at_a_time, plan.most_excitations,
                                                  plan.t_size(),        plan.factors_size()} {}

void LongRowsPart::add(const Stream& stream, const Panels& panels, const TaskSpan& tasks) const {
  LongRowsTables tables = tables_;
  tables.lists.tasks += tasks.first;
  Launch{stream, static_cast<unsigned>(tasks.count), long_threads, shared_bytes_}(
      shared_ ? long_rows_kernel<true> : long_rows_kernel<false>, tables, panels);
}

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
// The opposite-spin part of long rows.
#include "cuda/hamiltonian/direct_items.cuh"
#include "cuda/hamiltonian/direct_kernels.hpp"
#include "cuda/hamiltonian/direct_pack.cuh"

namespace cisolve::cuda::direct {
namespace {

constexpr int tiled_threads = tiled_warps * warp_size;

/// What a block of threads holds in shared memory.
struct TiledScratch {
  double* t;             // [pairs][tiled_ld], and behind it a zero
  double* factors;       // [links][pairs + factor_padding]
  std::int64_t* rows;    // [links] of x
  std::uint32_t* words;  // [tiled_warps][walk_words][lanes]
};

/// A warp's walks from t to y, whose words are copied to shared memory some at a time.
template <bool shared>
class Walker {
public:
  /// @param walks  of the warp, one for every tile
  __device__ Walker(const TiledTables& a, const Walk* walks, std::uint32_t* words)
      : all_(a.words), walks_(walks), words_(words + threadIdx.x / warp_size * (walk_words * warp_size)) {}

  /// Begins to copy the words of the next walk, all lanes' reading done.
  __device__ void begin() {
    const Walk walk = *walks_;
    walks_ += tiled_warps;
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
__device__ void add_tiles(const TiledTables& a, const TiledItem& item, int num_links, const TiledScratch& s,
                          const double* x, double* y) {
  constexpr int depth = 2;
  constexpr int ld = 8 * eights + factor_padding;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int group = lane / 4;
  const int in_group = lane % 4;
  const int column = warp * tile_columns + 2 * group;
  const double* const factors = s.factors + in_group * ld + group;
  const double* const end = factors + num_links * ld;
  double* const to = s.t + 2 * in_group * tiled_ld + column;
  Cursor<tiled_columns> cursor{x, s.rows + in_group, num_links, item.stride, column, 0, item.stride};
  Walker<shared> walker(a, a.walks + item.first_walk + warp, s.words);
  walker.begin();
  const double* f = factors;
  double sums[eights][4] = {};
  int first = 0;
  // Whether there are more.
  const auto step = [&](Operands& operands) {
#pragma unroll
    for (int k = 0; k < eights; ++k) multiply_add(sums[k], operands.values, f[8 * k], f[4 * ld + 8 * k]);
    cursor.load(operands);
    f += link_step * ld;
    if (f != end) return true;
    f = factors;
    if (first > 0) __syncthreads();
#pragma unroll
    for (int k = 0; k < eights; ++k) {
      double* at = to + 8 * k * tiled_ld;
      *reinterpret_cast<double2*>(at) = make_double2(sums[k][0], sums[k][2]);
      *reinterpret_cast<double2*>(at + tiled_ld) = make_double2(sums[k][1], sums[k][3]);
    }
    __syncthreads();
    walker.add(s.t, y);
    first += tiled_columns;
    if (first >= item.stride) return false;
    walker.begin();
#pragma unroll
    for (int k = 0; k < eights; ++k) {
      for (double& sum : sums[k]) sum = 0.0;
    }
    return true;
  };
  Operands operands[depth];
#pragma unroll
  for (int k = 0; k < depth; ++k) cursor.load(operands[k]);
  for (bool more = true; more;) {
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (more) more = step(operands[k]);
    }
  }
}

template <int eights, bool shared>
__device__ void add_item(const TiledTables& a, const TiledItem& item, int num_links, const TiledScratch& s,
                         const double* x, double* y) {
  if constexpr (eights > 1) {
    if (item.num_pairs <= 8 * (eights - 1)) return add_item<eights - 1, shared>(a, item, num_links, s, x, y);
  }
  add_tiles<eights, shared>(a, item, num_links, s, x, y);
}

template <bool shared>
__global__ void __launch_bounds__(tiled_threads, tiled_blocks)
    tiled_kernel(const __grid_constant__ TiledTables a, const __grid_constant__ Panels panels) {
  extern __shared__ double2 memory[];
  auto* t = reinterpret_cast<double*>(memory);
  double* factors = t + a.t_size;
  auto* rows = reinterpret_cast<std::int64_t*>(factors + a.factors_size);
  auto* words = reinterpret_cast<std::uint32_t*>(rows + a.most_links);
  const TiledScratch s{t, factors, rows, words};
  const RowTask task = a.tasks[blockIdx.x];
  const TiledBlock block = a.blocks[task.block];
  const MajorString major{block.layout, block.coulomb, task.string, block.half != 0};
  const double* x = panels.x[block.layout];
  double* row = panels.y[block.layout] + block.y + static_cast<std::int64_t>(task.string) * block.stride;
  double* y = shared ? reinterpret_cast<double*>(words + tiled_warps * walk_words * warp_size) : row;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) t[a.pairs_at_a_time * tiled_ld] = 0.0;
  if (shared) {
    for (int column = thread; column < block.columns; column += tiled_threads) y[column] = row[column];
  }
  for (int k = block.first_item; k < block.last_item; ++k) {
    const TiledItem item = a.items[k];
    const Range range = a.excitations.ranges[item.first_range + task.string];
    if (range.size == 0) continue;
    const int num_links = (range.size + link_step - 1) / link_step * link_step;
    const FactorsTo to{factors, rows, (item.num_pairs + 7) / 8 * 8 + factor_padding};
    for (int first = thread / warp_size * factors_at_a_time; first < num_links;
         first += tiled_warps * factors_at_a_time)
      make_factors(a.excitations, major, item, range, first, to);
    __syncthreads();
    add_item<most_tiled_pairs / 8, shared>(a, item, num_links, s, x, y);
  }
  if (!shared) return;
  __syncthreads();
  for (int column = thread; column < block.columns; column += tiled_threads) row[column] = y[column];
}

template <bool shared>
void launch(const Stream& stream, const TiledTables& tables, const TiledLaunch& l, const Panels& panels) {
  const auto kernel = tiled_kernel<shared>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(l.shared_bytes)));
  kernel<<<static_cast<unsigned>(tables.num_tasks), tiled_threads, l.shared_bytes, stream.get()>>>(tables,
                                                                                                   panels);
  check(cudaGetLastError());
}

}  // namespace

void launch_tiled(const Stream& stream, const TiledTables& tables, const TiledLaunch& l,
                  const Panels& panels) {
  if (tables.num_tasks == 0) return;
  l.shared ? launch<true>(stream, tables, l, panels) : launch<false>(stream, tables, l, panels);
}

}  // namespace cisolve::cuda::direct

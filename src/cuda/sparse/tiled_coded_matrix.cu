// SPDX-License-Identifier: MIT
#include "cuda/sparse/tiled_coded_matrix.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/sparse/coded_kernel.cuh"

namespace cisolve::cuda {
namespace {

constexpr int tile_block = 1024;  ///< threads: one block has all of a multiprocessor's shared memory
constexpr int row_block = 256;    ///< threads of kernels that have a row each
constexpr std::int64_t reserved_bytes = 64;  ///< of shared memory, for what the kernel has beside the arrays

/// What the kernels see of the matrix; the words are those of the tiles.
struct TiledSlices {
  CodedSlices coded;
  ColumnTileTables<Pointer> tiles;
  const std::int32_t* shares;
  std::int32_t width;
  std::int32_t num_tiles;
};

TiledSlices view_of(const DeviceTiledMatrix& a) {
  return {{pointers_to(a.tables), pointers_to(a.slots), a.num_slices(), a.num_codes},
          pointers_to(a.tiles),
          a.shares.data(),
          a.tile_width,
          static_cast<std::int32_t>(a.num_tiles)};
}

/// Copies the words of a CodedMatrix to where their pieces are, a row a thread.
__global__ void place_words(CodedSlices from, bool has_wide_jumps, ColumnTileTables<Pointer> tiles,
                            std::int64_t width, unsigned* to) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t slice = row / warp_lanes;
  if (slice >= from.num_slices) return;
  const auto lane = static_cast<int>(row % warp_lanes);
  const std::int32_t* piece = tiles.sums + tiles.sum_offsets[slice] * warp_lanes + lane;
  std::int64_t column = from.bases[slice * coded_parts * warp_lanes + lane];
  std::int64_t begin = 0, end = -1;  // columns of the tile
  unsigned* next = nullptr;
  int written = 0;  // words of the piece
  for (std::int64_t chunk = from.chunk_offsets[slice]; chunk < from.chunk_offsets[slice + 1]; ++chunk) {
    const uint4 loaded = from.words[chunk * warp_lanes + lane];
    const unsigned words[coded_chunk_words] = {loaded.x, loaded.y, loaded.z, loaded.w};
    for (const unsigned word : words) {
      const bool only_moves = (word & 0x7fff0000U) == 0;
      column +=
          only_moves && has_wide_jumps ? std::int64_t{word & 0xffffU} << 16 : std::int64_t{word & 0xffffU};
      if (only_moves) continue;
      if (column >= end || written == longest_piece) {
        begin = column / width * width;
        end = begin + width;
        const std::int32_t place = *piece;
        piece += warp_lanes;
        next = to +
               (tiles.word_offsets[place / warp_lanes] * warp_lanes + place % warp_lanes) * coded_chunk_words;
        written = 0;
      }
      next[written % coded_chunk_words] = (word & 0xffff0000U) | static_cast<unsigned>(column - begin);
      if (++written % coded_chunk_words == 0) next += warp_lanes * coded_chunk_words;
    }
  }
}

/// How often the busiest bank is asked in a step of half a warp, whose lanes are served together.
struct BankLoads {
  int of_x[16], of_values[16];  ///< 8 bytes wide
  int most_of_x, most_of_values;
};

constexpr int settled_warps = 4, settled_chunks = 16;

/// Reorders the words of each piece so that those of a step lie in different banks of shared memory, as the dictionary's
/// values and the elements of x do: lane after lane takes, of its words that are left, the first that makes no bank the
/// busiest, or else the one that does so least. A warp has a tile slice, the words of 16 chunks at a time.
__global__ void settle_banks(ColumnTileTables<Pointer> tiles, int num_slices, uint4* words) {
  constexpr int halves = 2, half_lanes = warp_lanes / halves, banks = 16;
  __shared__ unsigned all[settled_warps][settled_chunks * coded_chunk_words][warp_lanes];
  __shared__ BankLoads all_loads[settled_warps][halves];
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes,
            lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int slice = static_cast<int>(blockIdx.x) * settled_warps + warp;
  if (slice >= num_slices) return;
  auto& own = all[warp];
  BankLoads& loads = all_loads[warp][lane / half_lanes];
  for (std::int64_t chunk = tiles.word_offsets[slice]; chunk < tiles.word_offsets[slice + 1];
       chunk += settled_chunks) {
    const auto chunks =
        static_cast<int>(min(tiles.word_offsets[slice + 1] - chunk, std::int64_t{settled_chunks}));
    const int count = chunks * coded_chunk_words;
    for (int c = 0; c < chunks; ++c) {
      const uint4 loaded = words[(chunk + c) * warp_lanes + lane];
      own[4 * c][lane] = loaded.x;
      own[4 * c + 1][lane] = loaded.y;
      own[4 * c + 2][lane] = loaded.z;
      own[4 * c + 3][lane] = loaded.w;
    }
    for (int step = 0; step < count; ++step) {
      loads.of_x[lane % banks] = loads.of_values[lane % banks] = 0;
      loads.most_of_x = loads.most_of_values = 1;
      __syncwarp();
      for (int turn = 0; turn < half_lanes; ++turn) {
        if (lane % half_lanes == turn) {
          int best = step, least = 3;
          for (int at = step; at < count && least > 0; ++at) {
            const unsigned word = own[at][lane];
            const int cost = word == 0 ? 0
                                       : (loads.of_x[word % banks] == loads.most_of_x) +
                                             (loads.of_values[(word >> 16) % banks] == loads.most_of_values);
            if (cost < least) {
              least = cost;
              best = at;
            }
          }
          const unsigned taken = own[best][lane];
          own[best][lane] = own[step][lane];
          own[step][lane] = taken;
          if (taken != 0) {
            loads.most_of_x = max(loads.most_of_x, ++loads.of_x[taken % banks]);
            loads.most_of_values = max(loads.most_of_values, ++loads.of_values[(taken >> 16) % banks]);
          }
        }
        __syncwarp();
      }
    }
    for (int c = 0; c < chunks; ++c)
      words[(chunk + c) * warp_lanes + lane] = {own[4 * c][lane], own[4 * c + 1][lane], own[4 * c + 2][lane],
                                                own[4 * c + 3][lane]};
  }
}

/// Adds some chunks of a piece, all on their way before the first is used.
template <int chunks>
__device__ void add_chunks_of(const uint4* at, const double* dictionary, const double* x, double& sum) {
  uint4 loaded[chunks];
#pragma unroll
  for (int c = 0; c < chunks; ++c) loaded[c] = stream_load(at + c * warp_lanes);
#pragma unroll
  for (int c = 0; c < chunks; ++c) {
    const unsigned words[coded_chunk_words] = {loaded[c].x, loaded[c].y, loaded[c].z, loaded[c].w};
#pragma unroll
    for (const unsigned word : words) sum = fma(value_of<true>(dictionary, word), x[word & 0xffffU], sum);
  }
}

/// The sums of all pieces. A block has the tile slices of its share, tile by tile, whose x it holds; a warp takes one slice
/// at a time.
__global__ void __launch_bounds__(tile_block, 1)
    sum_pieces(TiledSlices a, const double* __restrict__ x, std::int64_t num_columns,
               double* __restrict__ sums) {
  extern __shared__ double shared[];
  __shared__ int next;
  double* const of_x = shared + a.coded.num_codes;
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp_lanes;
  for (int code = thread; code < a.coded.num_codes; code += tile_block)
    shared[code] = a.coded.dictionary[code];
  const int last = a.shares[blockIdx.x + 1];
  int slice = a.shares[blockIdx.x];
  int tile = 0;  // the last that begins at or before the slice
  for (int beyond = a.num_tiles; beyond - tile > 1;) {
    const int middle = (tile + beyond) / 2;
    (a.tiles.first_slices[middle] <= slice ? tile : beyond) = middle;
  }
  for (; slice < last; ++tile) {
    const int end = min(last, a.tiles.first_slices[tile + 1]);
    if (slice >= end) continue;
    __syncthreads();  // all have done with the tile before
    const std::int64_t first = std::int64_t{tile} * a.width;
    const auto columns = static_cast<int>(min(std::int64_t{a.width}, num_columns - first));
#pragma unroll 8
    for (int at = thread; at < columns; at += tile_block) of_x[at] = __ldg(x + first + at);
    if (thread == 0) next = slice;
    __syncthreads();
    while (true) {
      int own = 0;
      if (lane == 0) own = atomicAdd(&next, 1);
      own = __shfl_sync(0xffffffffU, own, 0);
      if (own >= end) break;
      const std::int64_t begin = __ldg(a.tiles.word_offsets + own);
      int left = static_cast<int>(__ldg(a.tiles.word_offsets + own + 1) - begin);
      const uint4* at = a.coded.words + begin * warp_lanes + lane;
      double sum = 0.0;
      for (; left >= 4; left -= 4, at += 4 * warp_lanes) add_chunks_of<4>(at, shared, of_x, sum);
      if (left >= 2) {
        add_chunks_of<2>(at, shared, of_x, sum);
        at += 2 * warp_lanes;
      }
      if (left % 2 != 0) add_chunks_of<1>(at, shared, of_x, sum);
      sums[std::int64_t{own} * warp_lanes + lane] = sum;
    }
    slice = end;
  }
}

/// y of the rows of a slice, or what is added to it: the sums of their pieces, and the remainder. A block has a slice,
/// a lane of each warp a row of it;
/// the warps share what there is of these, since some rows have very much.
__global__ void __launch_bounds__(row_block)
    add_up(TiledSlices a, const double* __restrict__ sums, LoadedVectors<1> x, double* __restrict__ y,
           ProductUpdate update) {
  constexpr int log2_parts = 3, parts = 1 << log2_parts;
  static_assert(row_block == parts * warp_lanes);
  __shared__ double of_parts[parts][warp_lanes];
  const std::int64_t slice = blockIdx.x;
  const auto part = static_cast<int>(threadIdx.x) / warp_lanes,
             lane = static_cast<int>(threadIdx.x) % warp_lanes;
  double sum[1] = {};
  {
    const std::int64_t first = __ldg(a.tiles.sum_offsets + slice);
    const auto count = static_cast<int>(__ldg(a.tiles.sum_offsets + slice + 1) - first);
    const std::int64_t to = first + part_begin(count, part + 1, log2_parts);
#pragma unroll 4
    for (std::int64_t at = first + part_begin(count, part, log2_parts); at < to; ++at) {
      const std::int32_t place = __ldg(a.tiles.sums + at * warp_lanes + lane);
      if (place >= 0) sum[0] += sums[place];
    }
  }
  const std::int64_t first = __ldg(a.coded.remainder_offsets + slice);
  const auto slots = static_cast<int>(__ldg(a.coded.remainder_offsets + slice + 1) - first);
  const int from = part_begin(slots, part, log2_parts), to = part_begin(slots, part + 1, log2_parts);
  add_remainder(a.coded, first + from, to - from, lane, x, sum);
  of_parts[part][lane] = sum[0];
  __syncthreads();
  if (part > 0) return;
  for (int other = 1; other < parts; ++other) sum[0] += of_parts[other][lane];
  const std::int32_t number = __ldg(a.coded.permutation + slice * warp_lanes + lane);
  if (number >= 0) put(sum[0], update, y[number]);
}

/// Tile slices of as many chunks for each share; a slice costs as much as some chunks by itself.
std::vector<std::int32_t> even_shares(const ColumnTiles& tiles, std::int64_t shares) {
  constexpr std::int64_t cost_of_slice = 2;  // chunks
  const std::int64_t slices = tiles.num_slices();
  const auto work_before = [&](std::int64_t slice) {
    return tiles.word_offsets[static_cast<std::size_t>(slice)] + cost_of_slice * slice;
  };
  std::vector<std::int32_t> first_slices;
  std::int64_t slice = 0;
  for (std::int64_t share = 0; share < shares; ++share) {
    while (slice < slices && work_before(slice) * shares < work_before(slices) * share) ++slice;
    first_slices.push_back(static_cast<std::int32_t>(slice));
  }
  first_slices.push_back(static_cast<std::int32_t>(slices));
  return first_slices;
}

unsigned blocks_of(std::int64_t rows) { return static_cast<unsigned>((rows + row_block - 1) / row_block); }

}  // namespace

std::int32_t tile_width(std::int64_t num_columns, std::int64_t num_codes, std::int64_t shared_per_block) {
  constexpr std::int64_t narrowest = 4096, step = 32;
  const std::int64_t room = shared_per_block - reserved_bytes - 8 * num_codes;
  const std::int64_t widest = std::min<std::int64_t>(room / 8 / step * step, widest_tile);
  if (widest < narrowest || num_columns == 0) return 0;
  const std::int64_t tiles = (num_columns + widest - 1) / widest;
  return static_cast<std::int32_t>((num_columns + tiles * step - 1) / (tiles * step) * step);
}

std::optional<ColumnTiles> worthwhile_tiles(const CodedMatrix& host, const DeviceCodedMatrix& matrix,
                                            std::int64_t besides) {
  // Estimates, between what was measured: tiles are faster at 23 lines, 15 words and 1e8 nonzeros (docs/performance.md).
  constexpr double fewest_lines = 8.0;  // shared memory takes some ten turns for a step
  constexpr double shortest_piece = 4.0;
  constexpr std::int64_t fewest_nonzeros = 10'000'000;
  if (matrix.lines_per_step < fewest_lines || host.num_coded < fewest_nonzeros) return std::nullopt;
  const std::int32_t width = tile_width(host.num_columns, matrix.num_codes, matrix.limits.shared_per_block);
  if (width == 0) return std::nullopt;
  const double piece = mean_piece(host, width);
  constexpr std::int64_t most_pieces =
      most_tile_slices * coded_lanes / 2;  // what is expected may be exceeded
  if (piece < shortest_piece || static_cast<double>(host.num_coded) / piece > most_pieces)
    return std::nullopt;
  ColumnTiles tiles = make_column_tiles(host, width);
  const std::int64_t rest =
      array_bytes(tiles) + std::int64_t{sizeof(double)} * coded_lanes * tiles.num_slices();
  const std::int64_t words =
      std::int64_t{sizeof(CodedWord)} * coded_lanes * coded_chunk_words * tiles.num_chunks();
  const std::int64_t free = free_device_bytes();
  const std::int64_t goes = static_cast<std::int64_t>(matrix.slots.words.size_bytes());
  if (words + rest > free || words + rest + besides > free + goes) return std::nullopt;
  return tiles;
}

DeviceTiledMatrix by_tiles(DeviceCodedMatrix&& matrix, const ColumnTiles& tiles, const Stream& stream) {
  auto of_tiles = Uploads(stream)(static_cast<const ColumnTileTables<Array>&>(tiles));
  auto shares =
      Uploads(stream)(std::span<const std::int32_t>(even_shares(tiles, matrix.limits.num_multiprocessors)));
  DeviceArray<uint4> words(static_cast<std::size_t>(tiles.num_chunks()) * coded_lanes);
  // Nothing is allocated from here on.
  check(cudaMemsetAsync(words.data(), 0, words.size_bytes(), stream.get()));
  const CodedSlices from{pointers_to(matrix.tables), pointers_to(matrix.slots), matrix.num_slices(),
                         matrix.num_codes};
  Launch{stream, blocks_of(matrix.num_slices() * coded_lanes), row_block}(
      place_words, from, matrix.has_wide_jumps, pointers_to(of_tiles), tiles.width,
      reinterpret_cast<unsigned*>(words.data()));
  Launch{stream, static_cast<unsigned>((tiles.num_slices() + settled_warps - 1) / settled_warps),
         settled_warps * warp_lanes}(settle_banks, pointers_to(of_tiles),
                                     static_cast<int>(tiles.num_slices()), words.data());
  stream.synchronize();  // what is freed now was read
  matrix.slots.words = std::move(words);
  matrix.tables.bases = {};
  matrix.tables.chunk_offsets = {};
  return {matrix.num_rows,   matrix.num_columns,     matrix.num_nonzeros,      matrix.num_codes,
          tiles.width,       tiles.num_tiles(),      std::move(matrix.tables), std::move(of_tiles),
          std::move(shares), std::move(matrix.slots)};
}

void spmv(const Stream& stream, const DeviceTiledMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update) {
  const bool has_order = a.tables.order.size() > 0;
  const auto packed_size = has_order ? static_cast<std::size_t>(a.num_columns) : 0;
  const std::size_t shared = sizeof(double) * static_cast<std::size_t>(a.num_codes + a.tile_width);
  const auto blocks = static_cast<unsigned>(a.shares.size()) - 1;
  const auto multiply_column = [&](auto, ConstDeviceView from, DeviceView to) {
    double* const packed = workspace.packed_vectors(packed_size + static_cast<std::size_t>(a.num_sums()));
    double* const sums = packed + packed_size;
    if (has_order) pack(stream, from, 1, packed, a.tables.order.data());
    const double* const vector = has_order ? packed : from.data;
    Launch{stream, blocks, tile_block, shared}(sum_pieces, view_of(a), vector, a.num_columns, sums);
    Launch{stream, static_cast<unsigned>(a.num_slices()), row_block}(
        add_up, view_of(a), sums, LoadedVectors<1>{vector}, to.data, update);
  };
  constexpr int at_once = 1;
  for_each_column_group(a.num_rows, a.num_columns, x, y, multiply_column, at_once);
}

}  // namespace cisolve::cuda

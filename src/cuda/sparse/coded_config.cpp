// SPDX-License-Identifier: MIT
#include <array>
#include <span>

#include "cisolve/core/error.hpp"
#include "cuda/sparse/coded_matrix.hpp"

namespace cisolve::cuda {
namespace {

bool is_possible(const CodedSpmvConfig& config) {
  const int warps = config.warps_per_slice;
  return (warps == 1 || warps == 2 || warps == 4) && config.block_size >= 32 * warps &&
         config.block_size <= largest_block && config.block_size % (32 * warps) == 0 &&
         config.blocks_per_multiprocessor >= 1 && config.blocks_per_multiprocessor <= 32;
}

/// Fields that were given stay.
CodedSpmvConfig filled(CodedSpmvConfig config, int block_size, int blocks, int warps) {
  if (config.block_size == 0) config.block_size = block_size;
  if (config.blocks_per_multiprocessor == 0) config.blocks_per_multiprocessor = blocks;
  if (config.warps_per_slice == 0) config.warps_per_slice = warps;
  return config;
}

bool fits(const CodedSpmvConfig& config, std::int64_t num_codes, int width, const CodedDeviceLimits& limits) {
  const std::int64_t bytes = coded_shared_bytes(config, num_codes, width);
  return bytes + coded_static_shared_bytes <= limits.shared_per_block &&
         (bytes + coded_reserved_shared_bytes) * config.blocks_per_multiprocessor <= limits.shared_per_multiprocessor;
}

}  // namespace

std::int64_t coded_shared_bytes(const CodedSpmvConfig& config, std::int64_t num_codes, int width) {
  // Partial sums of all warps of a slice but the first, twice: while one is added up the next is written.
  const std::int64_t groups = config.block_size / (32 * config.warps_per_slice);
  const std::int64_t partial_sums = 2 * groups * (config.warps_per_slice - 1) * width * 32;
  return 8 * (partial_sums + (config.dictionary == DictionaryPlace::global ? 0 : num_codes));
}

CodedSpmvConfig resolve(CodedSpmvConfig config, std::int64_t num_codes, int width,
                        const CodedDeviceLimits& limits) {
  struct Shape {
    int block_size, blocks, warps;
  };
  // Many threads hide the latency of x; the fewer copies of the dictionary, the more of the storage is L1,
  // which is what x is read from. Measured on an H200 (docs/performance.md).
  static constexpr std::array narrow{Shape{1024, 1, 4}, Shape{1024, 1, 2}};
  static constexpr std::array wide{Shape{512, 2, 4}, Shape{1024, 1, 2}};
  const std::span<const Shape> shapes = width == 4 ? std::span<const Shape>(wide) : narrow;
  for (const Shape& shape : shapes) {
    if (config.dictionary == DictionaryPlace::global) break;
    CodedSpmvConfig candidate = filled(config, shape.block_size, shape.blocks, shape.warps);
    if (!is_possible(candidate)) throw DimensionError("cuda::spmv: no coded product of that shape");
    candidate.dictionary = DictionaryPlace::shared;
    if (fits(candidate, num_codes, width, limits)) return candidate;
  }
  if (config.dictionary == DictionaryPlace::shared) {
    throw DimensionError("cuda::spmv: the dictionary does not fit in shared memory");
  }
  CodedSpmvConfig candidate = filled(config, wide[0].block_size, wide[0].blocks, wide[0].warps);
  if (!is_possible(candidate)) throw DimensionError("cuda::spmv: no coded product of that shape");
  candidate.dictionary = DictionaryPlace::global;
  return candidate;
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#include <array>
#include <span>

#include "cisolve/core/error.hpp"
#include "cuda/core/vector_texture.hpp"
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
         (bytes + coded_reserved_shared_bytes) * config.blocks_per_multiprocessor <=
             limits.shared_per_multiprocessor;
}

/// Lines per step up to which ordinary loads are faster (measured on an H200, docs/performance-notes.md).
constexpr double most_lines_for_loads = 5.5;
constexpr double least_scattered_lines = 12.0;
constexpr std::int64_t slices_to_share = 96;  // for each multiprocessor

GatherPath resolve_path(GatherPath wanted, const CodedTraits& traits, int width) {
  const bool has_texture = width == 1 && traits.num_columns <= VectorTexture::most_elements;
  if (wanted == GatherPath::texture && !has_texture) return GatherPath::load;
  if (wanted != GatherPath::automatic) return wanted;
  return has_texture && traits.lines_per_step > most_lines_for_loads ? GatherPath::texture : GatherPath::load;
}

}  // namespace

std::int64_t coded_shared_bytes(const CodedSpmvConfig& config, std::int64_t num_codes, int width) {
  // Partial sums of all warps of a slice but the first.
  const std::int64_t groups = config.block_size / (32 * config.warps_per_slice);
  const std::int64_t partial_sums = groups * (config.warps_per_slice - 1) * width * 32;
  return 8 * (partial_sums + (config.dictionary == DictionaryPlace::global ? 0 : num_codes));
}

CodedSpmvConfig resolve(CodedSpmvConfig config, const CodedTraits& traits, int width,
                        const CodedDeviceLimits& limits) {
  struct Shape {
    int block_size, blocks, warps;
  };
  // Many threads hide the latency of x; the fewer copies of the dictionary, the more of the storage is L1,
  // which is what x is read from. Measured on an H200 (docs/performance-notes.md).
  static constexpr std::array usual{Shape{512, 2, 4}, Shape{1024, 1, 4}, Shape{1024, 1, 2}};
  // Where every lane has a line of its own, L1 is worth more than even shares of the work, if there are
  // slices enough for all multiprocessors.
  static constexpr std::array scattered{Shape{1024, 1, 2}};
  config.gather = resolve_path(config.gather, traits, width);
  const std::int64_t num_slices = (traits.num_rows + coded_lanes - 1) / coded_lanes;
  const bool is_scattered = width == 1 && traits.lines_per_step > least_scattered_lines &&
                            num_slices >= slices_to_share * limits.num_multiprocessors;
  const std::span<const Shape> shapes = is_scattered ? std::span<const Shape>(scattered) : usual;
  for (const Shape& shape : shapes) {
    if (config.dictionary == DictionaryPlace::global) break;
    CodedSpmvConfig candidate = filled(config, shape.block_size, shape.blocks, shape.warps);
    if (!is_possible(candidate)) throw DimensionError("cuda::spmv: no coded product of that shape");
    candidate.dictionary = DictionaryPlace::shared;
    if (fits(candidate, traits.num_codes, width, limits)) return candidate;
  }
  if (config.dictionary == DictionaryPlace::shared) {
    throw DimensionError("cuda::spmv: the dictionary does not fit in shared memory");
  }
  CodedSpmvConfig candidate = filled(config, usual[0].block_size, usual[0].blocks, usual[0].warps);
  if (!is_possible(candidate)) throw DimensionError("cuda::spmv: no coded product of that shape");
  candidate.dictionary = DictionaryPlace::global;
  return candidate;
}

}  // namespace cisolve::cuda

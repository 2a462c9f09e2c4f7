// SPDX-License-Identifier: MIT
#include "cisolve/sparse/coded_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "cisolve/core/error.hpp"
#include "sparse/coded_block.hpp"
#include "sparse/coded_dictionary.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

void require_valid(const CodedLayout& layout) {
  if (layout.max_codes < 1 || layout.max_codes > largest_code || layout.window < 0 || layout.window > 2048 ||
      layout.window % coded_lanes != 0 || !(layout.window_tolerance >= 0.0)) {
    throw DimensionError("build_coded: no such layout");
  }
}

/// Rows that are laid out together: enough to sort, and at least 128 blocks for the threads to share.
std::int64_t rows_per_block(std::int64_t num_rows) {
  const auto share = static_cast<std::uint64_t>(num_rows) / 128;
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(std::bit_floor(share), 256, 2048));
}

CodedMatrix allocate(std::int64_t num_rows, const CodedLayout& layout) {
  CodedMatrix a;
  a.num_rows = num_rows;
  const std::int64_t block_rows = std::max<std::int64_t>(rows_per_block(num_rows), layout.window);
  a.slices_per_block = block_rows / coded_lanes;
  a.has_wide_jumps = num_rows > layout.narrow_jump_rows;
  const auto slices = static_cast<std::size_t>(a.num_slices());
  a.permutation = Array<std::int32_t>(slices * coded_lanes);
  a.bases = Array<ColumnIndex>(slices * coded_lanes * coded_parts);
  a.chunk_offsets = Array<std::int64_t>(slices + 1);
  a.remainder_offsets = Array<std::int64_t>(slices + 1);
  a.chunk_offsets[0] = 0;
  a.remainder_offsets[0] = 0;
  a.blocks.resize(static_cast<std::size_t>((num_rows + block_rows - 1) / block_rows));
  return a;
}

/// Row lengths to be checked; none: nothing is known of them.
using KnownLengths = std::optional<std::span<const std::int64_t>>;

/// Everything but the final codes.
CodedMatrix code_rows(const RowSource& source, KnownLengths lengths, const BuildOptions& options,
                      const CodedLayout& layout, SharedMagnitudes& magnitudes) {
  CodedMatrix a = allocate(source.num_rows(), layout);
  const std::int64_t block_rows = a.slices_per_block * coded_lanes;
  BuildOptions by_block = options;
  by_block.rows_per_chunk = block_rows;
  std::vector<std::optional<CodedBlockBuilder>> builders(static_cast<std::size_t>(omp_get_max_threads()));
  for_each_chunk(a.num_rows, by_block, [&](RowRange range) {
    auto& builder = builders[static_cast<std::size_t>(omp_get_thread_num())];
    if (!builder) builder.emplace(a.num_rows, a.has_wide_jumps, layout, magnitudes);
    builder->begin();
    const auto add = [&](const MatrixRow& row) {
      if (lengths && (*lengths)[static_cast<std::size_t>(row.index)] != std::ssize(row.columns)) {
        throw DimensionError("row source: a row differs from its count");
      }
      builder->add(row);
    };
    CheckedSink sink(range, a.num_rows, add);
    source.fill(range, sink);
    sink.finish();
    builder->finish(a, range.first / block_rows);
  });
  for (const auto& builder : builders) {
    if (!builder) continue;
    a.nonzeros += builder->counts().nonzeros;
    a.num_coded += builder->counts().coded;
    a.num_uncoded_values += builder->counts().uncoded_values;
  }
  for (std::size_t slice = 0; slice < static_cast<std::size_t>(a.num_slices()); ++slice) {
    a.chunk_offsets[slice + 1] += a.chunk_offsets[slice];
    a.remainder_offsets[slice + 1] += a.remainder_offsets[slice];
  }
  return a;
}

/// Replaces the provisional codes, whose order is that in which the threads came upon the magnitudes.
void number_codes(CodedMatrix& a, const std::vector<std::uint64_t>& magnitudes) {
  std::vector<CodedWord> numbers = number_by_first_touch(a, magnitudes);
  a.dictionary = Array<double>(numbers.size());
  a.dictionary[0] = 0.0;
  for (std::size_t code = 1; code < numbers.size(); ++code) {
    a.dictionary[numbers[code]] = std::bit_cast<double>(magnitudes[code - 1]);
  }
  for (CodedWord& number : numbers) number <<= 16;
  const std::int64_t num_blocks = std::ssize(a.blocks);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t block = 0; block < num_blocks; ++block) {
    for (CodedWord& word : a.blocks[static_cast<std::size_t>(block)].words) {
      word = sign_of(word) | numbers[code_of(word)] | delta_of(word);
    }
  }
}

CodedMatrix build(const RowSource& source, KnownLengths lengths, const BuildOptions& options,
                  const CodedLayout& layout) {
  require_valid(layout);
  if (options.rows_per_chunk < 1) throw DimensionError("building a matrix: rows_per_chunk must be >= 1");
  require_indexable(source.num_rows());
  double reached = 0.0;
  BuildOptions first_try = options;
  if (options.progress) {
    first_try.progress = [&](double fraction) { options.progress(reached = fraction); };
  }
  try {
    SharedMagnitudes found({}, layout.max_codes, true);
    CodedMatrix a = code_rows(source, lengths, first_try, layout, found);
    number_codes(a, found.all());
    return a;
  } catch (const TooManyMagnitudes&) {
    SharedMagnitudes chosen(most_frequent_magnitudes(source, layout.max_codes), layout.max_codes, false);
    CodedMatrix a = code_rows(source, lengths, options_of_pass(options, reached, 1.0), layout, chosen);
    number_codes(a, chosen.all());
    return a;
  }
}

}  // namespace

CodedMatrix build_coded(const RowSource& source, const BuildOptions& options, const CodedLayout& layout) {
  return build(source, std::nullopt, options, layout);
}

CodedMatrix build_coded(const RowSource& source, std::span<const std::int64_t> lengths,
                        const BuildOptions& options, const CodedLayout& layout) {
  if (std::ssize(lengths) != source.num_rows()) {
    throw DimensionError("build_coded: one length per row is needed");
  }
  return build(source, lengths, options, layout);
}

std::int64_t estimate_coded_bytes(std::span<const std::int64_t> lengths, double remainder_share) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const auto block_rows = static_cast<std::size_t>(rows_per_block(rows));
  std::int64_t slots = 0;  // as many as the longest row of each slice has
  std::vector<std::int64_t> block;
  for (std::size_t first = 0; first < lengths.size(); first += block_rows) {
    const auto part = lengths.subspan(first, std::min(block_rows, lengths.size() - first));
    block.assign(part.begin(), part.end());
    std::sort(block.begin(), block.end(), std::greater<>());
    for (std::size_t at = 0; at < block.size(); at += coded_lanes) slots += coded_lanes * block[at];
  }
  const double per_slot = 12.0 * remainder_share + 4.0 * (1.0 - remainder_share);
  const std::int64_t per_slice = coded_lanes * 4 * (1 + coded_parts) + 16 +
                                 coded_lanes * 4 * coded_chunk_words / 2;  // half a chunk of padding
  return static_cast<std::int64_t>(per_slot * static_cast<double>(slots)) +
         (rows + coded_lanes - 1) / coded_lanes * per_slice + 8 * (largest_code + 1);
}

std::int64_t real_bytes(const CodedMatrix& a) {
  std::size_t bytes = a.dictionary.size_bytes() + a.permutation.size_bytes() + a.bases.size_bytes() +
                      a.chunk_offsets.size_bytes() + a.remainder_offsets.size_bytes();
  for (const CodedBlock& block : a.blocks) {
    bytes += block.words.size_bytes() + block.remainder_values.size_bytes() +
             block.remainder_columns.size_bytes();
  }
  return static_cast<std::int64_t>(bytes);
}

const CodedWord* CodedMatrix::words_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t chunk = chunk_offsets[static_cast<std::size_t>(slice)] -
                             chunk_offsets[static_cast<std::size_t>(block * slices_per_block)];
  return blocks[static_cast<std::size_t>(block)].words.data() + chunk * coded_lanes * coded_chunk_words;
}

const double* CodedMatrix::remainder_values_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t slot = remainder_offsets[static_cast<std::size_t>(slice)] -
                            remainder_offsets[static_cast<std::size_t>(block * slices_per_block)];
  return blocks[static_cast<std::size_t>(block)].remainder_values.data() + slot * coded_lanes;
}

const ColumnIndex* CodedMatrix::remainder_columns_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t slot = remainder_offsets[static_cast<std::size_t>(slice)] -
                            remainder_offsets[static_cast<std::size_t>(block * slices_per_block)];
  return blocks[static_cast<std::size_t>(block)].remainder_columns.data() + slot * coded_lanes;
}

}  // namespace cisolve

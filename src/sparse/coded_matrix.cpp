// SPDX-License-Identifier: MIT
#include "cisolve/sparse/coded_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "cisolve/core/error.hpp"
#include "sparse/coded_block.hpp"
#include "sparse/coded_dictionary.hpp"
#include "sparse/coded_slices.hpp"
#include "sparse/placed_rows.hpp"
#include "sparse/row_chunks.hpp"
#include "sparse/value_numbers.hpp"

namespace cisolve {
namespace {

void require_valid(const CodedLayout& layout) {
  if (layout.max_codes < 1 || layout.max_codes > largest_code || layout.window < 0 || layout.window > 2048 ||
      layout.window % coded_lanes != 0) {
    throw DimensionError("build_coded: no such layout");
  }
}

CodedMatrix allocate(std::int64_t num_rows, std::int64_t num_columns, const CodedLayout& layout) {
  CodedMatrix a;
  a.num_rows = num_rows;
  a.num_columns = num_columns;
  const std::int64_t block_rows = rows_per_coded_block(num_rows, layout);
  a.slices_per_block = block_rows / coded_lanes;
  a.has_wide_jumps = num_columns > layout.narrow_jump_columns;
  const std::size_t slices = a.num_slices();
  a.permutation = Array<std::int32_t>(slices * coded_lanes);
  a.bases = Array<ColumnIndex>(slices * coded_lanes * coded_parts);
  a.chunk_offsets = Array<std::int64_t>(slices + 1);
  a.remainder_offsets = Array<std::int64_t>(slices + 1);
  a.chunk_offsets[0] = 0;
  a.remainder_offsets[0] = 0;
  a.blocks.resize((num_rows + block_rows - 1) / block_rows);
  return a;
}

/// Row lengths to be checked; none: nothing is known of them.
using KnownLengths = std::optional<std::span<const std::int64_t>>;

/// Row of the matrix at a place.
std::int64_t row_at(const CodedMatrix& a, std::int64_t place) {
  return a.order.size() == 0 ? place : a.order[place];
}

/// Checks rows on their way to a builder.
class BuildingSink final : public NumberedRowSink {
public:
  BuildingSink(RowRange range, KnownLengths lengths, const CodedMatrix& a, CodedBlockBuilder& builder)
      : next_(range.first), last_(range.last), lengths_(lengths), a_(a), builder_(builder) {}

  void row(const NumberedRow& row) override {
    if (row.index != next_ || next_ >= last_) throw DimensionError("row source: rows are not in order");
    const std::int64_t length = std::ssize(row.columns) + std::ssize(row.general_columns);
    if (lengths_ && (*lengths_)[row_at(a_, row.index)] != length) {
      throw DimensionError("row source: a row differs from its count");
    }
    builder_.add(row);
    ++next_;
  }
  /// @throws DimensionError if rows are missing
  void finish() const {
    if (next_ != last_) throw DimensionError("row source: rows are missing");
  }

private:
  std::int64_t next_;
  std::int64_t last_;
  KnownLengths lengths_;
  const CodedMatrix& a_;
  CodedBlockBuilder& builder_;
};

/// @param order  of rows and columns, in which the source gives them; empty: their own
CodedMatrix code_rows(const NumberedRowSource& source, Array<std::int32_t> order, KnownLengths lengths,
                      const BuildOptions& options, const CodedLayout& layout) {
  const CodeTable codes(source, layout.max_codes, options.stop);
  CodedMatrix a = allocate(source.num_rows(), source.num_columns(), layout);
  a.order = std::move(order);
  const std::int64_t block_rows = a.slices_per_block * coded_lanes;
  BuildOptions by_block = options;
  by_block.rows_per_chunk = block_rows;
  std::vector<std::optional<CodedBlockBuilder>> builders(omp_get_max_threads());
  std::vector<std::vector<std::size_t>> seldom(a.blocks.size());
  for_each_chunk(a.num_rows, by_block, [&](RowRange range) {
    auto& builder = builders[omp_get_thread_num()];
    if (!builder) builder.emplace(a.num_columns, a.has_wide_jumps, layout, codes);
    builder->begin();
    BuildingSink sink(range, lengths, a, *builder);
    source.fill(range, sink);
    sink.finish();
    const std::int64_t block = range.first / block_rows;
    seldom[block] = builder->finish(a, block);
  });

  std::vector<std::uint8_t> used(codes.num_codes() + 1, 0);
  for (const auto& builder : builders) {
    if (!builder) continue;
    a.nonzeros += builder->counts().nonzeros;
    a.num_coded += builder->counts().coded;
    a.num_uncoded_values += builder->counts().uncoded_values;
    for (std::size_t code = 0; code < used.size(); ++code) used[code] |= builder->used()[code];
  }
  for (std::size_t slice = 0; slice < static_cast<std::size_t>(a.num_slices()); ++slice) {
    a.chunk_offsets[slice + 1] += a.chunk_offsets[slice];
    a.remainder_offsets[slice + 1] += a.remainder_offsets[slice];
  }
  if (a.order.size() > 0) {
    for (std::int32_t& row : a.permutation) {
      if (row >= 0) row = a.order[row];
    }
  }
  make_dictionary(a, codes, used, seldom);
  return a;
}

/// In the order of the source if it knows one and the matrix is square.
CodedMatrix code_in_order(const RowSource& source, const NumberedRowSource& numbered, KnownLengths lengths,
                          const BuildOptions& options, const CodedLayout& layout) {
  Array<std::int32_t> order;
  const bool is_local = layout.row_order == RowOrder::local ||
                        (layout.row_order == RowOrder::automatic && source.rows_are_independent());
  if (is_local && source.num_rows() == source.num_columns()) order = source.local_order();
  if (order.size() == 0) return code_rows(numbered, std::move(order), lengths, options, layout);
  const PlacedRows placed(numbered, {order.data(), order.size()});
  return code_rows(placed, std::move(order), lengths, options, layout);
}

CodedMatrix build(const RowSource& source, KnownLengths lengths, const BuildOptions& options,
                  const CodedLayout& layout) {
  require_valid(layout);
  if (options.rows_per_chunk < 1) throw DimensionError("building a matrix: rows_per_chunk must be >= 1");
  require_indexable(source.num_rows(), source.num_columns());
  if (const auto numbered = source.numbered())
    return code_in_order(source, *numbered, lengths, options, layout);
  const auto by_bits =
      number_values(source, static_cast<std::size_t>(layout.max_codes), options_of_pass(options, 0.0, 0.5));
  return code_in_order(source, *by_bits, lengths, options_of_pass(options, 0.5, 1.0), layout);
}

}  // namespace

std::int64_t rows_per_coded_block(std::int64_t num_rows, const CodedLayout& layout) {
  const auto share = static_cast<std::uint64_t>(num_rows) / 128;
  const auto rows = static_cast<std::int64_t>(std::clamp<std::uint64_t>(std::bit_floor(share), 256, 2048));
  return std::max<std::int64_t>(rows, layout.window);
}

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

std::int64_t array_bytes(const CodedMatrix& a) {
  std::int64_t bytes = array_bytes<CodedTables<Array>>(a);
  for (const CodedBlock& block : a.blocks)
    bytes += array_bytes(block.words, block.remainder_values, block.remainder_columns);
  return bytes;
}

const CodedWord* CodedMatrix::words_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t chunk = chunk_offsets[slice] - chunk_offsets[block * slices_per_block];
  return blocks[block].words.data() + chunk * coded_lanes * coded_chunk_words;
}

const double* CodedMatrix::remainder_values_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t slot = remainder_offsets[slice] - remainder_offsets[block * slices_per_block];
  return blocks[block].remainder_values.data() + slot * coded_lanes;
}

const ColumnIndex* CodedMatrix::remainder_columns_of(std::int64_t slice) const {
  const std::int64_t block = slice / slices_per_block;
  const std::int64_t slot = remainder_offsets[slice] - remainder_offsets[block * slices_per_block];
  return blocks[block].remainder_columns.data() + slot * coded_lanes;
}

}  // namespace cisolve

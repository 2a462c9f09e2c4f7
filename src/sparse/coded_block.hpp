// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "sparse/coded_dictionary.hpp"

namespace cisolve {

/// Array that grows at its end and keeps its memory.
template <class T>
class Staging {
public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const T* data() const { return array_.data(); }
  /// Room for `count` more elements, behind the last; those written are then taken by append.
  T* reserve(std::size_t count) {
    if (size_ + count > array_.size()) {
      Array<T> larger((size_ + count) * 3 / 2);
      std::copy_n(array_.data(), size_, larger.data());
      array_ = std::move(larger);
    }
    return array_.data() + size_;
  }
  void append(std::size_t count) { size_ += count; }

private:
  Array<T> array_;
  std::size_t size_ = 0;
};

/// What a builder has seen.
struct CodedCounts {
  std::int64_t nonzeros = 0;
  std::int64_t coded = 0;
  std::int64_t uncoded_values = 0;  ///< not general, but without a code
};

/// Codes the rows of one block after the other; one builder per thread. Rows are coded into scratch
/// memory, sorted there and then laid out in their slices.
class CodedBlockBuilder {
public:
  CodedBlockBuilder(std::int64_t num_rows, bool has_wide_jumps, const CodedLayout& layout,
                    SharedMagnitudes& magnitudes)
      : num_rows_(num_rows), has_wide_jumps_(has_wide_jumps), layout_(layout), codes_(magnitudes) {}

  void begin() {
    rows_.clear();
    words_.clear();
    remainder_values_.clear();
    remainder_columns_.clear();
  }

  /// @throws TooManyMagnitudes; DimensionError if the general positions are not ascending
  void add(const MatrixRow& row);

  /// Lays the rows since begin() out as block `block` of `a`, with provisional codes. The numbers of
  /// chunks and remainder slots of slice s go to element s + 1 of the offsets.
  void finish(CodedMatrix& a, std::int64_t block);

  const CodedCounts& counts() const { return counts_; }

private:
  struct Row {
    std::size_t first_word;
    std::size_t first_remainder;
    std::int32_t num_chunks;
    std::int32_t num_remainder;
    std::uint32_t first_column;
  };
  struct SliceSize {
    std::int64_t chunks = 0;
    std::int64_t remainder = 0;
  };

  CodedWord* jump(CodedWord* to, std::uint32_t& delta) const;
  std::vector<std::int32_t> sorted_rows(std::int64_t window) const;
  std::vector<std::int32_t> choose_order() const;
  SliceSize slice_size(const std::vector<std::int32_t>& order, std::size_t first) const;
  double bytes_of(const std::vector<std::int32_t>& order) const;
  std::uint32_t advance(const CodedWord* words, std::size_t count) const;
  void place_words(const Row& row, std::int64_t chunks, CodedWord* words, ColumnIndex* bases) const;
  void place_remainder(const Row& row, std::int64_t slots, double* values, ColumnIndex* columns) const;

  std::int64_t num_rows_;
  bool has_wide_jumps_;
  const CodedLayout& layout_;
  MagnitudeCodes codes_;
  CodedCounts counts_;
  std::vector<Row> rows_;
  Staging<CodedWord> words_;
  Staging<double> remainder_values_;
  Staging<ColumnIndex> remainder_columns_;
};

}  // namespace cisolve

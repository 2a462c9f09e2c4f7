// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "sparse/coded_dictionary.hpp"
#include "sparse/coded_slices.hpp"
#include "sparse/slice_order.hpp"

namespace cisolve {

/// Array that grows at its end and keeps its memory.
template <class T>
class Staging {
public:
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  T* data() { return array_.data(); }
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
  std::int64_t uncoded_values = 0;  ///< of few values, but without a code
};

/// Codes the rows of one block after the other; one builder per thread. Rows are coded into scratch
/// memory, sorted there and then laid out in their slices.
class CodedBlockBuilder {
public:
  /// @param layout, codes  must outlive it
  CodedBlockBuilder(std::int64_t num_columns, bool has_wide_jumps, const CodedLayout& layout,
                    const CodeTable& codes)
      : num_columns_(num_columns), has_wide_jumps_(has_wide_jumps), layout_(layout), codes_(codes),
        used_(codes.num_codes() + 1, 0) {}

  void begin() {
    rows_.clear();
    sizes_.clear();
    words_.clear();
    remainder_values_.clear();
    remainder_columns_.clear();
    seldom_.clear();
  }

  /// @throws DimensionError if the row contradicts itself
  void add(const NumberedRow& row);

  /// Lays the rows since begin() out as block `block` of `a`. The numbers of chunks and remainder slots of
  /// slice s go to element s + 1 of the offsets.
  /// @return  where among the words of the block those with seldom codes are
  std::vector<std::size_t> finish(CodedMatrix& a, std::int64_t block);

  const CodedCounts& counts() const { return counts_; }

  /// By code, of those after the last common one: it was given to a word.
  const std::vector<std::uint8_t>& used() const { return used_; }

private:
  struct Row {
    std::size_t first_word;
    std::size_t first_remainder;
    std::size_t first_seldom;
    std::int32_t num_chunks;
    std::int32_t num_remainder;
    std::int32_t num_seldom;
    std::uint32_t first_column;
  };

  void check(const NumberedRow& row) const;
  bool code_quickly(const NumberedRow& row, CodedWord* words) const;
  CodedWord* code_carefully(const NumberedRow& row, CodedWord* words, Row& record);
  CodedWord* jump(CodedWord* to, std::uint32_t& delta) const;
  std::uint32_t advance(const CodedWord* words, std::size_t count) const;
  double loads_per_step(std::span<const std::int32_t> order) const;
  void place_bases(const Row& row, std::int64_t chunks, ColumnIndex* bases) const;
  void place_words(const Row* const rows[], std::int64_t chunks, CodedWord* words) const;
  void place_remainder(const Row& row, std::int64_t slots, double* values, ColumnIndex* columns) const;

  std::int64_t num_columns_;
  bool has_wide_jumps_;
  const CodedLayout& layout_;
  const CodeTable& codes_;
  CodedCounts counts_;
  std::vector<std::uint8_t> used_;
  std::vector<Row> rows_;
  std::vector<CodedSize> sizes_;       ///< of the same rows
  std::vector<std::uint32_t> seldom_;  ///< of each row, words with codes after the last common one
  Staging<CodedWord> words_;
  Staging<double> remainder_values_;
  Staging<ColumnIndex> remainder_columns_;
};

}  // namespace cisolve

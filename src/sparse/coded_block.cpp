// SPDX-License-Identifier: MIT
#include "sparse/coded_block.hpp"

#include <cstring>
#include <numeric>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::uint32_t largest_delta = 65535;
constexpr std::size_t slice_chunk_words = static_cast<std::size_t>(coded_lanes * coded_chunk_words);
constexpr double chunk_bytes = 16.0 * coded_lanes;
constexpr double remainder_bytes = 12.0 * coded_lanes;

constexpr auto lanes = static_cast<std::size_t>(coded_lanes);

}  // namespace

/// Words that only move on, until delta fits a word.
CodedWord* CodedBlockBuilder::jump(CodedWord* to, std::uint32_t& delta) const {
  if (has_wide_jumps_) {
    *to++ = delta >> 16;
    delta &= largest_delta;
  } else {
    for (; delta > largest_delta; delta -= largest_delta) *to++ = largest_delta;
  }
  return to;
}

void CodedBlockBuilder::add(const MatrixRow& row) {
  const std::size_t size = row.columns.size();
  const std::size_t jumps =
      has_wide_jumps_ ? size : static_cast<std::size_t>(num_rows_) / largest_delta + 1;
  CodedWord* const first_word = words_.reserve(size + jumps + coded_chunk_words);
  double* values = remainder_values_.reserve(size);
  ColumnIndex* columns = remainder_columns_.reserve(size);
  Row record{words_.size(), remainder_values_.size(), 0, 0, 0};

  CodedWord* word = first_word;
  std::uint32_t previous = 0;
  std::size_t num_remainder = 0;
  const auto add_remainder = [&](std::size_t at) {
    values[num_remainder] = row.values[at];
    columns[num_remainder++] = row.columns[at];
  };
  const auto add_coded = [&](std::size_t at) {
    const auto bits = std::bit_cast<std::uint64_t>(row.values[at]);
    const std::uint64_t magnitude = magnitude_bits(row.values[at]);
    const CodedWord code = codes_.code(magnitude);
    if (code == 0) [[unlikely]] {
      if (magnitude != 0) ++counts_.uncoded_values;
      return add_remainder(at);
    }
    const auto column = static_cast<std::uint32_t>(row.columns[at]);
    if (word == first_word) [[unlikely]] previous = record.first_column = column;
    std::uint32_t delta = column - previous;
    if (delta > largest_delta) [[unlikely]] word = jump(word, delta);
    *word++ = sign_of(static_cast<CodedWord>(bits >> 32)) | (code << 16) | delta;
    previous = column;
  };

  std::size_t at = 0;
  for (const std::int32_t position : row.general) {
    const auto end = static_cast<std::size_t>(position);
    if (end < at || end >= size) throw DimensionError("row source: general positions are not ascending");
    for (; at < end; ++at) add_coded(at);
    add_remainder(at++);
  }
  for (; at < size; ++at) add_coded(at);

  counts_.nonzeros += static_cast<std::int64_t>(size);
  counts_.coded += static_cast<std::int64_t>(size - num_remainder);
  while ((word - first_word) % coded_chunk_words != 0) *word++ = 0;
  record.num_chunks = static_cast<std::int32_t>((word - first_word) / coded_chunk_words);
  record.num_remainder = static_cast<std::int32_t>(num_remainder);
  if (record.num_chunks == 0 && num_remainder > 0) {
    record.first_column = static_cast<std::uint32_t>(columns[0]);
  }
  words_.append(static_cast<std::size_t>(word - first_word));
  remainder_values_.append(num_remainder);
  remainder_columns_.append(num_remainder);
  rows_.push_back(record);
}

/// Rows by descending length inside windows; rows of one length stay in order.
std::vector<std::int32_t> CodedBlockBuilder::sorted_rows(std::int64_t window) const {
  std::vector<std::int32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  const std::int64_t size = std::ssize(order);
  for (std::int64_t first = 0; window > coded_lanes && first < size; first += window) {
    std::stable_sort(order.begin() + first, order.begin() + std::min(first + window, size),
                     [this](std::int32_t left, std::int32_t right) {
                       return rows_[static_cast<std::size_t>(left)].num_chunks >
                              rows_[static_cast<std::size_t>(right)].num_chunks;
                     });
  }
  return order;
}

CodedBlockBuilder::SliceSize CodedBlockBuilder::slice_size(const std::vector<std::int32_t>& order,
                                                           std::size_t first) const {
  SliceSize size;
  for (std::size_t at = first; at < std::min(first + lanes, order.size()); ++at) {
    const Row& row = rows_[static_cast<std::size_t>(order[at])];
    size.chunks = std::max<std::int64_t>(size.chunks, row.num_chunks);
    size.remainder = std::max<std::int64_t>(size.remainder, row.num_remainder);
  }
  return size;
}

double CodedBlockBuilder::bytes_of(const std::vector<std::int32_t>& order) const {
  double bytes = 0.0;
  for (std::size_t first = 0; first < order.size(); first += lanes) {
    const SliceSize size = slice_size(order, first);
    bytes += chunk_bytes * static_cast<double>(size.chunks) +
             remainder_bytes * static_cast<double>(size.remainder);
  }
  return bytes;
}

std::vector<std::int32_t> CodedBlockBuilder::choose_order() const {
  if (layout_.window > 0) return sorted_rows(layout_.window);
  const std::int64_t whole = std::max<std::int64_t>(std::ssize(rows_), coded_lanes);
  std::vector<std::int32_t> widest = sorted_rows(whole);
  const double most = (1.0 + layout_.window_tolerance) * bytes_of(widest);
  for (const std::int64_t window : {std::int64_t{coded_lanes}, std::int64_t{256}}) {
    if (window >= whole) break;
    std::vector<std::int32_t> order = sorted_rows(window);
    if (bytes_of(order) <= most) return order;
  }
  return widest;
}

std::uint32_t CodedBlockBuilder::advance(const CodedWord* words, std::size_t count) const {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < count; ++at) {
    sum += has_wide_jumps_ && code_of(words[at]) == 0 ? words[at] << 16 : delta_of(words[at]);
  }
  return sum;
}

void CodedBlockBuilder::place_words(const Row& row, std::int64_t chunks, CodedWord* words,
                                    ColumnIndex* bases) const {
  const CodedWord* from = words_.data() + row.first_word;
  std::uint32_t column = row.first_column;
  std::int64_t summed = 0;
  for (int part = 0; part < coded_parts; ++part) {
    const std::int64_t start = std::min<std::int64_t>(chunks * part / coded_parts, row.num_chunks);
    column += advance(from + summed * coded_chunk_words,
                      static_cast<std::size_t>((start - summed) * coded_chunk_words));
    summed = start;
    bases[part * coded_lanes] = static_cast<ColumnIndex>(column);
  }
  for (std::int32_t chunk = 0; chunk < row.num_chunks; ++chunk) {
    std::memcpy(words, from, coded_chunk_words * sizeof(CodedWord));
    words += slice_chunk_words;
    from += coded_chunk_words;
  }
  for (std::int64_t chunk = row.num_chunks; chunk < chunks; ++chunk, words += slice_chunk_words) {
    std::fill_n(words, coded_chunk_words, 0U);
  }
}

void CodedBlockBuilder::place_remainder(const Row& row, std::int64_t slots, double* values,
                                        ColumnIndex* columns) const {
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const bool is_used = slot < row.num_remainder;
    const std::size_t from = row.first_remainder + static_cast<std::size_t>(slot);
    values[slot * coded_lanes] = is_used ? remainder_values_.data()[from] : 0.0;
    columns[slot * coded_lanes] =
        is_used ? remainder_columns_.data()[from] : static_cast<ColumnIndex>(row.first_column);
  }
}

void CodedBlockBuilder::finish(CodedMatrix& a, std::int64_t block) {
  const std::vector<std::int32_t> order = choose_order();
  const std::size_t first_slice = static_cast<std::size_t>(block * a.slices_per_block);
  const auto first_row = static_cast<std::int32_t>(first_slice * lanes);
  SliceSize total;
  for (std::size_t first = 0, slice = first_slice; first < order.size(); first += lanes, ++slice) {
    const SliceSize size = slice_size(order, first);
    a.chunk_offsets[slice + 1] = size.chunks;
    a.remainder_offsets[slice + 1] = size.remainder;
    total.chunks += size.chunks;
    total.remainder += size.remainder;
  }
  CodedBlock& out = a.blocks[static_cast<std::size_t>(block)];
  out.words = Array<CodedWord>(static_cast<std::size_t>(total.chunks) * slice_chunk_words);
  out.remainder_values = Array<double>(static_cast<std::size_t>(total.remainder) * lanes);
  out.remainder_columns = Array<ColumnIndex>(static_cast<std::size_t>(total.remainder) * lanes);

  std::size_t chunk = 0;
  std::size_t slot = 0;
  for (std::size_t first = 0, slice = first_slice; first < order.size(); first += lanes, ++slice) {
    const std::int64_t chunks = a.chunk_offsets[slice + 1];
    const std::int64_t slots = a.remainder_offsets[slice + 1];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const bool has_row = first + lane < order.size();
      const std::int32_t local = has_row ? order[first + lane] : 0;
      const Row row = has_row ? rows_[static_cast<std::size_t>(local)] : Row{};
      a.permutation[slice * lanes + lane] = has_row ? first_row + local : -1;
      place_words(row, chunks, out.words.data() + chunk * slice_chunk_words + lane * coded_chunk_words,
                  a.bases.data() + slice * lanes * coded_parts + lane);
      place_remainder(row, slots, out.remainder_values.data() + slot * lanes + lane,
                      out.remainder_columns.data() + slot * lanes + lane);
    }
    chunk += static_cast<std::size_t>(chunks);
    slot += static_cast<std::size_t>(slots);
  }
}

}  // namespace cisolve

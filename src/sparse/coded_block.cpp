// SPDX-License-Identifier: MIT
#include "sparse/coded_block.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

constexpr std::size_t slice_chunk_words = coded_lanes * coded_chunk_words;

constexpr std::size_t slice_lanes = coded_lanes;
constexpr int lanes_together = 4;

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

void CodedBlockBuilder::check(const NumberedRow& row) const {
  if (row.columns.size() != row.numbers.size() || row.general_columns.size() != row.general_values.size()) {
    throw DimensionError("row source: a row has unlike numbers of columns and values");
  }
  // Columns ascend, so the ends tell whether all are in range.
  for (const auto& columns : {row.columns, row.general_columns}) {
    if (!columns.empty() && (columns.front() < 0 || columns.back() >= num_columns_)) {
      throw DimensionError("row source: a column is out of range");
    }
  }
}

/// Words of a row without jumps, all of whose values are common: nearly every row of a CI matrix.
/// @return false if the row is not of that kind, and the words are of no use
bool CodedBlockBuilder::code_quickly(const NumberedRow& row, CodedWord* words) const {
  const std::size_t size = row.columns.size();
  const ColumnIndex* const columns = row.columns.data();
  const ValueNumber* const numbers = row.numbers.data();
  const CodedWord* const entries = codes_.entries();
  if (size == 0) return true;
  ValueNumber largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::size_t at = 0; at < size; ++at) largest = std::max(largest, numbers[at] & ~negative_number);
  if (largest >= codes_.num_places()) return false;

  CodedWord seen = entries[place_of(numbers[0])];
  std::uint32_t deltas = 0;
  words[0] = sign_of(numbers[0]) | seen;
#pragma omp simd reduction(| : seen, deltas)
  for (std::size_t at = 1; at < size; ++at) {
    const CodedWord entry = entries[numbers[at] & ~negative_number];
    const auto delta = static_cast<std::uint32_t>(columns[at] - columns[at - 1]);
    seen |= entry;
    deltas |= delta | (delta - 1);  // a delta of 0 is no more possible than a large one
    words[at] = sign_of(numbers[at]) | entry | delta;
  }
  return deltas <= largest_delta && (seen & CodeTable::is_seldom) == 0;
}

/// Words of any row; what has no code goes to the remainder, which is merged by column.
CodedWord* CodedBlockBuilder::code_carefully(const NumberedRow& row, CodedWord* words, Row& record) {
  double* const values = remainder_values_.data() + record.first_remainder;
  ColumnIndex* const columns = remainder_columns_.data() + record.first_remainder;
  std::size_t general = 0;
  std::size_t num_remainder = 0;
  const auto take_general = [&](std::int64_t before) {
    for (; general < row.general_columns.size() && row.general_columns[general] < before; ++general) {
      values[num_remainder] = row.general_values[general];
      columns[num_remainder++] = row.general_columns[general];
    }
  };
  CodedWord* word = words;
  std::uint32_t previous = 0;
  for (std::size_t at = 0; at < row.columns.size(); ++at) {
    const ValueNumber number = row.numbers[at];
    if (place_of(number) >= codes_.num_places())
      throw DimensionError("row source: a number out of its table");
    if (at > 0 && row.columns[at] <= row.columns[at - 1]) {
      throw DimensionError("row source: columns are not ascending");
    }
    const CodedWord entry = codes_.entries()[place_of(number)];
    const CodedWord code = code_of(entry);
    const auto column = static_cast<std::uint32_t>(row.columns[at]);
    if (code == 0) {
      take_general(row.columns[at]);
      const double magnitude = codes_.value(place_of(number));
      values[num_remainder] = sign_of(number) != 0 ? -magnitude : magnitude;
      columns[num_remainder++] = row.columns[at];
      continue;
    }
    const bool is_seldom = (entry & CodeTable::is_seldom) != 0;
    if (word == words) previous = record.first_column = column;
    std::uint32_t delta = column - previous;
    if (delta > largest_delta) word = jump(word, delta);
    if (is_seldom) {
      used_[code] = 1;
      seldom_.push_back(static_cast<std::uint32_t>(word - words));
    }
    *word++ = sign_of(number) | (code << 16) | delta;
    previous = column;
  }
  record.num_seldom = static_cast<std::int32_t>(seldom_.size() - record.first_seldom);
  counts_.uncoded_values += static_cast<std::int64_t>(num_remainder - general);
  take_general(num_columns_);
  record.num_remainder = static_cast<std::int32_t>(num_remainder);
  return word;
}

void CodedBlockBuilder::add(const NumberedRow& row) {
  check(row);
  const std::size_t size = row.columns.size();
  const std::size_t num_general = row.general_columns.size();
  const std::size_t jumps =
      has_wide_jumps_ ? size : static_cast<std::size_t>(num_columns_) / largest_delta + 1;
  CodedWord* const words = words_.reserve(size + jumps + coded_chunk_words);
  double* const values = remainder_values_.reserve(num_general + size);
  ColumnIndex* const columns = remainder_columns_.reserve(num_general + size);
  Row record{.first_word = words_.size(),
             .first_remainder = remainder_values_.size(),
             .first_seldom = seldom_.size(),
             .num_chunks = 0,
             .num_remainder = static_cast<std::int32_t>(num_general),
             .num_seldom = 0,
             .first_column = 0};

  CodedWord* word = words + size;
  if (code_quickly(row, words)) {
    if (size > 0) record.first_column = static_cast<std::uint32_t>(row.columns.front());
    std::copy_n(row.general_values.data(), num_general, values);
    std::copy_n(row.general_columns.data(), num_general, columns);
  } else {
    word = code_carefully(row, words, record);
  }

  const std::size_t num_remainder = record.num_remainder;
  counts_.nonzeros += static_cast<std::int64_t>(size + num_general);
  counts_.coded += static_cast<std::int64_t>(size + num_general - num_remainder);
  counts_.uncoded_values += row.num_unlisted;
  while ((word - words) % coded_chunk_words != 0) *word++ = 0;
  record.num_chunks = static_cast<std::int32_t>((word - words) / coded_chunk_words);
  if (record.num_chunks == 0 && num_remainder > 0) {
    record.first_column = static_cast<std::uint32_t>(columns[0]);
  }
  words_.append(word - words);
  remainder_values_.append(num_remainder);
  remainder_columns_.append(num_remainder);
  rows_.push_back(record);
  sizes_.push_back({record.num_chunks, record.num_remainder});
}

std::uint32_t CodedBlockBuilder::advance(const CodedWord* words, std::size_t count) const {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < count; ++at) {
    sum += has_wide_jumps_ && code_of(words[at]) == 0 ? words[at] << 16 : delta_of(words[at]);
  }
  return sum;
}

void CodedBlockBuilder::place_bases(const Row& row, std::int64_t chunks, ColumnIndex* bases) const {
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
}

/// Words of four neighbouring lanes, whose chunks make up a cache line.
void CodedBlockBuilder::place_words(const Row* const rows[], std::int64_t chunks, CodedWord* words) const {
  constexpr std::size_t chunk_size = coded_chunk_words * sizeof(CodedWord);
  const CodedWord* from[lanes_together];
  std::int64_t common = chunks;
  for (int lane = 0; lane < lanes_together; ++lane) {
    from[lane] = words_.data() + rows[lane]->first_word;
    common = std::min<std::int64_t>(common, rows[lane]->num_chunks);
  }
  for (std::int64_t chunk = 0; chunk < common; ++chunk, words += slice_chunk_words) {
    for (int lane = 0; lane < lanes_together; ++lane) {
      std::memcpy(words + lane * coded_chunk_words, from[lane] + chunk * coded_chunk_words, chunk_size);
    }
  }
  for (std::int64_t chunk = common; chunk < chunks; ++chunk, words += slice_chunk_words) {
    for (int lane = 0; lane < lanes_together; ++lane) {
      if (chunk < rows[lane]->num_chunks) {
        std::memcpy(words + lane * coded_chunk_words, from[lane] + chunk * coded_chunk_words, chunk_size);
      } else {
        std::memset(words + lane * coded_chunk_words, 0, chunk_size);
      }
    }
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

/// What limits a product: how often a step of a warp passes the pipe by which loads leave the caches. About
/// four times for its words and values, and once for every cache line of x that its lanes lie in; the latter
/// on average over a few slices.
double CodedBlockBuilder::loads_per_step(std::span<const std::int32_t> order) const {
  constexpr double other_loads = 4.0;
  constexpr std::size_t sampled_slices = 2;
  constexpr std::uint32_t columns_per_line = 16;
  const std::size_t num_slices = order.size() / slice_lanes;
  std::int64_t steps = 0;
  std::int64_t lines = 0;
  for (std::size_t sample = 0; sample < std::min(num_slices, sampled_slices); ++sample) {
    const std::size_t first = (2 * sample + 1) * num_slices / (2 * sampled_slices) * slice_lanes;
    std::array<std::uint32_t, slice_lanes> columns;
    std::int32_t longest = 0;
    for (std::size_t lane = 0; lane < slice_lanes; ++lane) {
      const Row& row = rows_[order[first + lane]];
      columns[lane] = row.first_column;
      longest = std::max(longest, row.num_chunks);
    }
    // A table of the lines of one step, by open addressing; a place is free if it is of an earlier step.
    std::array<std::pair<std::int32_t, std::uint32_t>, 64> seen{};
    const std::int32_t num_steps = longest * coded_chunk_words;
    for (std::int32_t step = 0; step < num_steps; ++step) {
      for (std::size_t lane = 0; lane < slice_lanes; ++lane) {
        const Row& row = rows_[order[first + lane]];
        if (step < row.num_chunks * coded_chunk_words) {
          columns[lane] += advance(words_.data() + row.first_word + step, 1);
        }
        const std::uint32_t line = columns[lane] / columns_per_line;
        std::size_t at = line % seen.size();
        while (seen[at].first == step + 1 && seen[at].second != line) at = (at + 1) % seen.size();
        if (seen[at].first != step + 1) ++lines;
        seen[at] = {step + 1, line};
      }
    }
    steps += num_steps;
  }
  return other_loads + (steps == 0 ? 0.0 : static_cast<double>(lines) / static_cast<double>(steps));
}

std::vector<std::size_t> CodedBlockBuilder::finish(CodedMatrix& a, std::int64_t block) {
  const std::vector<std::int32_t> order =
      choose_order(sizes_, layout_, [this](std::span<const std::int32_t> rows, bool) {
        return static_cast<double>(bytes_of_slice(size_in_order(sizes_, rows))) * loads_per_step(rows);
      });
  const std::size_t first_slice = block * a.slices_per_block;
  const auto first_row = static_cast<std::int32_t>(first_slice * slice_lanes);
  CodedSize total;
  for (std::size_t first = 0, slice = first_slice; first < order.size(); first += slice_lanes, ++slice) {
    const CodedSize size = size_of_slice(sizes_, order, first);
    a.chunk_offsets[slice + 1] = size.chunks;
    a.remainder_offsets[slice + 1] = size.remainder;
    total.chunks += size.chunks;
    total.remainder += size.remainder;
  }
  CodedBlock& out = a.blocks[block];
  out.words = Array<CodedWord>(static_cast<std::size_t>(total.chunks) * slice_chunk_words);
  out.remainder_values = Array<double>(static_cast<std::size_t>(total.remainder) * slice_lanes);
  out.remainder_columns = Array<ColumnIndex>(static_cast<std::size_t>(total.remainder) * slice_lanes);

  const Row no_row{};
  std::vector<std::size_t> seldom;
  std::size_t chunk = 0;
  std::size_t slot = 0;
  for (std::size_t first = 0, slice = first_slice; first < order.size(); first += slice_lanes, ++slice) {
    const std::int64_t chunks = a.chunk_offsets[slice + 1];
    const std::int64_t slots = a.remainder_offsets[slice + 1];
    std::array<const Row*, slice_lanes> rows;
    for (std::size_t lane = 0; lane < slice_lanes; ++lane) {
      const bool has_row = first + lane < order.size();
      const std::int32_t local = has_row ? order[first + lane] : 0;
      rows[lane] = has_row ? &rows_[local] : &no_row;
      a.permutation[slice * slice_lanes + lane] = has_row ? first_row + local : -1;
      for (std::int32_t k = 0; k < rows[lane]->num_seldom; ++k) {
        const std::size_t at = seldom_[rows[lane]->first_seldom + static_cast<std::size_t>(k)];
        seldom.push_back((chunk + at / coded_chunk_words) * slice_chunk_words + lane * coded_chunk_words +
                         at % coded_chunk_words);
      }
      place_bases(*rows[lane], chunks, a.bases.data() + slice * slice_lanes * coded_parts + lane);
      place_remainder(*rows[lane], slots, out.remainder_values.data() + slot * slice_lanes + lane,
                      out.remainder_columns.data() + slot * slice_lanes + lane);
    }
    for (std::size_t lane = 0; lane < slice_lanes; lane += lanes_together) {
      place_words(&rows[lane], chunks,
                  out.words.data() + chunk * slice_chunk_words + lane * coded_chunk_words);
    }
    chunk += chunks;
    slot += slots;
  }
  return seldom;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/sparse/coded_sample.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "sparse/coded_slices.hpp"
#include "sparse/row_chunks.hpp"
#include "sparse/slice_order.hpp"
#include "sparse/value_numbers.hpp"

namespace cisolve {
namespace {

constexpr double words_per_chunk = coded_chunk_words;

/// Values of the rows of a slice and what they are made of.
class MeasuringSink final : public RowSink {
public:
  struct Row {
    std::int64_t length = 0;
    std::int64_t remainder = 0;
    std::int64_t jumps = 0;
  };

  void row(const MatrixRow& row) override {
    Row measured{std::ssize(row.columns), 0, 0};
    ColumnIndex previous = -1;
    for_each_element(row, [&](std::size_t at, bool is_general) {
      const std::uint64_t bits = magnitude_bits(row.values[at]);
      if (is_general || bits == 0) {
        ++measured.remainder;
        return;
      }
      ++counts[bits];
      if (previous >= 0) measured.jumps += (row.columns[at] - previous - 1) / std::int64_t{largest_delta};
      previous = row.columns[at];
    });
    rows.push_back(measured);
  }

  std::vector<Row> rows;
  std::unordered_map<std::uint64_t, std::int64_t> counts;
};

/// Entries of the sample whose values are not among the `most` most frequent ones.
std::int64_t count_uncoded(const std::unordered_map<std::uint64_t, std::int64_t>& counts, std::size_t most) {
  if (counts.size() <= most) return 0;
  std::vector<std::int64_t> sizes;
  for (const auto& [bits, count] : counts) sizes.push_back(count);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::int64_t sum = 0;
  for (std::size_t at = most; at < sizes.size(); ++at) sum += sizes[at];
  return sum;
}

/// A row of that length, in the proportions of the sample.
CodedSize size_of_row(double length, const CodedSample& sample) {
  const double general = sample.remainder_per_row + sample.remainder_share * length;
  const double remainder = std::clamp(general + sample.uncoded_share * length, 0.0, length);
  const double words = (length - remainder) * (1.0 + sample.jump_share);
  return {.chunks = static_cast<std::int64_t>(std::ceil(words / words_per_chunk)),
          .remainder = static_cast<std::int64_t>(std::ceil(remainder))};
}

/// Least squares of the remainder over the length: the rows of a sample are not spread over the lengths as
/// those of the matrix are, and short rows have larger shares.
void fit_remainder(std::span<const MeasuringSink::Row> rows, const MeasuringSink::Row& total,
                   CodedSample& sample) {
  const auto count = static_cast<double>(rows.size());
  const double mean_length = static_cast<double>(total.length) / count;
  const double mean_remainder = static_cast<double>(total.remainder) / count;
  double square = 0.0;
  double product = 0.0;
  for (const MeasuringSink::Row& row : rows) {
    const double length = static_cast<double>(row.length) - mean_length;
    square += length * length;
    product += length * (static_cast<double>(row.remainder) - mean_remainder);
  }
  // Rows of one length say nothing of others: then in proportion.
  sample.remainder_share = square > 0.0 ? product / square : mean_remainder / mean_length;
  sample.remainder_per_row = mean_remainder - sample.remainder_share * mean_length;
}

/// What the slices of a window of these rows have in excess of what lengths let expect.
CodedSample::Excess measure_excess(std::span<const MeasuringSink::Row> rows, const CodedSample& sample,
                                   std::int64_t window) {
  std::vector<CodedSize> found;
  std::vector<CodedSize> expected;
  for (const MeasuringSink::Row& row : rows) {
    const double uncoded = sample.uncoded_share * static_cast<double>(row.length);
    const double words = static_cast<double>(row.length - row.remainder + row.jumps) - uncoded;
    found.push_back(
        {std::llround(std::ceil(words / words_per_chunk)), row.remainder + std::llround(uncoded)});
    expected.push_back(size_of_row(static_cast<double>(row.length), sample));
  }
  const CodedSize of = size_in_order(found, sorted_rows(found, window));
  const CodedSize to = size_in_order(expected, sorted_rows(expected, window));
  const auto ratio = [](std::int64_t over, std::int64_t under) {
    return under == 0 ? 1.0 : static_cast<double>(over) / static_cast<double>(under);
  };
  return {ratio(of.chunks, to.chunks), ratio(of.remainder, to.remainder)};
}

}  // namespace

CodedSample sample_coded(const RowSource& source, const std::stop_token& stop) {
  const SampledSlices slices(source.num_rows());
  std::vector<MeasuringSink> sinks(slices.count());
  for_each_chunk(slices.count(), {.progress = {}, .stop = stop, .rows_per_chunk = 1},
                 [&](RowRange one) { source.fill(slices[one.first], sinks[one.first]); });

  std::vector<MeasuringSink::Row> rows;
  std::unordered_map<std::uint64_t, std::int64_t> counts;
  for (const MeasuringSink& sink : sinks) {
    rows.insert(rows.end(), sink.rows.begin(), sink.rows.end());
    for (const auto& [bits, count] : sink.counts) counts[bits] += count;
  }
  MeasuringSink::Row total;
  for (const MeasuringSink::Row& row : rows) {
    total = {total.length + row.length, total.remainder + row.remainder, total.jumps + row.jumps};
  }
  if (total.length == 0) return {};
  CodedSample sample;
  sample.num_values = std::ssize(counts);
  sample.uncoded_share =
      static_cast<double>(count_uncoded(counts, largest_code)) / static_cast<double>(total.length);
  const std::int64_t coded = total.length - total.remainder;
  sample.jump_share = coded > 0 ? static_cast<double>(total.jumps) / static_cast<double>(coded) : 0.0;
  fit_remainder(rows, total, sample);
  sample.of_neighbours = measure_excess(rows, sample, coded_lanes);
  sample.of_sorted = measure_excess(rows, sample, std::ssize(rows));
  return sample;
}

std::int64_t estimate_coded_bytes(std::span<const std::int64_t> lengths, const CodedSample& sample,
                                  const CodedLayout& layout) {
  const std::int64_t rows = std::ssize(lengths);
  const std::int64_t block_rows = rows_per_coded_block(rows, layout);
  const std::int64_t num_blocks = (rows + block_rows - 1) / block_rows;
  const auto bytes_of = [&](const CodedSize& size, bool is_sorted) {
    const CodedSample::Excess& excess = is_sorted ? sample.of_sorted : sample.of_neighbours;
    return bytes_of_slice({std::llround(static_cast<double>(size.chunks) * excess.chunks),
                           std::llround(static_cast<double>(size.remainder) * excess.remainder)});
  };
  std::int64_t bytes = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : bytes)
  for (std::int64_t block = 0; block < num_blocks; ++block) {
    const std::size_t first_row = block * block_rows;
    std::vector<CodedSize> sizes;
    for (const std::int64_t length : lengths.subspan(
             first_row, std::min(static_cast<std::size_t>(block_rows), lengths.size() - first_row))) {
      sizes.push_back(size_of_row(static_cast<double>(length), sample));
    }
    double least = std::numeric_limits<double>::infinity();
    const auto order =
        choose_order(sizes, layout, [&](std::span<const std::int32_t> rows_in_order, bool sorted) {
          const auto of_order = static_cast<double>(bytes_of(size_in_order(sizes, rows_in_order), sorted));
          least = std::min(least, of_order);
          return of_order;
        });
    bytes += layout.window > 0 ? bytes_of(size_in_order(sizes, order), layout.window > coded_lanes)
                               : static_cast<std::int64_t>(least);
  }
  const std::int64_t slices = (rows + coded_lanes - 1) / coded_lanes;
  const std::int64_t codes = std::min<std::int64_t>(sample.num_values, layout.max_codes) + 1;
  const std::int64_t order = layout.row_order == RowOrder::given ? 0 : 4 * rows;
  return bytes + order + slices * coded_lanes * 4 * (1 + coded_parts) + 2 * 8 * (slices + 1) + 8 * codes;
}

}  // namespace cisolve

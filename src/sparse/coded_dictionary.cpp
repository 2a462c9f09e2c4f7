// SPDX-License-Identifier: MIT
#include "sparse/coded_dictionary.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "sparse/bank_numbering.hpp"
#include "sparse/coded_slices.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

constexpr std::size_t most_of_row = 4096;  // bounds the memory of the sample
constexpr std::size_t most_grouped_slices = 32;
constexpr std::int64_t census_entries = std::int64_t{1} << 23;

/// Places of the values of some rows.
class SamplingSink final : public NumberedRowSink {
public:
  explicit SamplingSink(std::size_t num_places) : num_places_(num_places) {}

  void row(const NumberedRow& row) override {
    entries_ += std::ssize(row.numbers);
    std::vector<std::uint32_t>& places = rows_.emplace_back();
    for (const ValueNumber number : row.numbers.first(std::min(row.numbers.size(), most_of_row))) {
      if (place_of(number) >= num_places_) throw DimensionError("row source: a number out of its table");
      places.push_back(static_cast<std::uint32_t>(place_of(number)));
    }
  }

  /// Calls visit(place) step by step, lane by lane.
  template <class Visit>
  void for_each_place(Visit&& visit) const {
    std::size_t longest = 0;
    for (const auto& row : rows_) longest = std::max(longest, row.size());
    for (std::size_t step = 0; step < longest; ++step) {
      for (const auto& row : rows_) {
        if (step < row.size()) visit(row[step]);
      }
    }
  }
  /// Adds the codes of each step, code_of_place(place), to `groups`.
  template <class CodeOfPlace>
  void group(CodeOfPlace&& code_of_place, CodeGroups& groups) const {
    std::array<CodedWord, CodeGroups::lanes> codes;
    for (std::size_t first = 0; first < rows_.size(); first += codes.size()) {
      const std::size_t last = std::min(first + codes.size(), rows_.size());
      std::size_t longest = 0;
      for (std::size_t lane = first; lane < last; ++lane) longest = std::max(longest, rows_[lane].size());
      for (std::size_t step = 0; step < longest; ++step) {
        std::size_t size = 0;
        for (std::size_t lane = first; lane < last; ++lane) {
          if (step < rows_[lane].size()) codes[size++] = code_of_place(rows_[lane][step]);
        }
        groups.add({codes.data(), size});
      }
    }
  }
  /// Leaves out the places that keep(place) denies.
  template <class Keep>
  void filter(Keep&& keep) {
    for (auto& row : rows_) std::erase_if(row, [&](std::uint32_t place) { return !keep(place); });
  }
  std::int64_t entries() const { return entries_; }

private:
  std::size_t num_places_;
  std::int64_t entries_ = 0;
  std::vector<std::vector<std::uint32_t>> rows_;
};

std::vector<SamplingSink> sample(const NumberedRowSource& rows, const std::stop_token& stop) {
  const SampledSlices slices(rows.num_rows());
  std::vector<SamplingSink> result(slices.count(), SamplingSink(rows.magnitudes().size()));
  for_each_chunk(slices.count(), {.progress = {}, .stop = stop, .rows_per_chunk = 1},
                 [&](RowRange one) { rows.fill(slices[one.first], result[one.first]); });
  return result;
}

/// Counts the places of all rows.
class CensusSink final : public NumberedRowSink {
public:
  explicit CensusSink(std::size_t num_places) : counts(num_places, 0) {}
  void row(const NumberedRow& row) override {
    for (const ValueNumber number : row.numbers) ++counts.at(place_of(number));
  }
  std::vector<std::int64_t> counts;
};

/// How often each value occurs in groups of rows spread over the matrix.
std::vector<std::int64_t> census(const NumberedRowSource& rows, std::int64_t entries_per_row,
                                 const std::stop_token& stop) {
  constexpr std::int64_t group_rows = 16;
  const std::int64_t n = rows.num_rows();
  const std::int64_t groups = (n + group_rows - 1) / group_rows;
  const std::int64_t wanted = census_entries / (group_rows * std::max<std::int64_t>(entries_per_row, 1)) + 1;
  const std::int64_t stride = std::max<std::int64_t>(groups / wanted, 1);
  const std::size_t num_places = rows.magnitudes().size();
  std::vector<CensusSink> sinks(omp_get_max_threads(), CensusSink(num_places));
  for_each_chunk((groups + stride - 1) / stride, {.progress = {}, .stop = stop, .rows_per_chunk = 1},
                 [&](RowRange one) {
                   const std::int64_t first = one.first * stride * group_rows;
                   rows.fill({first, std::min(first + group_rows, n)}, sinks[omp_get_thread_num()]);
                 });
  std::vector<std::int64_t> counts(num_places, 0);
  for (const CensusSink& sink : sinks) {
    for (std::size_t place = 0; place < num_places; ++place) counts[place] += sink.counts[place];
  }
  return counts;
}

/// Places that get codes, ascending by magnitude.
std::vector<std::uint32_t> choose_places(const NumberedRowSource& rows, std::size_t max_codes,
                                         std::int64_t entries_per_row, const std::stop_token& stop) {
  const std::span<const double> magnitudes = rows.magnitudes();
  std::vector<std::uint32_t> places(magnitudes.size());
  std::iota(places.begin(), places.end(), 0U);
  if (places.size() > max_codes) {
    const std::vector<std::int64_t> counts = census(rows, entries_per_row, stop);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::uint32_t left, std::uint32_t right) { return counts[left] > counts[right]; });
    places.resize(max_codes);
  }
  std::sort(places.begin(), places.end(), [&](std::uint32_t left, std::uint32_t right) {
    return std::bit_cast<std::uint64_t>(magnitudes[left]) < std::bit_cast<std::uint64_t>(magnitudes[right]);
  });
  return places;
}

}  // namespace

CodeTable::CodeTable(const NumberedRowSource& rows, std::int32_t max_codes, const std::stop_token& stop)
    : entries_(rows.magnitudes().size(), is_seldom), values_(rows.magnitudes()), magnitudes_{0.0} {
  std::vector<SamplingSink> slices = sample(rows, stop);
  std::int64_t entries = 0;
  for (const SamplingSink& slice : slices) entries += slice.entries();
  const std::int64_t sampled_rows = SampledSlices(rows.num_rows()).num_rows();
  const std::vector<std::uint32_t> places = choose_places(
      rows, static_cast<std::size_t>(max_codes), entries / std::max<std::int64_t>(sampled_rows, 1), stop);

  constexpr CodedWord waiting = 3;
  const auto code = [&](std::uint32_t place, CodedWord flag) {
    entries_[place] = static_cast<CodedWord>(magnitudes_.size()) << 16 | flag;
    magnitudes_.push_back(rows.magnitudes()[place]);
  };
  for (const std::uint32_t place : places) entries_[place] = waiting;
  if (places.size() < entries_.size()) {
    for (SamplingSink& slice : slices) {
      slice.filter([&](std::uint32_t place) { return entries_[place] != is_seldom; });
    }
  }
  for (const SamplingSink& slice : slices) {
    if (magnitudes_.size() > places.size()) break;
    slice.for_each_place([&](std::uint32_t place) {
      if (entries_[place] == waiting) code(place, 0);
    });
  }
  last_common_ = num_codes();
  spread_over_banks(slices);
  for (const std::uint32_t place : places) {
    if (entries_[place] == waiting) code(place, is_seldom);
  }
}

/// Numbers the common codes anew.
template <class Slices>
void CodeTable::spread_over_banks(const Slices& slices) {
  CodeGroups groups;
  const std::size_t stride = (slices.size() + most_grouped_slices - 1) / most_grouped_slices;
  for (std::size_t at = 0; at < slices.size(); at += stride) {
    slices[at].group([this](std::uint32_t place) { return code_of(entries_[place]); }, groups);
  }
  const std::vector<CodedWord> numbers = number_by_banks(last_common_, groups);
  const std::vector<double> before = magnitudes_;
  for (CodedWord code = 1; code <= last_common_; ++code) magnitudes_[numbers[code]] = before[code];
  for (CodedWord& entry : entries_) {
    if ((entry & 0xffffU) == 0) entry = numbers[code_of(entry)] << 16;
  }
}

void make_dictionary(CodedMatrix& a, const CodeTable& table, const std::vector<std::uint8_t>& used,
                     const std::vector<std::vector<std::size_t>>& seldom) {
  std::vector<double> dictionary;
  std::vector<CodedWord> numbers(table.num_codes() + 1, 0);  // by the table's codes, << 16
  bool any_moved = false;
  for (CodedWord code = 0; code <= table.num_codes(); ++code) {
    if (code > table.last_common() && used[code] == 0) continue;
    any_moved = any_moved || code != dictionary.size();
    numbers[code] = static_cast<CodedWord>(dictionary.size()) << 16;
    dictionary.push_back(table.magnitude(code));
  }
  a.dictionary = Array<double>(dictionary.size());
  std::copy(dictionary.begin(), dictionary.end(), a.dictionary.begin());
  if (!any_moved) return;
  const std::int64_t num_blocks = std::ssize(a.blocks);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t block = 0; block < num_blocks; ++block) {
    CodedWord* const words = a.blocks[block].words.data();
    for (const std::size_t at : seldom[block]) {
      CodedWord& word = words[at];
      word = sign_of(word) | numbers[code_of(word)] | delta_of(word);
    }
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "sparse/value_numbers.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "cisolve/core/error.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t sampled_entries = std::int64_t{1} << 23;

/// More distinct magnitudes than wanted.
struct TooManyMagnitudes {};

/// Notes the magnitudes of elements that are not general.
class CollectingSink final : public RowSink {
public:
  explicit CollectingSink(std::size_t most) : most_(most) {}

  void row(const MatrixRow& row) override {
    for_each_element(row, [&](std::size_t at, bool is_general) {
      const std::uint64_t bits = magnitude_bits(row.values[at]);
      if (!is_general && bits != 0) found_.insert(bits);
    });
    if (found_.size() > most_) throw TooManyMagnitudes{};
  }
  const MagnitudeMap& found() const { return found_; }

private:
  std::size_t most_;
  MagnitudeMap found_;
};

/// Counts them, up to a number of entries.
class CountingSink final : public RowSink {
public:
  explicit CountingSink(std::int64_t budget) : budget_(budget) {}

  void row(const MatrixRow& row) override {
    for_each_element(row, [&](std::size_t at, bool is_general) {
      if (is_general || budget_ <= 0) return;
      ++counts_[magnitude_bits(row.values[at])];
      --budget_;
    });
  }
  bool is_full() const { return budget_ <= 0; }
  const std::unordered_map<std::uint64_t, std::int64_t>& counts() const { return counts_; }

private:
  std::int64_t budget_;
  std::unordered_map<std::uint64_t, std::int64_t> counts_;
};

/// All magnitudes, ascending.
/// @throws TooManyMagnitudes
std::vector<std::uint64_t> all_magnitudes(const RowSource& source, std::size_t most,
                                          const BuildOptions& options) {
  std::vector<CollectingSink> sinks(omp_get_max_threads(), CollectingSink(most));
  for_each_chunk(source.num_rows(), options,
                 [&](RowRange range) { source.fill(range, sinks[omp_get_thread_num()]); });
  std::vector<std::uint64_t> all;
  for (const CollectingSink& sink : sinks) {
    const std::vector<std::uint64_t> found = sink.found().all();
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > most) throw TooManyMagnitudes{};
  return all;
}

/// The most frequent of a sample, ascending; of equally frequent ones the smaller.
std::vector<std::uint64_t> most_frequent_magnitudes(const RowSource& source, std::size_t most) {
  // Every stride-th group of rows, then those beside them, until the budget is used: small matrices are
  // counted whole, and in large ones the sample is spread evenly.
  constexpr std::int64_t group_rows = 16;
  const std::int64_t n = source.num_rows();
  const std::int64_t groups = (n + group_rows - 1) / group_rows;
  const std::int64_t stride = std::max<std::int64_t>(groups / 256, 1);
  CountingSink sink(sampled_entries);
  for (std::int64_t first = 0; first < stride && !sink.is_full(); ++first) {
    for (std::int64_t group = first; group < groups && !sink.is_full(); group += stride) {
      source.fill({group * group_rows, std::min((group + 1) * group_rows, n)}, sink);
    }
  }
  std::vector<std::pair<std::int64_t, std::uint64_t>> order;
  for (const auto& [bits, count] : sink.counts()) {
    if (bits != 0) order.emplace_back(-count, bits);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most));
  std::vector<std::uint64_t> result;
  for (const auto& [count, bits] : order) result.push_back(bits);
  std::sort(result.begin(), result.end());
  return result;
}

class NumberedByBits final : public NumberedRowSource {
public:
  NumberedByBits(const RowSource& source, const std::vector<std::uint64_t>& magnitudes) : source_(source) {
    for (const std::uint64_t bits : magnitudes) {
      numbers_.insert(bits);
      magnitudes_.push_back(std::bit_cast<double>(bits));
    }
  }

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::int64_t num_columns() const override { return source_.num_columns(); }
  std::span<const double> magnitudes() const override { return magnitudes_; }
  void fill(RowRange range, NumberedRowSink& sink) const override {
    Translator translator(numbers_, sink);
    source_.fill(range, translator);
  }

private:
  class Translator final : public RowSink {
  public:
    Translator(const MagnitudeMap& numbers, NumberedRowSink& next) : numbers_(numbers), next_(next) {}

    void row(const MatrixRow& row) override {
      columns_.clear();
      codes_.clear();
      general_columns_.clear();
      general_values_.clear();
      std::int64_t num_unlisted = 0;
      for_each_element(row, [&](std::size_t at, bool is_general) {
        const std::uint64_t bits = magnitude_bits(row.values[at]);
        const std::uint32_t number = is_general ? MagnitudeMap::none : numbers_.find(bits);
        if (number == MagnitudeMap::none) {
          if (!is_general && bits != 0) ++num_unlisted;
          general_columns_.push_back(row.columns[at]);
          general_values_.push_back(row.values[at]);
          return;
        }
        columns_.push_back(row.columns[at]);
        codes_.push_back(number | (std::signbit(row.values[at]) ? negative_number : 0U));
      });
      next_.row({row.index, columns_, codes_, general_columns_, general_values_, num_unlisted});
    }

  private:
    const MagnitudeMap& numbers_;
    NumberedRowSink& next_;
    std::vector<ColumnIndex> columns_;
    std::vector<ValueNumber> codes_;
    std::vector<ColumnIndex> general_columns_;
    std::vector<double> general_values_;
  };

  const RowSource& source_;
  MagnitudeMap numbers_;
  std::vector<double> magnitudes_;
};

}  // namespace

void MagnitudeMap::insert(std::uint64_t bits) {
  if (find(bits) != none) return;
  if ((size_ + 1) * 4 > slots_.size()) rehash(64 - shift_ + 1);
  place({bits, static_cast<std::uint32_t>(size_++)});
}

std::vector<std::uint64_t> MagnitudeMap::all() const {
  std::vector<std::uint64_t> result;
  for (const Slot& slot : slots_) {
    if (slot.bits != 0) result.push_back(slot.bits);
  }
  return result;
}

void MagnitudeMap::place(const Slot& slot) {
  std::size_t at = first_slot(slot.bits);
  while (slots_[at].bits != 0) at = (at + 1) & mask_;
  slots_[at] = slot;
}

void MagnitudeMap::rehash(int log2_slots) {
  const std::vector<Slot> before = std::exchange(slots_, {});
  shift_ = 64 - log2_slots;
  slots_.assign(std::size_t{1} << log2_slots, {});
  mask_ = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.bits != 0) place(slot);
  }
}

std::unique_ptr<const NumberedRowSource> number_values(const RowSource& source, std::size_t most,
                                                       const BuildOptions& options) {
  std::vector<std::uint64_t> magnitudes;
  try {
    magnitudes = all_magnitudes(source, most, options);
  } catch (const TooManyMagnitudes&) {
    magnitudes = most_frequent_magnitudes(source, most);
  }
  return std::make_unique<NumberedByBits>(source, magnitudes);
}

}  // namespace cisolve

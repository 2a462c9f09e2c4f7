// SPDX-License-Identifier: MIT
#include "cisolve/sampling/series.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

std::vector<std::span<const double>> cut_into_chains(std::span<const double> values, int chains) {
  if (chains < 1) throw DimensionError("SeriesView: there must be a chain");
  const auto count = static_cast<std::size_t>(chains);
  if (values.size() % count != 0) throw DimensionError("SeriesView: chains must be of equal length");
  const std::size_t length = values.size() / count;
  std::vector<std::span<const double>> rows(count);
  for (std::size_t c = 0; c < count; ++c) rows[c] = values.subspan(c * length, length);
  return rows;
}

std::size_t values_of_a_chain(std::int64_t limit_bytes, int chains) {
  if (chains < 1) throw DimensionError("ChainSeries: there must be a chain");
  if (limit_bytes <= 0) throw DimensionError("ChainSeries: the limit must be positive");
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(double)) * chains;
  return static_cast<std::size_t>(std::max<std::int64_t>(2, limit_bytes / bytes));
}

bool has_pending(std::int64_t measurements, std::size_t level) { return (measurements >> level & 1) != 0; }

}  // namespace

SeriesView::SeriesView(std::span<const double> values, int chains, std::int64_t averaged)
    : SeriesView(cut_into_chains(values, chains), averaged) {}

SeriesView::SeriesView(std::vector<std::span<const double>> rows, std::int64_t averaged)
    : rows_(std::move(rows)), averaged_(averaged) {
  if (rows_.empty()) throw DimensionError("SeriesView: there must be a chain");
  if (averaged < 1) throw DimensionError("SeriesView: a value is the mean of one measurement at least");
  for (const auto& row : rows_) {
    if (row.size() != rows_.front().size()) {
      throw DimensionError("SeriesView: chains must be of equal length");
    }
  }
}

SeriesView SeriesView::part(std::int64_t first, std::int64_t count) const {
  if (first < 0 || count < 0 || first + count > length()) {
    throw DimensionError("SeriesView: the part is not in the series");
  }
  std::vector<std::span<const double>> rows = rows_;
  for (auto& row : rows) row = row.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  return SeriesView(std::move(rows), averaged_);
}

ChainSeries::ChainSeries(int chains, std::int64_t limit_bytes)
    : most_values_(values_of_a_chain(limit_bytes, chains)), rows_(static_cast<std::size_t>(chains)) {}

ChainSeries::ChainSeries(const SeriesState& state, std::int64_t limit_bytes)
    : ChainSeries(state.chains, limit_bytes) {
  if (state.averaged < 1 || (state.averaged & (state.averaged - 1)) != 0 || state.measurements < 0) {
    throw DimensionError("ChainSeries: the state's numbers are out of range");
  }
  std::size_t levels = 0;
  while ((std::int64_t{1} << levels) < state.averaged) ++levels;
  const auto length = static_cast<std::size_t>(state.measurements >> levels);
  const std::size_t chains = rows_.size();
  if (state.values.size() != chains * length || state.pending.size() != chains * levels ||
      state.firsts.size() != chains || state.sums.size() != chains || state.squares.size() != chains) {
    throw DimensionError("ChainSeries: the state's arrays do not agree");
  }
  const std::span<const double> values = state.values, pending = state.pending;
  for (std::size_t c = 0; c < chains; ++c) {
    Row& row = rows_[c];
    row.totals = {state.measurements, state.firsts[c], state.sums[c], state.squares[c]};
    const auto own_values = values.subspan(c * length, length);
    const auto own_pending = pending.subspan(c * levels, levels);
    row.values.assign(own_values.begin(), own_values.end());
    row.pending.assign(own_pending.begin(), own_pending.end());
    while (row.values.size() > most_values_) average_pairs(row);
  }
}

void ChainSeries::append(int chain, std::span<const double> measurements) {
  if (chain < 0 || chain >= chains()) throw DimensionError("ChainSeries: there is no such chain");
  Row& row = rows_[static_cast<std::size_t>(chain)];
  for (const double value : measurements) take(row, value);
}

/// Adds one to a binary counter, whose digits are the means of 1, 2, 4, .. measurements: a carry is a mean of two.
void ChainSeries::take(Row& row, double value) const {
  const std::int64_t before = row.totals.count;
  row.totals.add(value);
  std::size_t level = 0;
  for (; level < row.pending.size() && has_pending(before, level); ++level) {
    value = 0.5 * (row.pending[level] + value);
  }
  if (level < row.pending.size()) {
    row.pending[level] = value;
    return;
  }
  if (row.values.size() == row.values.capacity()) {  // not twice the limit, as push_back might
    row.values.reserve(std::min(most_values_ + 1, std::max<std::size_t>(64, 2 * row.values.size())));
  }
  row.values.push_back(value);
  if (row.values.size() > most_values_) average_pairs(row);
}

/// One more level of the tree; a last value without a partner waits for it.
void ChainSeries::average_pairs(Row& row) const {
  const std::size_t pairs = row.values.size() / 2;
  row.pending.push_back(row.values.size() % 2 != 0 ? row.values.back() : 0.0);
  for (std::size_t k = 0; k < pairs; ++k) row.values[k] = 0.5 * (row.values[2 * k] + row.values[2 * k + 1]);
  row.values.resize(pairs);
}

std::int64_t ChainSeries::measurements() const {
  const std::int64_t count = rows_.front().totals.count;
  for (const Row& row : rows_) {
    if (row.totals.count != count) {
      throw DimensionError("ChainSeries: chains have measured unequal numbers of times");
    }
  }
  return count;
}

std::int64_t ChainSeries::averaged() const {
  measurements();  // chains that measured as often were averaged as often
  return std::int64_t{1} << rows_.front().pending.size();
}

SeriesView ChainSeries::view() const {
  std::vector<std::span<const double>> rows;
  rows.reserve(rows_.size());
  for (const Row& row : rows_) rows.emplace_back(row.values);
  return SeriesView(std::move(rows), averaged());
}

std::vector<ChainTotals> ChainSeries::totals() const {
  std::vector<ChainTotals> totals;
  totals.reserve(rows_.size());
  for (const Row& row : rows_) totals.push_back(row.totals);
  return totals;
}

SeriesState ChainSeries::state() const {
  SeriesState state;
  state.chains = chains();
  state.measurements = measurements();
  state.averaged = averaged();
  for (const Row& row : rows_) {
    state.values.insert(state.values.end(), row.values.begin(), row.values.end());
    for (std::size_t level = 0; level < row.pending.size(); ++level) {
      state.pending.push_back(has_pending(state.measurements, level) ? row.pending[level] : 0.0);
    }
    state.firsts.push_back(row.totals.first);
    state.sums.push_back(row.totals.sum);
    state.squares.push_back(row.totals.squares);
  }
  return state;
}

}  // namespace cisolve

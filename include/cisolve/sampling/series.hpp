// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cisolve {

/// Sums over all measurements of one chain, kept beside its series: averaging neighbours would lose the variance.
/// They are taken from the first measurement on, so that a mean far from zero costs no digits.
struct ChainTotals {
  std::int64_t count = 0;
  double first = 0.0;    ///< the first measurement x_0
  double sum = 0.0;      ///< sum of x_k - x_0, in the order of k
  double squares = 0.0;  ///< sum of (x_k - x_0)^2, likewise

  /// Takes one more measurement.
  void add(double value) {
    if (count == 0) first = value;
    const double difference = value - first;
    sum += difference;
    squares += difference * difference;
    ++count;
  }
  /// Of no measurements: 0.
  double mean() const { return count == 0 ? 0.0 : first + sum / static_cast<double>(count); }
  bool operator==(const ChainTotals&) const = default;
};

/// Reads a series of several chains, [chains x length]. Valid as long as what it was made from is not changed.
class SeriesView {
public:
  /// @param values    one chain after another
  /// @param chains    >= 1
  /// @param averaged  measurements that each value is the mean of, >= 1
  /// @throws DimensionError if the chains are not of equal length, or a number is out of range
  SeriesView(std::span<const double> values, int chains, std::int64_t averaged = 1);
  /// @param rows  one per chain, of equal length
  /// @throws DimensionError as above
  explicit SeriesView(std::vector<std::span<const double>> rows, std::int64_t averaged = 1);

  int chains() const { return static_cast<int>(rows_.size()); }
  std::int64_t length() const { return static_cast<std::int64_t>(rows_.front().size()); }  ///< of each chain
  std::int64_t size() const { return chains() * length(); }                                ///< of all chains
  std::int64_t averaged() const { return averaged_; }
  std::span<const double> chain(int number) const { return rows_[static_cast<std::size_t>(number)]; }
  /// `count` values of each chain from value `first` on.
  /// @throws DimensionError if there are fewer
  SeriesView part(std::int64_t first, std::int64_t count) const;

private:
  std::vector<std::span<const double>> rows_;
  std::int64_t averaged_ = 1;
};

/// A ChainSeries as plain arrays, for a checkpoint.
struct SeriesState {
  int chains = 0;
  std::int64_t measurements = 0;  ///< of each chain
  std::int64_t averaged = 1;      ///< measurements per value, a power of two
  std::vector<double> values;     ///< [chains x measurements / averaged]
  /// Means of the measurements that do not fill a value yet, [chains x log2(averaged)]: element l is of 2^l of them
  /// if bit l of `measurements` is set, else 0. Those of more measurements came first.
  std::vector<double> pending;
  std::vector<double> firsts, sums, squares;  ///< [chains], see ChainTotals

  bool operator==(const SeriesState&) const = default;
};

/// What many Markov chains measured, in bounded memory. Once the values of a chain exceed its share of the limit,
/// neighbours are averaged in pairs, again and again.
///
/// Value k of a chain is the mean of measurements 2^j k .. 2^j (k + 1) - 1 by a binary tree, j the least for which
/// the chain's values fit: a function of the chain's measurements and the limit alone, to the last bit, wherever
/// blocks or restarts cut the series. Measurements that do not fill a value yet are kept and counted in the totals.
class ChainSeries {
public:
  static constexpr std::int64_t default_limit = std::int64_t{256} << 20;  ///< bytes

  /// An empty series.
  /// @param chains       >= 1
  /// @param limit_bytes  for the values of all chains, > 0; each chain may hold two in any case
  /// @throws DimensionError if a number is out of range
  explicit ChainSeries(int chains, std::int64_t limit_bytes = default_limit);
  /// The series that `state` was taken from. Under a smaller limit than then it is averaged further; under a larger
  /// one its values stay as long as they are.
  /// @throws DimensionError if the arrays' lengths do not agree
  explicit ChainSeries(const SeriesState& state, std::int64_t limit_bytes = default_limit);

  /// Takes the next measurements of one chain. Different chains may be appended to at the same time.
  /// @throws DimensionError if there is no such chain
  void append(int chain, std::span<const double> measurements);

  int chains() const { return static_cast<int>(rows_.size()); }
  /// Of each chain.
  /// @throws DimensionError if chains have measured unequal numbers: a block is not finished
  std::int64_t measurements() const;
  /// Measurements that each value of the view is the mean of, a power of two.
  /// @throws DimensionError as `measurements`
  std::int64_t averaged() const;
  /// The values; valid until the next append.
  /// @throws DimensionError as `measurements`
  SeriesView view() const;
  /// Of each chain, over all its measurements.
  std::vector<ChainTotals> totals() const;
  /// @throws DimensionError as `measurements`
  SeriesState state() const;

private:
  struct Row {
    ChainTotals totals;
    std::vector<double> values;
    std::vector<double> pending;  // one per time that pairs were averaged; see SeriesState
  };

  void take(Row& row, double value) const;
  void average_pairs(Row& row) const;

  std::size_t most_values_ = 0;  // of a chain
  std::vector<Row> rows_;
};

}  // namespace cisolve

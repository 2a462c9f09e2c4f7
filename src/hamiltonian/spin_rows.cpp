// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_rows.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

using Element = std::pair<ColumnIndex, double>;

std::int64_t binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  std::int64_t result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

}  // namespace

/// visit(row, elements) with the nonzero elements of each row, columns ascending.
template <int Words>
template <class Visit>
void SpinRowSource<Words>::for_each_row(RowRange range, Visit&& visit) const {
  if (range.size() <= 0) return;
  std::vector<Determinant<Words>> determinants(static_cast<std::size_t>(range.size()));
  space_.enumerate(range.first, determinants);
  std::vector<Element> elements;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    const Determinant<Words>& d = determinants[static_cast<std::size_t>(row - range.first)];
    elements.clear();
    if (const double diagonal = s_squared_diagonal(d); diagonal != 0.0) {
      elements.emplace_back(static_cast<ColumnIndex>(row), diagonal);
    }
    for_each_spin_exchange(d, [&](const Determinant<Words>& exchanged, double element) {
      const std::int64_t column = space_.find(exchanged);
      if (column >= 0) elements.emplace_back(static_cast<ColumnIndex>(column), element);
    });
    std::sort(elements.begin(), elements.end());
    visit(row, elements);
  }
}

template <int Words>
void SpinRowSource<Words>::count(RowRange range, std::span<std::int64_t> lengths) const {
  for_each_row(range, [&](std::int64_t row, const std::vector<Element>& elements) {
    lengths[static_cast<std::size_t>(row - range.first)] = std::ssize(elements);
  });
}

template <int Words>
void SpinRowSource<Words>::fill(RowRange range, RowSink& sink) const {
  std::vector<ColumnIndex> columns;
  std::vector<double> values;
  for_each_row(range, [&](std::int64_t row, const std::vector<Element>& elements) {
    columns.clear();
    values.clear();
    for (const auto& [column, value] : elements) {
      columns.push_back(column);
      values.push_back(value);
    }
    sink.row({row, columns, values, {}});
  });
}

template <int Words>
ConfigurationSummary average_over_configurations(const Space<Words>& space, std::span<const double> values) {
  if (std::ssize(values) != space.size())
    throw DimensionError("average_over_configurations: a value per row is needed");
  std::vector<Determinant<Words>> rows(static_cast<std::size_t>(space.size()));
  space.enumerate(0, rows);
  // From here on (closed shells, open shells) instead of (alpha, beta).
  for (Determinant<Words>& d : rows) d = {d.alpha & d.beta, d.alpha ^ d.beta};
  std::vector<std::int32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto& x = rows[static_cast<std::size_t>(a)];
    const auto& y = rows[static_cast<std::size_t>(b)];
    return std::tie(x, a) < std::tie(y, b);
  });
  ConfigurationSummary summary{
      std::vector<double>(rows.size()),
      std::vector<std::int64_t>(static_cast<std::size_t>(space.num_orbitals()) + 1, 0)};
  for (std::size_t first = 0; first < order.size();) {
    const auto& configuration = rows[static_cast<std::size_t>(order[first])];
    double sum = 0.0;
    std::size_t last = first;
    for (; last < order.size() && rows[static_cast<std::size_t>(order[last])] == configuration; ++last) {
      sum += values[static_cast<std::size_t>(order[last])];
    }
    for (std::size_t k = first; k < last; ++k) {
      summary.averaged[static_cast<std::size_t>(order[k])] = sum / static_cast<double>(last - first);
    }
    ++summary.open_shells[static_cast<std::size_t>(configuration.beta.count())];
    first = last;
  }
  return summary;
}

std::int64_t num_spin_functions(int open, int twice_s) {
  if (twice_s < 0 || twice_s > open || (open - twice_s) % 2 != 0) return 0;
  const int k = (open - twice_s) / 2;
  return binomial(open, k) - binomial(open, k - 1);
}

template class SpinRowSource<1>;
template class SpinRowSource<2>;
template ConfigurationSummary average_over_configurations(const Space<1>&, std::span<const double>);
template ConfigurationSummary average_over_configurations(const Space<2>&, std::span<const double>);

}  // namespace cisolve

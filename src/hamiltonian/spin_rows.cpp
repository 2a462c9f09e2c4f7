// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spin_rows.hpp"

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"
#include "hamiltonian/each_determinant.hpp"

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
  std::vector<Determinant<Words>> determinants(range.size());
  space_.enumerate(range.first, determinants);
  std::vector<Element> elements;
  for (std::int64_t row = range.first; row < range.last; ++row) {
    const Determinant<Words>& d = determinants[row - range.first];
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
    lengths[row - range.first] = std::ssize(elements);
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
std::vector<std::int64_t> count_open_shells(const Space<Words>& space) {
  const auto size = static_cast<std::size_t>(space.num_orbitals()) + 1;
  std::vector<std::int64_t> counts(size, 0);
#pragma omp parallel
  {
    std::vector<std::int64_t> own(size, 0);
    for_each_determinant(
        space, RowMap::whole(space.size()),
        [&](std::int64_t, std::int64_t, const Determinant<Words>& d) { ++own[(d.alpha ^ d.beta).count()]; });
#pragma omp critical
    for (std::size_t open = 0; open < size; ++open) counts[open] += own[open];
  }
  // From determinants to configurations: how many arrangements of the spins there are.
  const int two_ms = space.num_alpha() - space.num_beta();
  for (int open = 0; open < std::ssize(counts); ++open) {
    std::int64_t& count = counts[open];
    if (count > 0) count /= binomial(open, (open + two_ms) / 2);
  }
  return counts;
}

template <int Words>
std::vector<double> average_over_configurations(const Space<Words>& space, const Integrals& integrals,
                                                const RowMap& rows, std::span<const double> diagonal) {
  if (rows.rows() != space.size() || std::ssize(diagonal) != rows.local_rows())
    throw DimensionError("average_over_configurations: a diagonal element per row is needed");
  std::vector<double> averaged(diagonal.size());
  const double two_ms = space.num_alpha() - space.num_beta();
  const std::size_t n = space.num_orbitals();
  std::vector<double> exchange(n * n);
  for (int p = 0; p < space.num_orbitals(); ++p) {
    for (int q = 0; q < space.num_orbitals(); ++q)
      exchange[static_cast<std::size_t>(p) * n + static_cast<std::size_t>(q)] = integrals.eri(p, q, p, q);
  }
#pragma omp parallel
  for_each_determinant(space, rows, [&](std::int64_t, std::int64_t local, const Determinant<Words>& d) {
    const OrbitalList open = OrbitalList::occupied(d.alpha ^ d.beta);
    bool is_alpha[most_string_orbitals];
    for (int i = 0; i < open.size; ++i) is_alpha[i] = d.alpha.test(open[i]);
    double parallel = 0.0, all = 0.0;  // exchange of open shells, of the same spin and of any
    for (int i = 0; i < open.size; ++i) {
      for (int j = 0; j < i; ++j) {
        const double element = exchange[open.orbital[i] * n + open.orbital[j]];
        all += element;
        if (is_alpha[i] == is_alpha[j]) parallel += element;
      }
    }
    const double ups = 0.5 * (open.size + two_ms), downs = open.size - ups;
    const double share =
        open.size < 2 ? 0.0 : (ups * (ups - 1.0) + downs * (downs - 1.0)) / (open.size * (open.size - 1.0));
    averaged[local] = diagonal[local] + parallel - share * all;
  });
  return averaged;
}

std::int64_t num_spin_functions(int open, int twice_s) {
  if (twice_s < 0 || twice_s > open || (open - twice_s) % 2 != 0) return 0;
  const int k = (open - twice_s) / 2;
  return binomial(open, k) - binomial(open, k - 1);
}

#define INSTANTIATE(W)                                                                                       \
  template class SpinRowSource<W>;                                                                           \
  template std::vector<std::int64_t> count_open_shells(const Space<W>&);                                     \
  template std::vector<double> average_over_configurations(const Space<W>&, const Integrals&, const RowMap&, \
                                                           std::span<const double>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

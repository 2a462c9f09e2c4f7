// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/kramers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/column_sort.hpp"

namespace cisolve {
namespace {

int partner(int p) { return p ^ 1; }
double sign_of_spinor(int p) { return p % 2 == 0 ? 1.0 : -1.0; }

void require_pairs_of_spinors(const ComplexIntegrals& integrals) {
  if (!integrals.are_spinors) throw DimensionError("Kramers pairs: the integrals are not over spinors");
  if (integrals.num_orbitals % 2 != 0) {
    throw InputError("the integrals are over " + std::to_string(integrals.num_orbitals) +
                     " spinors, but Kramers pairs need an even number of them");
  }
}

/// Calls visit(p, q, r, s) for one of (pq|rs) and (rs|pq) each, those with one p, from several threads.
template <class Visit>
void for_each_integral(int n, int p, const Visit& visit) {
  for (int q = 0; q < n; ++q) {
    for (int r = 0; r <= p; ++r) {
      const int last = r < p ? n - 1 : q;
      for (int s = 0; s <= last; ++s) visit(p, q, r, s);
    }
  }
}

}  // namespace

void require_kramers_pairs(const ComplexIntegrals& integrals, double limit) {
  require_pairs_of_spinors(integrals);
  const double violation = kramers_violation(integrals);
  if (violation <= limit) return;
  std::array<char, 160> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "by up to %.1e hartree, more than %.1e", violation, limit);
  throw InputError(
      "the integrals are not over Kramers pairs of spinors (1, 2), (3, 4), ...: time reversal changes them " +
      std::string(numbers.data()) +
      "; spinors of a molecule in a magnetic field, or in another order, have none");
}

ComplexIntegrals with_kramers_symmetry(const ComplexIntegrals& v) {
  require_pairs_of_spinors(v);
  const int n = v.num_orbitals;
  ComplexIntegrals result = v;
  // Of the integral, its conjugate, and what T makes of the two. Halves are averaged first, so that an integral that is
  // its own conjugate, or its own image, becomes so exactly.
  const auto average = [](const Complex& one, const Complex& conjugate, double sign, const Complex& reversed,
                          const Complex& both) {
    const Complex half = 0.5 * (one + std::conj(conjugate));
    const Complex other = 0.5 * sign * (std::conj(reversed) + both);
    return 0.5 * (half + other);
  };
  for (int p = 0; p < n; ++p) {
    const int p2 = partner(p);
    for (int q = 0; q < n; ++q) {
      const int q2 = partner(q);
      const double sign = sign_of_spinor(p) * sign_of_spinor(q);
      const Complex value = average(v.h(p, q), v.h(q, p), sign, v.h(p2, q2), v.h(q2, p2));
      result.h(p, q) = value;
      result.h(q, p) = std::conj(value);
      result.h(p2, q2) = sign * std::conj(value);
      result.h(q2, p2) = sign * value;
    }
    for_each_integral(n, p, [&](int, int q, int r, int s) {
      const int q2 = partner(q), r2 = partner(r), s2 = partner(s);
      const double sign = sign_of_spinor(p) * sign_of_spinor(q) * sign_of_spinor(r) * sign_of_spinor(s);
      const Complex value =
          average(v.eri(p, q, r, s), v.eri(q, p, s, r), sign, v.eri(p2, q2, r2, s2), v.eri(q2, p2, s2, r2));
      result.eri(p, q, r, s) = value;
      result.eri(q, p, s, r) = std::conj(value);
      result.eri(p2, q2, r2, s2) = sign * std::conj(value);
      result.eri(q2, p2, s2, r2) = sign * value;
    });
  }
  return result;
}

template <int Words>
TimeReversed<Words> time_reversed(const BitString<Words>& d) {
  TimeReversed<Words> result{{}, false};
  d.for_each([&](int p) {
    result.string.set(partner(p));
    if (p % 2 != 0 && !d.test(partner(p))) result.negative = !result.negative;
  });
  return result;
}

template <int Words>
KramersPairs::KramersPairs(const StringTable<Words>& strings)
    : has_odd_electrons_(strings.num_electrons() % 2 != 0),
      places_(static_cast<std::size_t>(strings.size())) {
  for (std::int32_t i = 0; i < strings.size(); ++i) {
    const TimeReversed<Words> reversed = time_reversed(strings[i]);
    const std::int32_t other = strings.find(reversed.string);
    if (other < 0)
      throw DimensionError("KramersPairs: a determinant's time-reversed one is not in the space");
    if (other < i) continue;
    const auto pair = static_cast<std::int32_t>(pairs_.size());
    pairs_.push_back({i, other});
    // T |first> = sign |other>, so |other> = sign T |first>.
    places_[static_cast<std::size_t>(other)] = {pair, true, reversed.negative};
    places_[static_cast<std::size_t>(i)] = {pair, false, false};
  }
}

namespace {

/// The row of a pair's first determinant d, collected by pairs d', Td': a = <d|H|d'>, b = <d|H|Td'>, in a quaternion.
class PairedRow final : public ComplexRowSink {
public:
  explicit PairedRow(const KramersPairs& pairs) : pairs_(pairs), sort_(std::ssize(pairs.pairs())) {}

  std::vector<ColumnIndex> columns;  ///< pairs, ascending
  std::vector<Quaternion> elements;

  void row(const BasicMatrixRow<Complex>& row) override {
    keys_.clear();
    for (std::size_t at = 0; at < row.columns.size(); ++at) {
      const auto pair = static_cast<std::uint64_t>(pairs_.place(row.columns[at]).pair);
      keys_.push_back(pair << 32 | at);
    }
    sort_.sort(keys_);
    columns.clear();
    elements.clear();
    for (const std::uint64_t key : keys_) {
      const std::size_t at = key & 0xffffffffU;
      const auto pair = static_cast<ColumnIndex>(key >> 32);
      if (columns.empty() || columns.back() != pair) {
        columns.push_back(pair);
        elements.push_back({});
      }
      const KramersPairs::Place& place = pairs_.place(row.columns[at]);
      const Complex value = place.negative ? -row.values[at] : row.values[at];
      (place.is_second ? elements.back().b : elements.back().a) = value;
    }
  }

private:
  const KramersPairs& pairs_;
  ColumnSort sort_;
  std::vector<std::uint64_t> keys_;
};

/// Hands rows of first determinants on, with the numbers of their pairs.
template <class Visit>
class PairVisitor final : public ComplexRowSink {
public:
  PairVisitor(const KramersPairs& pairs, std::int64_t pair, const Visit& visit)
      : paired_(pairs), pair_(pair), visit_(visit) {}
  void row(const BasicMatrixRow<Complex>& row) override {
    paired_.row(row);
    visit_(pair_++, paired_);
  }

private:
  PairedRow paired_;
  std::int64_t pair_;
  const Visit& visit_;
};

/// visit(pair, its PairedRow) for pairs first .. last - 1. First determinants that follow each other are asked for
/// together.
template <class Visit>
void for_each_pair(const ComplexRowSource& rows, const KramersPairs& pairs, RowRange range,
                   const Visit& visit) {
  const auto all = pairs.pairs();
  PairVisitor<Visit> sink(pairs, range.first, visit);
  for (std::int64_t pair = range.first; pair < range.last;) {
    const std::int64_t first = all[static_cast<std::size_t>(pair)].first;
    std::int64_t count = 1;
    while (pair + count < range.last && all[static_cast<std::size_t>(pair + count)].first == first + count)
      ++count;
    rows.fill({first, first + count}, sink);
    pair += count;
  }
}

void require_order(const ComplexRowSource& rows, const KramersPairs& pairs) {
  std::int64_t determinants = 0;
  for (const KramersPairs::Pair& pair : pairs.pairs()) determinants += pair.second == pair.first ? 1 : 2;
  if (determinants != rows.num_rows())
    throw DimensionError("Kramers rows: the pairs are not of the determinants of the rows");
}

}  // namespace

QuaternionRows::QuaternionRows(const ComplexRowSource& rows, const KramersPairs& pairs)
    : rows_(rows), pairs_(pairs) {
  require_order(rows, pairs);
  if (!pairs.has_odd_electrons())
    throw DimensionError("QuaternionRows: they need an odd number of electrons; see KramersRealRows");
}

void QuaternionRows::count(RowRange range, std::span<std::int64_t> lengths) const {
  for_each_pair(rows_, pairs_, range, [&](std::int64_t pair, const PairedRow& row) {
    lengths[pair - range.first] = std::ssize(row.columns);
  });
}

void QuaternionRows::fill(RowRange range, QuaternionRowSink& sink) const {
  for_each_pair(rows_, pairs_, range, [&](std::int64_t pair, const PairedRow& row) {
    sink.row({.index = pair, .columns = row.columns, .values = row.elements, .general = {}});
  });
}

KramersRealRows::KramersRealRows(const ComplexRowSource& rows, const KramersPairs& pairs, double threshold)
    : rows_(rows), pairs_(pairs), threshold_(threshold) {
  require_order(rows, pairs);
  if (pairs.has_odd_electrons())
    throw DimensionError("KramersRealRows: they need an even number of electrons; see QuaternionRows");
  first_rows_.reserve(pairs.pairs().size() + 1);
  first_rows_.push_back(0);
  for (const KramersPairs::Pair& pair : pairs.pairs())
    first_rows_.push_back(first_rows_.back() + (pair.second == pair.first ? 1 : 2));
}

std::int32_t KramersRealRows::pair_of(std::int64_t row) const {
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  return static_cast<std::int32_t>(after - first_rows_.begin()) - 1;
}

namespace {

/// Elements of a real row of function 0, (d + Td) / sqrt(2), or 1, i (d - Td) / sqrt(2), of a pair; where Td = d, there is
/// d alone. With T T = 1, <Td|H|d'> = b* and <Td|H|Td'> = a*.
struct RealRow {
  const std::vector<std::int32_t>& first_rows;
  double threshold;
  std::vector<ColumnIndex> columns = {};
  std::vector<double> values = {};

  bool is_alone(std::int64_t pair) const { return first_rows[pair + 1] - first_rows[pair] == 1; }
  void add(ColumnIndex column, double value) {
    if (std::abs(value) <= threshold) return;
    columns.push_back(column);
    values.push_back(value);
  }

  void collect(std::int64_t pair, int function, const PairedRow& row) {
    constexpr double root = std::numbers::sqrt2;
    columns.clear();
    values.clear();
    for (std::size_t at = 0; at < row.columns.size(); ++at) {
      const Complex a = row.elements[at].a, b = row.elements[at].b;
      const ColumnIndex column = first_rows[row.columns[at]];
      if (is_alone(row.columns[at])) {
        if (is_alone(pair))
          add(column, a.real());
        else
          add(column, root * (function == 0 ? a.real() : a.imag()));
      } else if (is_alone(pair)) {
        add(column, (a + b).real() / root);
        add(column + 1, (b - a).imag() / root);
      } else if (function == 0) {
        add(column, (a + b).real());
        add(column + 1, (b - a).imag());
      } else {
        add(column, (a + b).imag());
        add(column + 1, (a - b).real());
      }
    }
  }
};

}  // namespace

/// visit(row, its RealRow)
template <class Visit>
void KramersRealRows::visit_rows(RowRange range, const Visit& visit) const {
  if (range.size() == 0) return;
  RealRow real{first_rows_, threshold_};
  const RowRange pairs{pair_of(range.first), pair_of(range.last - 1) + 1};
  for_each_pair(rows_, pairs_, pairs, [&](std::int64_t pair, const PairedRow& paired) {
    for (std::int64_t row = first_rows_[pair]; row < first_rows_[pair + 1]; ++row) {
      if (row < range.first || row >= range.last) continue;
      real.collect(pair, static_cast<int>(row - first_rows_[pair]), paired);
      visit(row, real);
    }
  });
}

void KramersRealRows::count(RowRange range, std::span<std::int64_t> lengths) const {
  visit_rows(range, [&](std::int64_t row, const RealRow& real) {
    lengths[row - range.first] = std::ssize(real.columns);
  });
}

void KramersRealRows::fill(RowRange range, RowSink& sink) const {
  visit_rows(range, [&](std::int64_t row, const RealRow& real) {
    sink.row({.index = row, .columns = real.columns, .values = real.values, .general = {}});
  });
}

#define INSTANTIATE(W)                                         \
  template TimeReversed<W> time_reversed(const BitString<W>&); \
  template KramersPairs::KramersPairs(const StringTable<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

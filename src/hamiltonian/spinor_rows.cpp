// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/spinor_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"
#include "cisolve/sparse/column_sort.hpp"

namespace cisolve {
namespace {

/// (pq|rs) - (ps|rq)
Complex antisymmetrised(const ComplexIntegrals& v, int p, int q, int r, int s) {
  return v.eri(p, q, r, s) - v.eri(p, s, r, q);
}

/// @param occupied  spinors, ascending
template <class Orbitals>
double diagonal_of(const ComplexIntegrals& v, const Orbitals& occupied) {
  double energy = v.core_energy;
  for (const int r : occupied) {
    energy += v.h(r, r).real();
    for (const int s : occupied) {
      if (s < r) energy += antisymmetrised(v, r, r, s, s).real();
    }
  }
  return energy;
}

/// @param occupied  spinors of the ket, ascending, among them h: it adds nothing
template <class Orbitals>
Complex single_of(const ComplexIntegrals& v, int p, int h, const Orbitals& occupied) {
  Complex value = v.h(p, h);
  for (const int r : occupied) value += antisymmetrised(v, p, h, r, r);
  return value;
}

void require_spinors(const ComplexIntegrals& integrals) {
  if (!integrals.are_spinors) throw DimensionError("spinor rows: the integrals are not over spinors");
}

}  // namespace

template <int Words>
Complex spinor_matrix_element(const ComplexIntegrals& integrals, const BitString<Words>& bra,
                              const BitString<Words>& ket) {
  require_spinors(integrals);
  const OrbitalList holes = OrbitalList::occupied(ket & ~bra);
  const OrbitalList particles = OrbitalList::occupied(bra & ~ket);
  if (holes.size != particles.size || holes.size > 2) return 0.0;
  const OrbitalList occupied = OrbitalList::occupied(ket);
  if (holes.size == 0) return diagonal_of(integrals, occupied);
  const int h1 = holes[0], p1 = particles[0];
  bool negative = is_negative(ket, h1, p1);
  if (holes.size == 1) {
    const Complex value = single_of(integrals, p1, h1, occupied);
    return negative ? -value : value;
  }
  const int h2 = holes[1], p2 = particles[1];
  negative = negative != is_negative(ket.moved(h1, p1), h2, p2);
  const Complex value = antisymmetrised(integrals, p1, h1, p2, h2);
  return negative ? -value : value;
}

/// A row under way: keys column << 32 | place among the values.
struct SpinorRows::Elements {
  double threshold;
  std::vector<std::uint64_t> keys = {};
  std::vector<Complex> values = {};

  void clear() {
    keys.clear();
    values.clear();
  }
  void add(std::int64_t column, const Complex& value) {
    if (std::norm(value) <= threshold * threshold) return;
    keys.push_back(static_cast<std::uint64_t>(column) << 32 | values.size());
    values.push_back(value);
  }
};

SpinorRows::SpinorRows(const Strings& strings, const ComplexIntegrals& integrals, double threshold)
    : strings_(strings), integrals_(integrals), threshold_(threshold) {
  require_spinors(integrals);
  if (strings.num_orbitals() != integrals.num_orbitals)
    throw DimensionError("spinor rows: strings and integrals have unlike numbers of spinors");
  if (!(threshold >= 0.0)) throw DimensionError("spinor rows: the threshold must not be negative");
  for (int p = 0; p < strings.num_orbitals(); ++p) {
    if (strings.irrep_of_orbital(p) != 0) throw DimensionError("spinor rows: a spinor has an irrep");
    for (int q = 0; q < p; ++q)
      pairs_.push_back({static_cast<std::uint8_t>(q), static_cast<std::uint8_t>(p)});
  }
}

Complex SpinorRows::double_element(std::uint32_t code) const {
  const Pair h = pairs_[ExcitationCode::holes(code)];
  const Pair p = pairs_[ExcitationCode::particles(code)];
  // The row is the bra, so that its electrons are the particles.
  const Complex value = antisymmetrised(integrals_, h.lower, p.lower, h.upper, p.upper);
  return ExcitationCode::is_negative(code) ? -value : value;
}

Complex SpinorRows::single_element(std::int32_t row, std::uint32_t code) const {
  const Complex value = single_of(integrals_, ExcitationCode::hole(code), ExcitationCode::particle(code),
                                  strings_.orbitals(row));
  return ExcitationCode::is_negative(code) ? -value : value;
}

double SpinorRows::diagonal(std::int64_t row) const {
  return diagonal_of(integrals_, strings_.orbitals(static_cast<std::int32_t>(row)));
}

void SpinorRows::collect(std::int64_t row, std::span<const StringExcitations::Link> doubles,
                         Elements& elements) const {
  const auto string = static_cast<std::int32_t>(row);
  elements.clear();
  elements.add(row, diagonal(row));
  for (const StringExcitations::Link& link : strings_.singles()[string])
    elements.add(link.target, single_element(string, link.code));
  for (const StringExcitations::Link& link : doubles) elements.add(link.target, double_element(link.code));
}

/// Calls visit(row) with the double excitations of rows at a time that a cache holds, and each of the rows.
template <class Visit>
void SpinorRows::for_each_row(RowRange range, const Visit& visit) const {
  constexpr std::int64_t at_once = 16;
  std::array<std::int32_t, at_once> rows{};
  for (std::int64_t first = range.first; first < range.last; first += at_once) {
    const std::int64_t count = std::min(at_once, range.last - first);
    std::iota(rows.begin(), rows.begin() + count, static_cast<std::int32_t>(first));
    const StringExcitations doubles =
        strings_.doubles(std::span(rows).first(static_cast<std::size_t>(count)));
    for (std::int64_t k = 0; k < count; ++k) visit(first + k, doubles[static_cast<std::int32_t>(k)]);
  }
}

void SpinorRows::count(RowRange range, std::span<std::int64_t> lengths) const {
  Elements elements{threshold_};
  for_each_row(range, [&](std::int64_t row, std::span<const StringExcitations::Link> doubles) {
    collect(row, doubles, elements);
    lengths[row - range.first] = std::ssize(elements.values);
  });
}

void SpinorRows::fill(RowRange range, ComplexRowSink& sink) const {
  Elements elements{threshold_};
  ColumnSort sort(num_rows());
  std::vector<ColumnIndex> columns;
  std::vector<Complex> values;
  for_each_row(range, [&](std::int64_t row, std::span<const StringExcitations::Link> doubles) {
    collect(row, doubles, elements);
    sort.sort(elements.keys);
    columns.clear();
    values.clear();
    for (const std::uint64_t key : elements.keys) {
      columns.push_back(static_cast<ColumnIndex>(key >> 32));
      values.push_back(elements.values[key & 0xffffffffU]);
    }
    sink.row({.index = row, .columns = columns, .values = values, .general = {}});
  });
}

std::vector<double> diagonal(const SpinorRows& rows) {
  std::vector<double> result(static_cast<std::size_t>(rows.num_rows()));
  parallel_for(rows.num_rows(), 256,
               [&](std::int64_t row) { result[static_cast<std::size_t>(row)] = rows.diagonal(row); });
  return result;
}

namespace {

/// Of one row, the elements in some columns.
class ChosenColumns final : public ComplexRowSink {
public:
  ChosenColumns(std::span<const std::int64_t> columns, BasicMatrix<Complex>& block, int row)
      : columns_(columns), block_(block), row_(row) {}

  void row(const BasicMatrixRow<Complex>& row) override {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto wanted = static_cast<ColumnIndex>(columns_[k]);
      const auto found = std::lower_bound(row.columns.begin(), row.columns.end(), wanted);
      if (found != row.columns.end() && *found == wanted)
        block_(row_, static_cast<int>(k)) = row.values[found - row.columns.begin()];
    }
  }

private:
  std::span<const std::int64_t> columns_;
  BasicMatrix<Complex>& block_;
  int row_;
};

}  // namespace

BasicMatrix<Complex> dense_block(const ComplexRowSource& rows, std::span<const std::int64_t> indices) {
  for (const std::int64_t row : indices) {
    if (row < 0 || row >= rows.num_rows()) throw DimensionError("dense_block: a row is not in the matrix");
  }
  const auto n = static_cast<int>(indices.size());
  BasicMatrix<Complex> block(n, n);
  parallel_for(n, 1, [&](std::int64_t i) {
    ChosenColumns sink(indices, block, static_cast<int>(i));
    rows.fill({indices[i], indices[i] + 1}, sink);
  });
  return block;
}

#define INSTANTIATE(W) \
  template Complex spinor_matrix_element(const ComplexIntegrals&, const BitString<W>&, const BitString<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve

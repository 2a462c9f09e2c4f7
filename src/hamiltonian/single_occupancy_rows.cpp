// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/single_occupancy_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"
#include "hamiltonian/single_occupancy_walk.hpp"

namespace cisolve {

bool are_lattice_integrals(const IntegralTables& tables) {
  if (tables.is_unrestricted()) return false;
  const int n = tables.num_orbitals();
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const double* row = tables.row(tables.pair(p, q));
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= r; ++s) {
          const bool is_charge = p == q && r == s, is_exchange = p == r && q == s;
          if (!is_charge && !is_exchange && row[tables.pair(r, s)] != 0.0) return false;
        }
      }
    }
  }
  return true;
}

SingleOccupancyRows::SingleOccupancyRows(const SingleOccupancyOrder& space, const IntegralTables& tables)
    : space_(space), tables_(tables) {
  if (space.orbitals() != tables.num_orbitals())
    throw DimensionError("SingleOccupancyRows: integrals of other orbitals than the space's");
  if (space.rows() > std::numeric_limits<ColumnIndex>::max())
    throw DimensionError("SingleOccupancyRows: a matrix has fewer than 2^31 rows");
  if (!are_lattice_integrals(tables))
    throw DimensionError("SingleOccupancyRows: integrals that are not those of a lattice model");
  list_bonds();
  list_energies();
}

void SingleOccupancyRows::list_bonds() {
  const int n = space_.orbitals();
  const auto is_kept = [&](double value) { return std::abs(value) > tables_.threshold(); };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < p; ++q) {
      for (const double value : {tables_.h(p, q), tables_.eri(p, q, p, q)}) {
        if (is_kept(value)) magnitudes_.push_back(std::abs(value));
      }
    }
  }
  std::sort(magnitudes_.begin(), magnitudes_.end());
  magnitudes_.erase(std::unique(magnitudes_.begin(), magnitudes_.end()), magnitudes_.end());
  values_ = {0.0, 0.0};
  for (const double magnitude : magnitudes_) values_.insert(values_.end(), {magnitude, -magnitude});

  const auto code_of = [&](double value) -> Code {
    if (!is_kept(value)) return 0;
    const auto place = std::ranges::lower_bound(magnitudes_, std::abs(value)) - magnitudes_.begin();
    return static_cast<Code>(2 * (place + 1)) | static_cast<Code>(std::signbit(value));
  };
  for (int p = n - 1; p > 0; --p) {
    for (int q = 0; q < p; ++q) {
      const Bond bond{.high = site_bit(p),
                      .low = site_bit(q),
                      .between = lowest_bits(p) & ~(lowest_bits(q) | site_bit(q)),
                      .hop = code_of(tables_.h(p, q)),
                      .exchange = code_of(tables_.eri(p, q, p, q))};
      if (bond.hop != 0 || bond.exchange != 0) bonds_.push_back(bond);
    }
  }
}

void SingleOccupancyRows::list_energies() {
  const int n = space_.orbitals();
  const auto sites = static_cast<std::size_t>(n);
  parallel_.assign(sites * sites, 0.0);
  parallel_below_.assign(sites, 0);
  unlike_.assign(sites, 0);
  for (int p = 0; p < n; ++p) {
    has_string_energy_ |= tables_.h(p, p) != 0.0;
    for (int q = 0; q < n; ++q) {
      if (q == p) continue;
      if (tables_.eri(p, p, q, q) != 0.0) unlike_[p] |= site_bit(q);
      if (q > p) continue;
      const double parallel = tables_.eri(p, p, q, q) - tables_.eri(p, q, q, p);
      parallel_[static_cast<std::size_t>(p) * sites + static_cast<std::size_t>(q)] = parallel;
      if (parallel != 0.0) parallel_below_[p] |= site_bit(q);
    }
    has_string_energy_ |= parallel_below_[p] != 0;
  }
}

void SingleOccupancyRows::count(RowRange range, std::span<std::int64_t> lengths) const {
  if (range.size() <= 0) return;
  Walk walk(*this, range.first, false);
  for (std::int64_t row = range.first; row < range.last; ++row) {
    if (row > range.first) walk.go_on();
    lengths[row - range.first] = walk.count() + static_cast<std::int64_t>(walk.is_kept(walk.diagonal()));
  }
}

void SingleOccupancyRows::fill_up_to(RowRange range, RowSink& sink, bool is_lower) const {
  if (range.size() <= 0) return;
  Walk walk(*this, range.first, true);
  std::vector<double> values(2 * bonds_.size() + 1);
  for (std::int64_t row = range.first; row < range.last; ++row) {
    if (row > range.first) walk.go_on();
    const double diagonal = walk.diagonal();
    const bool has_diagonal = walk.is_kept(diagonal);
    walk.collect_lower(has_diagonal);
    const auto general = static_cast<std::int32_t>(walk.codes().size()) - 1;  // where it is, if it is
    if (!is_lower) walk.collect_upper();
    const std::span<const Code> codes = walk.codes();
    for (std::size_t k = 0; k < codes.size(); ++k) values[k] = values_[codes[k]];
    if (has_diagonal) values[general] = diagonal;
    sink.row({row, walk.columns(), std::span(values).first(codes.size()),
              std::span(&general, static_cast<std::size_t>(has_diagonal))});
  }
}

/// All elements but the diagonal have numbers.
class SingleOccupancyRows::Numbered final : public NumberedRowSource {
public:
  explicit Numbered(const SingleOccupancyRows& source) : source_(source) {}

  std::int64_t num_rows() const override { return source_.num_rows(); }
  std::span<const double> magnitudes() const override { return source_.magnitudes_; }

  void fill(RowRange range, NumberedRowSink& sink) const override {
    if (range.size() <= 0) return;
    Walk walk(source_, range.first, true);
    std::vector<ValueNumber> numbers;
    for (std::int64_t row = range.first; row < range.last; ++row) {
      if (row > range.first) walk.go_on();
      hand_over(walk, numbers, sink);
    }
  }

  void fill_rows(std::span<const std::int32_t> rows, NumberedRowSink& sink) const override {
    if (rows.empty()) return;
    Walk walk(source_, rows.front(), true);
    std::vector<ValueNumber> numbers;
    for (const std::int32_t row : rows) {
      walk.go_to(row);
      hand_over(walk, numbers, sink);
    }
  }

private:
  static void hand_over(Walk& walk, std::vector<ValueNumber>& numbers, NumberedRowSink& sink) {
    walk.collect_lower(false);
    walk.collect_upper();
    const std::span<const Code> codes = walk.codes();
    numbers.resize(codes.size());
    for (std::size_t k = 0; k < codes.size(); ++k) numbers[k] = (codes[k] / 2 - 1) | codes[k] << 31;
    const double diagonal = walk.diagonal();
    const auto column = static_cast<ColumnIndex>(walk.row());
    const auto num_general = static_cast<std::size_t>(walk.is_kept(diagonal));
    sink.row({.index = walk.row(),
              .columns = walk.columns(),
              .numbers = numbers,
              .general_columns = std::span(&column, num_general),
              .general_values = std::span(&diagonal, num_general)});
  }

  const SingleOccupancyRows& source_;
};

std::unique_ptr<const NumberedRowSource> SingleOccupancyRows::numbered() const {
  return std::make_unique<Numbered>(*this);
}

}  // namespace cisolve

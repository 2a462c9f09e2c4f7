// SPDX-License-Identifier: MIT
#include "problem/certificate_sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

using Elements = std::vector<DefinitionRows::Element>;

/// Rows that are summed at a time: sums have the same order for any number of threads, and there are few of them.
std::int64_t piece_of(std::int64_t rows, std::int64_t least) {
  constexpr std::int64_t most_pieces = 1024;
  return std::max(least, (rows + most_pieces - 1) / most_pieces);
}

/// A row of H or S^2 and one of the identity, and what states have in their columns.
struct KnownRow {
  Elements part, elements;        ///< of the identity, of the operator
  std::vector<double> of_states;  ///< [size() x states], in the columns of `part`, then of `elements`

  std::size_t size() const { return part.size() + elements.size(); }
  std::span<const double> in_part(std::size_t state) const {
    return std::span(of_states).subspan(state * size(), part.size());
  }
  std::span<const double> in_elements(std::size_t state) const {
    return std::span(of_states).subspan(state * size() + part.size(), elements.size());
  }
};

/// Some rows, by their numbers.
/// @param make   the elements of the operator in a row
/// @param chunk  rows that a thread makes at a time
template <class Make>
std::vector<KnownRow> know_rows(const DefinitionRows& rows, std::span<const std::int64_t> numbers,
                                const VectorSource& vectors, int chunk, const Make& make) {
  std::vector<KnownRow> known(numbers.size());
  parallel_for(std::ssize(known), chunk, [&](std::int64_t at) {
    rows.unit_row(numbers[at], known[at].part);
    make(numbers[at], known[at].elements);
  });
  std::vector<std::int64_t> columns;  // of all, so that they are asked for at once
  for (const KnownRow& row : known) {
    for (const Elements* elements : {&row.part, &row.elements}) {
      for (const auto& element : *elements) columns.push_back(element.column);
    }
  }
  std::vector<double> values(columns.size());
  for (int k = 0; k < vectors.columns(); ++k) {
    vectors.gather(k, columns, values);
    auto next = values.begin();
    for (KnownRow& row : known) {
      const auto end = next + static_cast<std::ptrdiff_t>(row.size());
      row.of_states.insert(row.of_states.end(), next, end);
      next = end;
    }
  }
  return known;
}

/// The irrep of all functions; -1: they have several.
int only_irrep(const DefinitionRows& rows) {
  constexpr std::int64_t piece = std::int64_t{1} << 16;
  const std::int64_t n = rows.size();
  std::int8_t first = 0;
  rows.irreps(0, {&first, 1});
  std::atomic<bool> is_only = true;
  parallel_for((n + piece - 1) / piece, 1, [&](std::int64_t p) {
    if (!is_only) return;
    std::vector<std::int8_t> irreps(static_cast<std::size_t>(std::min(piece, n - p * piece)));
    rows.irreps(p * piece, irreps);
    if (std::ranges::any_of(irreps, [&](std::int8_t irrep) { return irrep != first; })) is_only = false;
  });
  return is_only ? first : -1;
}

double dot(const Elements& elements, std::span<const double> values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < elements.size(); ++i) sum += elements[i].value * values[i];
  return sum;
}

/// A row of H times the states, what rounding does to that, and the row's part in the states.
struct RowProducts {
  std::vector<double> h, rounding, part;
};

RowProducts multiply_row(const KnownRow& row, std::span<const double> energies,
                         const CertificateConfig& config) {
  RowProducts products;
  for (std::size_t k = 0; k < energies.size(); ++k) {
    products.part.push_back(dot(row.part, row.in_part(k)));
    const std::span<const double> c = row.in_elements(k);
    products.h.push_back(dot(row.elements, c));
    double magnitudes = std::abs(energies[k] * products.part[k]), doubtful = 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double term = std::abs(row.elements[i].value * c[i]);
      magnitudes += term;
      if (row.elements[i].is_near_threshold) doubtful += term;
    }
    products.rounding.push_back(config.rounding * magnitudes + doubtful);
  }
  return products;
}

}  // namespace

ResidualSums sum_residuals(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims,
                           const CertificateConfig& config) {
  constexpr std::size_t rows_of_batch = 64;  // of some ten thousand elements each
  const std::size_t states = claims.energies.size();
  ResidualSums sums(states);
  const std::span<const std::int64_t> numbers = checked.rows;
  for (std::size_t first = 0; first < numbers.size(); first += rows_of_batch) {
    const auto batch = numbers.subspan(first, std::min(rows_of_batch, numbers.size() - first));
    const auto known = know_rows(rows, batch, *claims.vectors, 1, [&](std::int64_t row, Elements& elements) {
      rows.hamiltonian_row(row, elements);
    });
    std::vector<RowProducts> products(known.size());
    parallel_for(std::ssize(known), 1,
                 [&](std::int64_t at) { products[at] = multiply_row(known[at], claims.energies, config); });
    for (std::size_t at = 0; at < products.size(); ++at)
      sums.add(products[at].h, products[at].rounding, products[at].part, claims.energies,
               checked.factor(first + at));
  }
  return sums;
}

SpinSums sum_spins(const DefinitionRows& rows, const CheckedRows& checked, const StateClaims& claims) {
  constexpr std::int64_t rows_of_batch = std::int64_t{1} << 16;
  const auto states = static_cast<Eigen::Index>(claims.energies.size());
  const std::int64_t n = std::ssize(checked.rows), piece = piece_of(n, 64);
  const std::int64_t batch = std::max<std::int64_t>(rows_of_batch / piece, 1) * piece;
  const double spin = 0.5 * claims.twice_spin.value_or(0);
  SpinSums sums(states);
  for (std::int64_t first = 0; first < n; first += batch) {
    const auto numbers = std::span(checked.rows).subspan(first, std::min(batch, n - first));
    constexpr int chunk = 16;
    const auto known = know_rows(rows, numbers, *claims.vectors, chunk,
                                 [&](std::int64_t row, Elements& elements) { rows.spin_row(row, elements); });
    std::vector<SpinSums> of_piece((std::ssize(known) + piece - 1) / piece, SpinSums(states));
    parallel_for(std::ssize(of_piece), 1, [&](std::int64_t p) {
      for (std::int64_t at = p * piece; at < std::min(std::ssize(known), (p + 1) * piece); ++at) {
        std::vector<double> part, s_squared;
        for (Eigen::Index k = 0; k < states; ++k) {
          part.push_back(dot(known[at].part, known[at].in_part(k)));
          s_squared.push_back(dot(known[at].elements, known[at].in_elements(k)));
        }
        of_piece[p].add(part, s_squared, spin, checked.factor(static_cast<std::size_t>(first + at)));
      }
    });
    for (const SpinSums& of : of_piece) sums.add(of);
  }
  return sums;
}

std::vector<std::array<double, 8>> irrep_weights(const DefinitionRows& rows, const VectorSource& vectors,
                                                 const Matrix& overlaps) {
  constexpr std::int64_t part = std::int64_t{1} << 14, parts_of_piece = 256;
  const std::int64_t n = rows.size(), piece = part * parts_of_piece;
  const auto states = static_cast<std::size_t>(vectors.columns());
  using Weights = std::vector<std::array<double, 8>>;
  Weights weights(states, std::array<double, 8>{});
  if (const int irrep = only_irrep(rows); irrep >= 0) {
    for (std::size_t k = 0; k < states; ++k)
      weights[k][irrep] = overlaps(static_cast<int>(k), static_cast<int>(k));
    return weights;
  }
  Array<double> buffer;
  for (std::int64_t first = 0; first < n; first += piece) {
    const std::int64_t size = std::min(piece, n - first), num_parts = (size + part - 1) / part;
    std::vector<std::int8_t> irreps(static_cast<std::size_t>(size));
    rows.irreps(first, irreps);
    for (std::size_t k = 0; k < states; ++k) {
      const auto c = vectors.piece(static_cast<int>(k), first, size, buffer);
      Weights of_part(static_cast<std::size_t>(num_parts), std::array<double, 8>{});
      parallel_for(num_parts, 1, [&](std::int64_t p) {
        for (std::int64_t i = p * part; i < std::min(size, (p + 1) * part); ++i)
          of_part[p][irreps[i]] += c[i] * c[i];
      });
      for (const auto& own : of_part) {
        for (std::size_t g = 0; g < 8; ++g) weights[k][g] += own[g];
      }
    }
  }
  return weights;
}

}  // namespace cisolve

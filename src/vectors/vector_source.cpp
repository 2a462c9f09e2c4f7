// SPDX-License-Identifier: MIT
#include "cisolve/vectors/vector_source.hpp"

#include <Eigen/Core>
#include <cmath>
#include <numeric>

#include "cisolve/core/lowest.hpp"

namespace cisolve {
namespace {

/// Rows that are looked at together: so many that all threads have some, and no more than a buffer is made for.
constexpr std::int64_t rows_of_piece = std::int64_t{1} << 22;

/// body(first row, rows) for one piece after the other.
template <class Body>
void for_each_piece(std::int64_t rows, const Body& body) {
  for (std::int64_t first = 0; first < rows; first += rows_of_piece)
    body(first, std::min(rows_of_piece, rows - first));
}

/// Adds the overlaps of a piece of each column; parts of fixed size are added in their order.
void add_overlaps(std::span<const std::span<const double>> columns, Matrix& sum) {
  constexpr std::int64_t part = std::int64_t{1} << 14;
  const std::int64_t size = std::ssize(columns.front()), num_parts = (size + part - 1) / part;
  const auto count = static_cast<int>(columns.size());
  std::vector<Matrix> of_parts(static_cast<std::size_t>(num_parts));
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < num_parts; ++p) {
    const auto rows_of = [&](int k) {
      const auto values = columns[k].subspan(p * part, std::min(part, size - p * part));
      return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
    };
    Matrix& own = of_parts[p] = Matrix(count, count);
    for (int k = 0; k < count; ++k) {
      for (int j = 0; j <= k; ++j) own(j, k) = own(k, j) = rows_of(j).dot(rows_of(k));
    }
  }
  for (const Matrix& own : of_parts) {
    for (int k = 0; k < count; ++k) {
      for (int j = 0; j < count; ++j) sum(j, k) += own(j, k);
    }
  }
}

}  // namespace

bool is_heavier(const VectorElement& a, const VectorElement& b) {
  const double of_a = std::abs(a.value), of_b = std::abs(b.value);
  return of_a != of_b ? of_a > of_b : a.row < b.row;
}

std::span<const double> VectorSource::piece(int column, std::int64_t first_row, std::int64_t count,
                                            Array<double>& buffer) const {
  if (std::ssize(buffer) < count) {
    buffer = {};  // Free first: both need not fit.
    buffer = Array<double>(static_cast<std::size_t>(count));
  }
  const auto out = std::span(buffer).first(static_cast<std::size_t>(count));
  read(column, first_row, out);
  return out;
}

std::span<const double> VectorSource::view(int first, int count, Array<double>& buffer) const {
  const std::size_t n = rows();
  buffer = {};  // Free first: both need not fit.
  buffer = Array<double>(n * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    read(first + k, 0, std::span(buffer).subspan(static_cast<std::size_t>(k) * n, n));
  }
  return buffer;
}

void VectorSource::gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const {
  std::vector<std::size_t> ascending(rows.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::sort(ascending, {}, [&](std::size_t k) { return rows[k]; });
  Array<double> buffer;
  auto next = ascending.begin();
  for_each_piece(this->rows(), [&](std::int64_t first, std::int64_t count) {
    if (next == ascending.end() || rows[*next] >= first + count) return;
    const auto values = piece(column, first, count, buffer);
    for (; next != ascending.end() && rows[*next] < first + count; ++next)
      out[*next] = values[static_cast<std::size_t>(rows[*next] - first)];
  });
}

Matrix VectorSource::overlaps() const {
  const int count = columns();
  Matrix sum(count, count);
  if (count == 0) return sum;
  std::vector<Array<double>> buffers(static_cast<std::size_t>(count));
  for_each_piece(rows(), [&](std::int64_t first, std::int64_t size) {
    std::vector<std::span<const double>> pieces;
    for (int k = 0; k < count; ++k) pieces.push_back(piece(k, first, size, buffers[k]));
    add_overlaps(pieces, sum);
  });
  return sum;
}

std::vector<VectorElement> VectorSource::heaviest(int column, std::int64_t count) const {
  LowestElements lowest(count);
  Array<double> buffer;
  std::vector<double> negative;
  for_each_piece(rows(), [&](std::int64_t first, std::int64_t size) {
    const auto values = piece(column, first, size, buffer);
    negative.resize(values.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i) negative[i] = -std::abs(values[i]);
    lowest.add(negative, first);
  });
  std::vector<std::int64_t> places;
  for (const auto& [value, row] : lowest.found()) places.push_back(row);
  std::vector<double> values(places.size());
  gather(column, places, values);
  std::vector<VectorElement> found;
  for (std::size_t k = 0; k < places.size(); ++k) found.push_back({places[k], values[k]});
  return found;
}

Array<double> columns_of(const VectorSource& vectors, const std::vector<std::size_t>& kept) {
  const std::size_t n = vectors.rows();
  Array<double> columns(n * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    vectors.read(static_cast<int>(kept[k]), 0, std::span(columns).subspan(k * n, n));
  return columns;
}

Array<double> all_columns(const VectorSource& vectors) {
  std::vector<std::size_t> all(vectors.columns());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return columns_of(vectors, all);
}

std::shared_ptr<const VectorSource> seen_vectors(std::span<const double> values, std::int64_t rows) {
  if (values.empty()) return nullptr;
  return std::make_shared<SeenVectors>(values, rows, static_cast<int>(std::ssize(values) / rows));
}

void SeenVectors::read(int column, std::int64_t first_row, std::span<double> out) const {
  const double* from = values_.data() + column * rows_ + first_row;
  std::copy(from, from + out.size(), out.begin());
}

void SeenVectors::gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const {
  const double* from = values_.data() + column * rows_;
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < rows.size(); ++k) out[k] = from[rows[k]];
}

}  // namespace cisolve

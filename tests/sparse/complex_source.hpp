// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/core/quaternion.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve::test {

/// Rows and columns of the complex matrix that one element of a matrix stands for.
template <class Scalar>
inline constexpr std::int64_t block_order = std::is_same_v<Scalar, Quaternion> ? 2 : 1;

/// A source of complex or quaternion rows that holds them.
template <class Scalar>
class ListedRows final : public BasicRowSource<Scalar> {
public:
  struct Row {
    std::vector<ColumnIndex> columns;
    std::vector<Scalar> values;
  };
  ListedRows(std::vector<Row> rows, std::int64_t num_columns)
      : rows_(std::move(rows)), num_columns_(num_columns) {}

  std::int64_t num_rows() const override { return std::ssize(rows_); }
  std::int64_t num_columns() const override { return num_columns_; }
  void count(RowRange range, std::span<std::int64_t> lengths) const override {
    for (std::int64_t i = range.first; i < range.last; ++i)
      lengths[i - range.first] = std::ssize(rows_[i].columns);
  }
  void fill(RowRange range, BasicRowSink<Scalar>& sink) const override {
    for (std::int64_t i = range.first; i < range.last; ++i)
      sink.row({.index = i, .columns = rows_[i].columns, .values = rows_[i].values, .general = {}});
  }
  const Row& row(std::int64_t i) const { return rows_[i]; }

private:
  std::vector<Row> rows_;
  std::int64_t num_columns_;
};

/// Rows of very different length, as uneven_matrix of listed_source.hpp has them.
template <class Scalar>
ListedRows<Scalar> uneven_source(std::int64_t n, std::int64_t num_columns) {
  std::mt19937_64 engine(42);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<typename ListedRows<Scalar>::Row> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % 5 == 3) continue;
    const double wanted = i == 0 ? static_cast<double>(num_columns) : static_cast<double>(1 + engine() % 70);
    for (std::int64_t j = 0; j < num_columns; ++j) {
      if (uniform(engine) >= wanted / static_cast<double>(num_columns)) continue;
      rows[i].columns.push_back(static_cast<ColumnIndex>(j));
      double parts[sizeof(Scalar) / sizeof(double)];
      for (double& part : parts) part = normal(engine);
      if constexpr (std::is_same_v<Scalar, Quaternion>)
        rows[i].values.push_back({{parts[0], parts[1]}, {parts[2], parts[3]}});
      else
        rows[i].values.push_back({parts[0], parts[1]});
    }
  }
  return ListedRows<Scalar>(std::move(rows), num_columns);
}

template <class Scalar>
ListedRows<Scalar> uneven_source(std::int64_t n) {
  return uneven_source<Scalar>(n, n);
}

inline std::vector<Complex> random_complex_vector(std::int64_t size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> x(size);
  for (Complex& element : x) {
    const double real = normal(engine);
    element = {real, normal(engine)};
  }
  return x;
}

/// |y - A x| / |A x|, the largest of the columns, against sums in long double. Infinite if y has anything that is no
/// number.
template <class Scalar>
double complex_product_error(const ListedRows<Scalar>& a, ConstComplexHostView x, ConstComplexHostView y) {
  using Long = std::complex<long double>;
  const auto element = [](const Scalar& value, int i, int j) -> Long {
    if constexpr (std::is_same_v<Scalar, Quaternion>)
      return Long(block_element(value, i, j));
    else
      return i + j == 0 ? Long(value) : Long();
  };
  constexpr auto order = static_cast<int>(block_order<Scalar>);
  double largest = 0.0;
  for (int k = 0; k < x.columns; ++k) {
    long double difference = 0.0L;
    long double norm = 0.0L;
    for (std::int64_t row = 0; row < a.num_rows(); ++row) {
      const auto& elements = a.row(row);
      for (int i = 0; i < order; ++i) {
        Long sum;
        for (std::size_t at = 0; at < elements.columns.size(); ++at) {
          for (int j = 0; j < order; ++j)
            sum += element(elements.values[at], i, j) * Long(x.column(k)[elements.columns[at] * order + j]);
        }
        difference += std::norm(Long(y.column(k)[row * order + i]) - sum);
        norm += std::norm(sum);
      }
    }
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    if (norm == 0.0L && difference > 0.0L) return std::numeric_limits<double>::infinity();
    if (norm > 0.0L) largest = std::max(largest, static_cast<double>(std::sqrt(difference / norm)));
  }
  return largest;
}

}  // namespace cisolve::test

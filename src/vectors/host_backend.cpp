// SPDX-License-Identifier: MIT
#include "cisolve/vectors/host_backend.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"
#include "core/serial_blas.hpp"

namespace cisolve {

static_assert(VectorBackend<HostBackend> && VectorBackend<ComplexHostBackend>);

// Not in the unnamed namespace, since lambdas of members refer to it and sources may be joined.
namespace detail {

// Rows are cut into chunks by their number alone, so sums do not depend on which thread takes which
// chunk. Enough chunks for many cores; few enough that the partial gram matrices stay small.
// Complex vectors are those of smaller matrices, with four times as much work to an element.
constexpr std::int64_t max_chunks = 256;
template <class Scalar>
constexpr std::int64_t min_chunk_rows = std::is_same_v<Scalar, double> ? 4096 : 256;

struct Chunks {
  Chunks(std::int64_t num_rows, std::int64_t least)
      : rows(num_rows), size(std::max(least, (num_rows + max_chunks - 1) / max_chunks)),
        count((num_rows + size - 1) / size) {}
  std::int64_t first(std::int64_t chunk) const { return chunk * size; }
  std::int64_t length(std::int64_t chunk) const { return std::min(size, rows - first(chunk)); }

  std::int64_t rows;
  std::int64_t size;
  std::int64_t count;
};

}  // namespace detail

namespace {

using detail::Chunks;

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

void require(bool condition, const char* operation, const char* expected) {
  if (!condition) throw DimensionError(std::string("HostBackend::") + operation + ": " + expected);
}

// A block of no or one column may come with any stride.
Eigen::Index stride_of(std::int64_t stride, std::int64_t rows) {
  return std::max({stride, rows, std::int64_t{1}});
}

/// The rows of a chunk, as Eigen sees them.
template <class Scalar>
auto map_rows(BlockView<Scalar, Memory::host> x, const Chunks& chunks, std::int64_t chunk) {
  using Rows = Dense<std::remove_const_t<Scalar>>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Scalar>, const Rows, Rows>, 0, Eigen::OuterStride<>>(
      x.data + chunks.first(chunk), chunks.length(chunk), x.columns,
      Eigen::OuterStride<>(stride_of(x.stride, x.rows)));
}

template <class Scalar>
Eigen::Map<const Dense<Scalar>> map(const BasicMatrix<Scalar>& m) {
  return {m.data(), m.rows(), m.columns()};
}

/// body(chunk) for every chunk, in parallel where there is more than one. A single one has no region: within one of a single
/// thread OpenBLAS would begin a nested team of new threads at every call.
template <class Body>
void for_chunks(const Chunks& chunks, const Body& body) {
  if (chunks.count == 1) return body(0);
  const SerialBlas serial;
#pragma omp parallel for schedule(static)
  for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk) body(chunk);
}

}  // namespace

template <VectorScalar T>
void BasicHostBackend<T>::fill(View y, Scalar value) const {
  const Chunks chunks(y.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) { map_rows(y, chunks, chunk).setConstant(value); });
}

template <VectorScalar T>
void BasicHostBackend<T>::copy(ConstView x, View y) const {
  require(x.rows == y.rows && x.columns == y.columns, "copy", "x and y must have the same shape");
  const Chunks chunks(y.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) { map_rows(y, chunks, chunk) = map_rows(x, chunks, chunk); });
}

template <VectorScalar T>
void BasicHostBackend<T>::from_host(std::span<const Scalar> host, View y) const {
  require(std::ssize(host) == y.rows * y.columns, "from_host", "one host value per element of the block");
  copy(ConstView{host.data(), y.rows, y.columns, y.rows}, y);
}

template <VectorScalar T>
void BasicHostBackend<T>::to_host(ConstView x, std::span<Scalar> host) const {
  require(std::ssize(host) == x.rows * x.columns, "to_host", "one host value per element of the block");
  copy(x, View{host.data(), x.rows, x.columns, x.rows});
}

template <VectorScalar T>
BasicMatrix<T> BasicHostBackend<T>::gram(ConstView a, ConstView b) const {
  require(a.rows == b.rows, "gram", "a and b must have the same number of rows");
  const Chunks chunks(a.rows, detail::min_chunk_rows<T>);
  const Eigen::Index size = Eigen::Index{a.columns} * b.columns;
  Dense<Scalar> partial(size, chunks.count);
  if (size > 0) {
    for_chunks(chunks, [&](std::int64_t chunk) {
      Eigen::Map<Dense<Scalar>> out(partial.col(chunk).data(), a.columns, b.columns);
      out.noalias() = map_rows(a, chunks, chunk).adjoint() * map_rows(b, chunks, chunk);
    });
  }
  BasicMatrix<Scalar> result(a.columns, b.columns);
  Eigen::Map<Eigen::Vector<Scalar, Eigen::Dynamic>> sum(result.data(), size);
  for (Eigen::Index chunk = 0; chunk < chunks.count; ++chunk) sum += partial.col(chunk);
  return result;
}

template <VectorScalar T>
void BasicHostBackend<T>::combine(ConstView a, const BasicMatrix<Scalar>& s, double beta, View y) const {
  require(a.rows == y.rows, "combine", "a and y must have the same number of rows");
  require(s.rows() == a.columns && s.columns() == y.columns, "combine",
          "s must have one row per column of a and one column per column of y");
  if (y.columns == 0) return;
  const Chunks chunks(y.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) {
    auto out = map_rows(y, chunks, chunk);
    // Not 0 * y: what y held may be uninitialised and not finite.
    if (beta == 0.0) {
      out.setZero();
    } else if (beta != 1.0) {
      out *= beta;
    }
    if (a.columns == 0) return;
    out.noalias() += map_rows(a, chunks, chunk) * map(s);
  });
}

template <VectorScalar T>
std::vector<double> BasicHostBackend<T>::norms(ConstView x) const {
  const Chunks chunks(x.rows, detail::min_chunk_rows<T>);
  Eigen::MatrixXd partial(x.columns, chunks.count);
  for_chunks(chunks, [&](std::int64_t chunk) {
    partial.col(chunk) = map_rows(x, chunks, chunk).colwise().squaredNorm().transpose();
  });
  std::vector<double> result(x.columns, 0.0);
  for (Eigen::Index chunk = 0; chunk < chunks.count; ++chunk) {
    for (int k = 0; k < x.columns; ++k) result[k] += partial(k, chunk);
  }
  for (double& value : result) value = std::sqrt(value);
  return result;
}

template <VectorScalar T>
void BasicHostBackend<T>::scale(View x, std::span<const double> factors) const {
  require(std::ssize(factors) == x.columns, "scale", "one factor per column");
  const Chunks chunks(x.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) {
    auto out = map_rows(x, chunks, chunk);
    for (int k = 0; k < x.columns; ++k) out.col(k) *= factors[k];
  });
}

template <VectorScalar T>
void BasicHostBackend<T>::divide_by_shifted_diagonal(ConstView diagonal, std::span<const double> shifts,
                                                     double floor, View y) const {
  require(diagonal.rows == y.rows && diagonal.columns == 1, "divide_by_shifted_diagonal",
          "the diagonal must be one column with the rows of y");
  require(std::ssize(shifts) == y.columns, "divide_by_shifted_diagonal", "one shift per column");
  const Chunks chunks(y.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) {
    const std::int64_t last = chunks.first(chunk) + chunks.length(chunk);
    for (int k = 0; k < y.columns; ++k) {
      const double shift = shifts[k];
      Scalar* column = y.column(k);
      for (std::int64_t i = chunks.first(chunk); i < last; ++i) {
        const double denominator = shift - std::real(diagonal.data[i]);
        column[i] /= std::abs(denominator) < floor ? std::copysign(floor, denominator) : denominator;
      }
    }
  });
}

template <VectorScalar T>
void BasicHostBackend<T>::fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y,
                                          const RowMap& map) const {
  require(diagonal.rows == y.rows && diagonal.columns == 1 && y.columns == 1, "fill_with_noise",
          "the diagonal and y must be one column of equally many rows");
  require(map.local_rows() == y.rows, "fill_with_noise", "y must have the rows of the map");
  const Chunks chunks(y.rows, detail::min_chunk_rows<T>);
  for_chunks(chunks, [&](std::int64_t chunk) {
    map.for_each_local(chunks.first(chunk), chunks.length(chunk),
                       [&](std::int64_t row, std::int64_t local, std::int64_t count) {
                         for (std::int64_t i = 0; i < count; ++i)
                           y.data[local + i] =
                               noise(row + i, map.rows(), std::real(diagonal.data[local + i]));
                       });
  });
}

template <VectorScalar T>
std::vector<std::pair<double, std::int64_t>> BasicHostBackend<T>::lowest(ConstView x,
                                                                         std::int64_t count) const {
  require(x.columns == 1, "lowest", "x must be one column");
  LowestElements lowest(count);
  if constexpr (std::is_same_v<Scalar, double>) {
    lowest.add({x.data, static_cast<std::size_t>(x.rows)}, 0);
  } else {
    std::vector<double> parts(x.rows);
    std::transform(x.data, x.data + x.rows, parts.begin(), [](Scalar element) { return element.real(); });
    lowest.add(parts, 0);
  }
  return lowest.found();
}

template <VectorScalar T>
BasicMatrix<T> BasicHostBackend<T>::gather(ConstView x, const Indices& rows) const {
  BasicMatrix<Scalar> values(static_cast<int>(rows.size()), x.columns);
  for (int k = 0; k < x.columns; ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      require(rows[i] >= 0 && rows[i] < x.rows, "gather", "every row number must be a row of x");
      values(static_cast<int>(i), k) = x.column(k)[rows[i]];
    }
  }
  return values;
}

template <VectorScalar T>
void BasicHostBackend<T>::scatter(const BasicMatrix<Scalar>& values, const Indices& rows, View y) const {
  require(values.rows() == static_cast<int>(rows.size()) && values.columns() == y.columns, "scatter",
          "values must have one row per row number and one column per column of y");
  for (int k = 0; k < y.columns; ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      require(rows[i] >= 0 && rows[i] < y.rows, "scatter", "every row number must be a row of y");
      y.column(k)[rows[i]] = values(static_cast<int>(i), k);
    }
  }
}

template class BasicHostBackend<double>;
template class BasicHostBackend<std::complex<double>>;

}  // namespace cisolve

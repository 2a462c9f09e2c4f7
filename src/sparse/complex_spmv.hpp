// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cisolve/core/quaternion.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"
#include "sparse/parallel_spmv.hpp"

// Products of complex and of quaternion matrices with complex vectors. A matrix of quaternions is a complex one whose
// elements are 2 x 2 blocks, so that two elements of a vector belong to each of its rows.
//
// The fast product multiplies real numbers alone. An element of the matrix has 2 or 4 real parts, and those of x that it
// meets are 2 or 4 real numbers too; the sums over a row of (one part of A) (one number of x) are kept apart, 4 or 16 for
// each column of x, and only at the end of the row are they put together with their signs. So the loop is one of fused
// multiply-adds over consecutive numbers, which a compiler that is told so turns into vector instructions.
namespace cisolve {

/// Elements of a complex vector that belong to one row of a matrix.
template <class Scalar>
inline constexpr std::size_t elements_per_row = std::is_same_v<Scalar, Quaternion> ? 2 : 1;

/// @throws DimensionError unless x and y have elements_per_row elements for each column and row of the matrix
template <class Scalar>
void require_complex_shapes(std::int64_t num_rows, std::int64_t num_columns, const ConstComplexHostView& x,
                            const ComplexHostView& y) {
  constexpr auto elements = static_cast<std::int64_t>(elements_per_row<Scalar>);
  require_spmv_shapes(num_rows * elements, num_columns * elements, x, y);
}

/// y = A x by the definition: one row and one column after the other, nonzeros in storage order.
template <class Scalar, class Parts>
void multiply_complex_plainly(std::int64_t num_rows, std::int64_t num_columns, const Parts& parts_of,
                              ConstComplexHostView x, ComplexHostView y) {
  require_complex_shapes<Scalar>(num_rows, num_columns, x, y);
  for (int k = 0; k < x.columns; ++k) {
    const Complex* from = x.column(k);
    Complex* to = y.column(k);
    for (std::int64_t row = 0; row < num_rows; ++row) {
      std::array<Complex, elements_per_row<Scalar>> sums{};
      for (const BasicRowPart<Scalar>& part : parts_of(row)) {
        for (std::size_t at = 0; at < part.size; ++at) {
          const Scalar& value = part.values[at];
          const std::int64_t column = part.columns[at];
          if constexpr (std::is_same_v<Scalar, Quaternion>) {
            for (int i = 0; i < 2; ++i) {
              for (int j = 0; j < 2; ++j) sums[i] += block_element(value, i, j) * from[2 * column + j];
            }
          } else {
            sums[0] += value * from[column];
          }
        }
      }
      for (std::size_t i = 0; i < sums.size(); ++i)
        to[row * static_cast<std::int64_t>(sums.size()) + static_cast<std::int64_t>(i)] = sums[i];
    }
  }
}

/// Sums over a row of parts of A times numbers of x, for `width` columns.
template <class Scalar, std::size_t width>
struct PartSums {
  static constexpr std::size_t parts = sizeof(Scalar) / sizeof(double);
  static constexpr std::size_t numbers = 2 * elements_per_row<Scalar>;  ///< of one column of x
  static constexpr std::size_t step = numbers * width;

  std::array<double, parts * step> of_part{};  ///< [part][column of x][number]

  /// @param packed  x as [row][column of x][number]
  void add(const BasicRowPart<Scalar>& part, const double* packed) {
    std::array<double, parts* step> sums = of_part;  // a local the compiler keeps in registers
    for (std::size_t at = 0; at < part.size; ++at) {
      const auto* value = reinterpret_cast<const double*>(part.values + at);
      const double* x = packed + static_cast<std::size_t>(part.columns[at]) * step;
      for (std::size_t p = 0; p < parts; ++p) {
#pragma omp simd
        for (std::size_t i = 0; i < step; ++i) sums[p * step + i] += value[p] * x[i];
      }
    }
    of_part = sums;
  }

  /// Element `element` of y in column k.
  Complex result(std::size_t k, std::size_t element) const {
    // (sum of part p times element e of x)
    const auto sum = [&](std::size_t p, std::size_t e) {
      const double* number = of_part.data() + p * step + k * numbers + 2 * e;
      return Complex(number[0], number[1]);
    };
    const auto times_i = [](const Complex& z) { return Complex(-z.imag(), z.real()); };
    if constexpr (std::is_same_v<Scalar, Quaternion>) {
      // Rows [a, b] and [-b*, a*] of the block.
      if (element == 0) return sum(0, 0) + times_i(sum(1, 0)) + sum(2, 1) + times_i(sum(3, 1));
      return sum(0, 1) - times_i(sum(1, 1)) - sum(2, 0) + times_i(sum(3, 0));
    } else {
      return sum(0, 0) + times_i(sum(1, 0));
    }
  }
};

/// The columns of x packed [row][column][number], zeros beyond its last; a single one as it is.
template <class Scalar, std::size_t width>
const double* pack_complex_columns(const ConstComplexHostView& x, SpmvWorkspace& workspace) {
  if (width == 1) return reinterpret_cast<const double*>(x.data);
  constexpr std::size_t elements = elements_per_row<Scalar>;
  const std::int64_t packed_rows = x.rows / static_cast<std::int64_t>(elements);
  const std::size_t used = x.columns;
  double* packed = workspace.packed_vectors(2 * width * static_cast<std::size_t>(x.rows));
  const bool is_shared = x.rows * static_cast<std::int64_t>(2 * width) >= least_shared_work;
#pragma omp parallel for schedule(static) if (is_shared)
  for (std::int64_t row = 0; row < packed_rows; ++row) {
    double* to = packed + static_cast<std::size_t>(row) * 2 * width * elements;
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t e = 0; e < elements; ++e) {
        const Complex value =
            k < used ? x.column(static_cast<int>(k))[static_cast<std::size_t>(row) * elements + e]
                     : Complex();
        *to++ = value.real();
        *to++ = value.imag();
      }
    }
  }
  return packed;
}

/// y = A x or y += A x for at most `width` columns in one pass over the matrix.
template <class Scalar, std::size_t width, class Parts, class WorkBefore>
void multiply_complex_group(std::int64_t num_rows, const Parts& parts_of, const WorkBefore& work_before,
                            const ConstComplexHostView& x, const ComplexHostView& y, SpmvWorkspace& workspace,
                            ProductUpdate update) {
  const double* packed = pack_complex_columns<Scalar, width>(x, workspace);
  for_each_row(num_rows, work_before, [&](std::int64_t row) {
    PartSums<Scalar, width> sums;
    for (const BasicRowPart<Scalar>& part : parts_of(row)) sums.add(part, packed);
    constexpr std::size_t elements = elements_per_row<Scalar>;
    for (std::size_t k = 0; k < static_cast<std::size_t>(y.columns); ++k) {
      Complex* to = y.column(static_cast<int>(k)) + static_cast<std::size_t>(row) * elements;
      for (std::size_t e = 0; e < elements; ++e)
        to[e] = update == ProductUpdate::add ? to[e] + sums.result(k, e) : sums.result(k, e);
    }
  });
}

/// y = A x or y += A x with all threads, the columns of x in groups of 1, 2 or 4. The sum of a row has an order of its
/// own that does not depend on the number of threads.
/// @param parts_of     the parts of row i, a range of BasicRowPart
/// @param work_before  what the rows before row i cost, ascending in i = 0 .. n
template <class Scalar, class Parts, class WorkBefore>
void multiply_complex(std::int64_t num_rows, std::int64_t num_columns, const Parts& parts_of,
                      const WorkBefore& work_before, ConstComplexHostView x, ComplexHostView y,
                      SpmvWorkspace& workspace, ProductUpdate update) {
  require_complex_shapes<Scalar>(num_rows, num_columns, x, y);
  for (int first = 0; first < x.columns;) {
    const int taken = std::min(x.columns - first, 4);
    const ConstComplexHostView from = x.slice(first, taken);
    const ComplexHostView to = y.slice(first, taken);
    if (taken >= 3) {
      multiply_complex_group<Scalar, 4>(num_rows, parts_of, work_before, from, to, workspace, update);
    } else if (taken == 2) {
      multiply_complex_group<Scalar, 2>(num_rows, parts_of, work_before, from, to, workspace, update);
    } else {
      multiply_complex_group<Scalar, 1>(num_rows, parts_of, work_before, from, to, workspace, update);
    }
    first += taken;
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// A matrix in host memory, whatever its storage format: what users of a format need to know of it.
/// Formats are plain structs with functions (see StoredAs); the table in formats.hpp makes these.
class StoredMatrix {
public:
  virtual ~StoredMatrix() = default;

  /// Name of the format, as in the table of formats.
  virtual std::string_view format() const = 0;
  virtual std::int64_t num_rows() const = 0;
  /// As many as rows, unless these are some rows of a larger matrix.
  virtual std::int64_t num_columns() const { return num_rows(); }
  virtual std::int64_t num_nonzeros() const = 0;

  /// Bytes that the arrays of the matrix take.
  virtual std::int64_t bytes() const = 0;

  /// y = A x or y += A x with all threads. Does not depend on the number of threads.
  /// @param x  num_columns() x k, for any k
  /// @param y  num_rows() x k; must not overlap x
  /// @throws DimensionError if shapes disagree
  virtual void multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                        ProductUpdate update = ProductUpdate::assign) const = 0;

  /// y = A x, one row after the other: the definition.
  /// @throws DimensionError if shapes disagree
  virtual void multiply_plainly(ConstHostView x, HostView y) const = 0;
};

/// A format as a StoredMatrix. `Matrix` has members num_rows and num_columns, a member function num_nonzeros(), lists its arrays
/// (see core/arrays.hpp), and comes with the free functions spmv(a, x, y) and spmv(a, x, y, workspace, update).
template <class Matrix>
class StoredAs final : public StoredMatrix {
public:
  /// @param format  name of static lifetime
  /// @param matrix  becomes part of this object
  StoredAs(std::string_view format, Matrix matrix) : format_(format), matrix_(std::move(matrix)) {}

  std::string_view format() const override { return format_; }
  std::int64_t num_rows() const override { return matrix_.num_rows; }
  std::int64_t num_columns() const override { return matrix_.num_columns; }
  std::int64_t num_nonzeros() const override { return matrix_.num_nonzeros(); }
  std::int64_t bytes() const override { return array_bytes(matrix_); }
  void multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                ProductUpdate update = ProductUpdate::assign) const override {
    spmv(matrix_, x, y, workspace, update);
  }
  void multiply_plainly(ConstHostView x, HostView y) const override { spmv(matrix_, x, y); }

  const Matrix& matrix() const noexcept { return matrix_; }

private:
  std::string_view format_;
  Matrix matrix_;
};

}  // namespace cisolve

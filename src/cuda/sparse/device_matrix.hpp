// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A matrix in device memory, whatever its storage format.
class DeviceMatrix {
public:
  virtual ~DeviceMatrix() = default;

  virtual std::int64_t num_rows() const = 0;
  /// As many as rows, unless these are some rows of a larger matrix.
  virtual std::int64_t num_columns() const { return num_rows(); }

  /// Bytes of device memory that its arrays take.
  virtual std::int64_t bytes() const = 0;

  /// Enqueues y = A x or y += A x on `stream` and returns. Repeatable to the last bit. Allocates nothing once the
  /// workspace has grown.
  /// @param x  num_columns() x k, for any k
  /// @param y  num_rows() x k; must not overlap x
  /// @throws DimensionError if shapes disagree
  /// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
  virtual void multiply(const Stream& stream, ConstDeviceView x, DeviceView y, SpmvWorkspace& workspace,
                        ProductUpdate update = ProductUpdate::assign) const = 0;
};

/// Copies a matrix of a storage format, which may be freed at once. The layout is that of the host, with spare_elements
/// zeros behind each array.
/// @throws ResourceError if the device has not that much memory left
template <class Matrix>
Elsewhere<Matrix, DeviceArray> to_device(const Matrix& host, const Stream& stream) {
  return Uploads(stream, spare_elements)(host);
}

/// A format as a DeviceMatrix. `Matrix` has members num_rows and num_columns, lists its arrays (see core/arrays.hpp), and
/// comes with the free function spmv(stream, a, x, y, workspace, update).
template <class Matrix>
class DeviceStoredAs final : public DeviceMatrix {
public:
  explicit DeviceStoredAs(Matrix matrix) : matrix_(std::move(matrix)) {}

  std::int64_t num_rows() const override { return matrix_.num_rows; }
  std::int64_t num_columns() const override { return matrix_.num_columns; }
  std::int64_t bytes() const override { return array_bytes(matrix_); }
  void multiply(const Stream& stream, ConstDeviceView x, DeviceView y, SpmvWorkspace& workspace,
                ProductUpdate update = ProductUpdate::assign) const override {
    spmv(stream, matrix_, x, y, workspace, update);
  }

  const Matrix& matrix() const noexcept { return matrix_; }

private:
  Matrix matrix_;
};

}  // namespace cisolve::cuda

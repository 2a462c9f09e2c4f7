// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A matrix in device memory, whatever its storage format.
class DeviceMatrix {
public:
  virtual ~DeviceMatrix() = default;

  virtual std::int64_t num_rows() const = 0;

  /// Bytes of device memory that its arrays take.
  virtual std::int64_t bytes() const = 0;

  /// Enqueues y = A x on `stream` and returns; n x k for any k; x must not overlap y. Repeatable to the
  /// last bit. Allocates nothing once the workspace has grown.
  /// @throws DimensionError if shapes disagree
  /// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
  virtual void multiply(const Stream& stream, ConstDeviceView x, DeviceView y,
                        SpmvWorkspace& workspace) const = 0;
};

/// Copies a matrix of a storage format, which may be freed at once. The layout is that of the host, with spare_elements
/// zeros behind each array.
/// @throws ResourceError if the device has not that much memory left
template <class Matrix>
Elsewhere<Matrix, DeviceArray> to_device(const Matrix& host, const Stream& stream) {
  return Uploads(stream, spare_elements)(host);
}

/// A format as a DeviceMatrix. `Matrix` has a member num_rows, lists its arrays (see core/arrays.hpp), and comes with
/// the free function spmv(stream, a, x, y, workspace).
template <class Matrix>
class DeviceStoredAs final : public DeviceMatrix {
public:
  explicit DeviceStoredAs(Matrix matrix) : matrix_(std::move(matrix)) {}

  std::int64_t num_rows() const override { return matrix_.num_rows; }
  std::int64_t bytes() const override { return array_bytes(matrix_); }
  void multiply(const Stream& stream, ConstDeviceView x, DeviceView y,
                SpmvWorkspace& workspace) const override {
    spmv(stream, matrix_, x, y, workspace);
  }

  const Matrix& matrix() const noexcept { return matrix_; }

private:
  Matrix matrix_;
};

}  // namespace cisolve::cuda

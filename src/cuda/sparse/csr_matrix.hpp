// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// Device copy of a CsrMatrix; the same layout, with spare_elements zeros behind the last nonzero.
struct DeviceCsrMatrix {
  /// Copies the matrix, which may be freed afterwards.
  /// @throws ResourceError if the device has not that much memory left
  DeviceCsrMatrix(const CsrMatrix& host, const Stream& stream);

  /// Uninitialised but for the spare elements, to be filled by the caller.
  DeviceCsrMatrix(std::int64_t num_rows, std::int64_t num_nonzeros, const Stream& stream);

  std::int64_t num_rows;
  std::int64_t num_nonzeros;
  DeviceArray<std::int64_t> offsets;
  DeviceArray<ColumnIndex> columns;
  DeviceArray<double> values;
};

/// Bytes of device memory that the matrix takes.
std::int64_t real_bytes(const DeviceCsrMatrix& a);

/// Enqueues y = A x on `stream` and returns; see cisolve::spmv for the contract. x and y are n x k, for
/// any k; x must not overlap y. Repeatable to the last bit for the same configuration.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config = {});

/// The same by one thread per row and column, nonzeros in storage order: the definition on the device.
void spmv_plainly(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y);

}  // namespace cisolve::cuda

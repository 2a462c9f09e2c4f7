// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sparse/ell_matrix.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// Device copy of an EllMatrix: ELL, ELL-R, sliced ELL or sliced ELL-R; the same layout.
struct DeviceEllMatrix {
  /// Copies the matrix, which may be freed once `stream` has been waited for.
  /// @throws ResourceError if the device has not that much memory left
  DeviceEllMatrix(const EllMatrix& host, const Stream& stream);

  std::int64_t num_rows;
  std::int64_t slice_size;
  DeviceArray<std::int64_t> slice_offsets;
  DeviceArray<std::int32_t> row_counts;
  DeviceArray<ColumnIndex> columns;
  DeviceArray<double> values;
};

/// Bytes of device memory that the matrix takes.
std::int64_t real_bytes(const DeviceEllMatrix& a);

/// Enqueues y = A x: a thread per row, which walks its slots beside its neighbours, the paper's Algorithms 2
/// to 5. Sums run over the slots in order, so that the result repeats to the last bit.
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceEllMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace);

}  // namespace cisolve::cuda

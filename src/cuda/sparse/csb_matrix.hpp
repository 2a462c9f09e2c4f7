// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/csb_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A CsbMatrix on the device.
using DeviceCsbMatrix = BasicCsbMatrix<DeviceArray>;

/// Enqueues y = A x or y += A x: a block of threads per block row, whose sums lie in shared memory, one set for each
/// warp. A warp takes its blocks in a fixed order, 32 nonzeros at a time, and adds those of one row together
/// before it touches a sum; the sets are added at the end. No atomics: repeatable to the last bit.
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
/// @see A. Buluc et al., SPAA '09, doi:10.1145/1583991.1584053
void spmv(const Stream& stream, const DeviceCsbMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda

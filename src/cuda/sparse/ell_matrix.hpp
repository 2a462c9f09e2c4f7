// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/ell_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// An EllMatrix on the device: ELL, ELL-R, sliced ELL or sliced ELL-R.
using DeviceEllMatrix = BasicEllMatrix<DeviceArray>;

/// Enqueues y = A x or y += A x: a thread per row, which walks its slots beside its neighbours, the paper's Algorithms 2
/// to 5. Sums run over the slots in order, so that the result repeats to the last bit.
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceEllMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda

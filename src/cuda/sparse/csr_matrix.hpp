// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/csr_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A CsrMatrix on the device, with spare_elements zeros behind the last nonzero.
using DeviceCsrMatrix = BasicCsrMatrix<DeviceArray>;

/// Enqueues y = A x on `stream` and returns; see cisolve::spmv for the contract. x and y are n x k, for
/// any k; x must not overlap y. Repeatable to the last bit for the same configuration.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config = {});

}  // namespace cisolve::cuda

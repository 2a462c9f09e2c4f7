// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A HybridMatrix on the device, with spare_elements zeros behind the last nonzero of the tail.
using DeviceHybridMatrix = BasicHybridMatrix<DeviceArray>;

/// Enqueues y = A x on `stream` and returns; see cisolve::spmv for the contract. x and y are n x k, for
/// any k; x must not overlap y. Repeatable to the last bit for the same configuration. The paper's
/// Algorithm 7 with shuffles for its shared-memory tree, and padding never read.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045
void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const SpmvConfig& config = {});

}  // namespace cisolve::cuda

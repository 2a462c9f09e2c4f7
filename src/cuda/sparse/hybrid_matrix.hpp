// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A HybridMatrix on the device, with spare_elements zeros behind the last nonzero of the tail.
using DeviceHybridMatrix = BasicHybridMatrix<DeviceArray, double>;
using DeviceComplexHybridMatrix = BasicHybridMatrix<DeviceArray, Complex>;
using DeviceQuaternionHybridMatrix = BasicHybridMatrix<DeviceArray, Quaternion>;

/// Enqueues y = A x or y += A x on `stream` and returns; see cisolve::spmv for the contract. Any number of
/// columns; x must not overlap y. Repeatable to the last bit for the same configuration. The paper's
/// Algorithm 7 with shuffles for its shared-memory tree, and padding never read.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045
void spmv(const Stream& stream, const DeviceHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign,
          const SpmvConfig& config = {});

/// Enqueues y = A x or y += A x of a complex matrix, a warp per row; any number of columns; x must not overlap y.
/// Repeatable to the last bit.
///
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceComplexHybridMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

/// Enqueues y = A x or y += A x of an n x m quaternion matrix, a warp per row; x has 2 m rows and y 2 n; as for a
/// complex matrix.
/// @throws as for a complex matrix
void spmv(const Stream& stream, const DeviceQuaternionHybridMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda

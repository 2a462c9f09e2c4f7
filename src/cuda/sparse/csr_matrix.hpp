// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/csr_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A CsrMatrix on the device, with spare_elements zeros behind the last nonzero.
using DeviceCsrMatrix = BasicCsrMatrix<DeviceArray, double>;
using DeviceComplexCsrMatrix = BasicCsrMatrix<DeviceArray, Complex>;
using DeviceQuaternionCsrMatrix = BasicCsrMatrix<DeviceArray, Quaternion>;

/// Enqueues y = A x or y += A x on `stream` and returns; see cisolve::spmv for the contract. Any number of
/// columns; x must not overlap y. Repeatable to the last bit for the same configuration.
///
/// @throws DimensionError if shapes disagree or there is no kernel of that configuration
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceCsrMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign,
          const SpmvConfig& config = {});

/// Enqueues y = A x or y += A x of a complex matrix, a warp per row; any number of columns; x must not overlap y.
/// Repeatable to the last bit.
///
/// @throws DimensionError if shapes disagree
/// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow
void spmv(const Stream& stream, const DeviceComplexCsrMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

/// Enqueues y = A x or y += A x of an n x m quaternion matrix, a warp per row; x has 2 m rows and y 2 n; as for a
/// complex matrix.
/// @throws as for a complex matrix
void spmv(const Stream& stream, const DeviceQuaternionCsrMatrix& a, ConstComplexDeviceView x,
          ComplexDeviceView y, SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/paper_hybrid_matrix.hpp"
#include "cuda/sparse/spmv_config.hpp"

namespace cisolve::cuda {

/// A PaperHybridMatrix on the device.
using DevicePaperHybridMatrix = BasicPaperHybridMatrix<DeviceArray>;

/// Enqueues y = A x or y += A x by Algorithm 7 as published: a warp per row in blocks of 32 threads, running sums and
/// their reduction in shared memory, first the ELL part and then the CSR part. One vector after the other.
/// Where the paper adds to Result, this may also write it.
/// @throws DimensionError if shapes disagree; CudaError if the kernel cannot be launched
/// @see M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45, doi:10.3390/computation6030045
void spmv(const Stream& stream, const DevicePaperHybridMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update = ProductUpdate::assign);

/// The best of the paper's block sizes (its Tables 6 to 8).
inline constexpr int best_paper_block_size = 32;

/// The same with another of the paper's block sizes: 16 threads, of which a row has all, 32, or 64, two rows.
/// @throws DimensionError also if it is none of them
void spmv_in_blocks(const Stream& stream, const DevicePaperHybridMatrix& a, ConstDeviceView x, DeviceView y,
                    int block_size, ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve::cuda

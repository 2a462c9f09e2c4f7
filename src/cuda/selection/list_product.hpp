// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/selection/list_hamiltonian.hpp"
#include "cuda/sparse/device_matrix.hpp"

namespace cisolve::cuda {

/// H over a list on the current device. Determinants are gone through by their alpha strings; those of each are found by
/// their beta strings in a hash table, and which excitations lead from one listed string to another is tabulated. A warp
/// makes a row: it looks for the determinants that pairs of such excitations lead to. Rows are made once and stored if there
/// is room for them, else in each product.
///
/// Notes the number of elements, and its bytes, with the ListHamiltonian.
/// @param memory_share  of the free device memory, for stored rows and the vectors of a solver
/// @return null if the matrix is no ListHamiltonian
/// @throws CudaError; ResourceError if the device has not that much memory left
std::unique_ptr<DeviceMatrix> list_product(const StoredMatrix& matrix, const Stream& stream,
                                           double memory_share = 0.9);

}  // namespace cisolve::cuda

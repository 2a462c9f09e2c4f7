// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/selection/list_hamiltonian.hpp"
#include "cuda/sparse/device_matrix.hpp"

namespace cisolve::cuda {

/// H over a list on the current device, applied without being stored. Determinants are gone through by their alpha strings;
/// those of each are found by their beta strings in a hash table, and which excitations lead from one listed string to
/// another is tabulated. A warp makes a row: it looks for the determinants that pairs of such excitations lead to.
///
/// Notes the number of elements, and its bytes, with the ListHamiltonian.
/// @return null if the matrix is no ListHamiltonian
/// @throws CudaError; ResourceError if the device has not that much memory left
std::unique_ptr<DeviceMatrix> list_product(const StoredMatrix& matrix, const Stream& stream);

}  // namespace cisolve::cuda

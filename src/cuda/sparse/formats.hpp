// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/sparse/stored_matrix.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/device_matrix.hpp"

namespace cisolve::cuda {

/// Copies a matrix of any format in the table to the device; when it returns, the host's may be freed.
/// @throws DimensionError if the format has no device counterpart
/// @throws ResourceError if the device has not that much memory left
std::unique_ptr<DeviceMatrix> upload(const StoredMatrix& host, const Stream& stream);

}  // namespace cisolve::cuda

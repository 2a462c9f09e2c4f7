// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "cisolve/sparse/stored_matrix.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/device_matrix.hpp"

namespace cisolve::cuda {

/// Copies a matrix of any format in the table to the device; when it returns, the host's may be freed.
/// @param besides  bytes of device memory that are needed for something else later: layouts that take more memory to be
///                 faster leave them
/// @throws DimensionError if the format has no device counterpart
/// @throws ResourceError if the device has not that much memory left
std::unique_ptr<DeviceMatrix> upload(const StoredMatrix& host, const Stream& stream,
                                     std::int64_t besides = 0);

}  // namespace cisolve::cuda

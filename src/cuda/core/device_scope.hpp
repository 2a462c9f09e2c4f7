// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/check.hpp"

namespace cisolve::cuda {

/// While it lives, a device is the calling thread's current one, and then the one that was before.
class DeviceScope {
public:
  /// @throws CudaError if there is no such device
  explicit DeviceScope(int ordinal) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(ordinal));
  }
  ~DeviceScope() { cudaSetDevice(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

private:
  int before_ = 0;
};

}  // namespace cisolve::cuda

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

/// Lets the current device read and write the memory of another one, where they can; else copies pass through the host.
/// @throws CudaError
inline void allow_peer_access(int other) {
  int device = 0, possible = 0;
  check(cudaGetDevice(&device));
  if (device == other) return;
  check(cudaDeviceCanAccessPeer(&possible, device, other));
  if (possible == 0) return;
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // as wanted
  else
    check(status);
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#include "cuda/core/device_info.hpp"

#include <cuda_runtime_api.h>

#include <array>

#include "cuda/core/check.hpp"
#include "cuda/core/device_scope.hpp"

namespace cisolve::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::vector<DeviceInfo> visible_devices() {
  int count = 0;
  std::vector<DeviceInfo> devices;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // Having no device is an answer, not an error to be found by the next check.
    return devices;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    devices.push_back({ordinal, properties.name, static_cast<std::int64_t>(properties.totalGlobalMem),
                       properties.major, properties.minor, properties.multiProcessorCount,
                       std::to_array(properties.uuid.bytes)});
  }
  return devices;
}

DeviceMemory device_memory(int ordinal) {
  const DeviceScope scope(ordinal);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

std::int64_t free_device_bytes() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device_memory(device).free;
}

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

void allow_peer_access(int other) {
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

std::string driver_version() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) {
    cudaGetLastError();
    return {};
  }
  return version_text(version);
}

std::string runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version));
  return version_text(version);
}

}  // namespace cisolve::cuda

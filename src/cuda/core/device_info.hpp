// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cisolve::cuda {

/// A CUDA device as the driver describes it.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  std::int64_t total_memory = 0;  ///< bytes
  int compute_major = 0;
  int compute_minor = 0;
  int num_multiprocessors = 0;
  std::array<char, 16> uuid = {};
};

/// The devices this process may use; none, and no exception, if there is no driver or it fails.
/// Creates no context, so it is quick and takes no device memory.
std::vector<DeviceInfo> visible_devices();

struct DeviceMemory {
  std::int64_t free = 0;   ///< bytes
  std::int64_t total = 0;  ///< bytes
};

/// Memory of one device now. Creates its context.
/// @throws CudaError if there is no such device
DeviceMemory device_memory(int ordinal);
/// What is free of the current device.
/// @throws CudaError
std::int64_t free_device_bytes();

/// Multiprocessors of the current device.
/// @throws CudaError
int multiprocessors();

/// Lets the current device read and write the memory of another one, where they can; else copies pass through the host.
/// @throws CudaError
void allow_peer_access(int other);

/// "13.0": the newest CUDA version the driver supports; empty without a driver.
std::string driver_version();

/// "13.0": the CUDA runtime this program uses.
std::string runtime_version();

}  // namespace cisolve::cuda

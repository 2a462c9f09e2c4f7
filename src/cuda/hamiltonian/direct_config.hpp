// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/device_profile.hpp"

namespace cisolve::cuda {

/// Ways to apply the same-spin Hamiltonian of many strings.
enum class SameSpin { chosen, dense, projected };

/// How a direct product is cut for a device. As told, for an H200.
///
/// To plan for a device that isn't there:
///   PlannedDirectProduct planned(host, DirectConfig::for_profile(device_profile_for(bytes_of_memory)));
///   const DirectBytes needed = planned.bytes();
/// Plans don't ask how much memory there is: compare `needed` with DeviceProfile::memory, and where that is too little,
/// plan once more with most_pack_bytes = 0.
struct DirectConfig {
  int blocks_per_multiprocessor = 0;     ///< 1 or 2; 0: chosen
  std::int64_t least_long_columns = -1;  ///< of long rows, which are worked on in tiles; -1: chosen
  std::int64_t most_pack_bytes =
      256 << 20;  ///< of what can be made once instead of in every product, if all of it fits
  std::int64_t most_strip_bytes =
      0;  ///< of ranks: x is gathered in strips of columns, at most so large, where that is possible; 0: whole
  SameSpin same_spin = SameSpin::chosen;  ///< projected: wherever it is possible
  DeviceProfile device = device_profile("H200");

  /// For a card, which need not be there.
  static DirectConfig for_profile(const DeviceProfile& device) {
    return {.most_pack_bytes = device.budgets.packs, .device = device};
  }

  /// For the current device.
  /// @throws CudaError if there is none
  static DirectConfig for_device() { return for_profile(profile_of_device()); }
};

}  // namespace cisolve::cuda

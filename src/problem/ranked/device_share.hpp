// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cisolve/problem/resources.hpp"

namespace cisolve {

/// The devices of one process among those that it sees.
struct DeviceShare {
  std::vector<std::size_t> devices;  ///< their places in what it sees
  int sharers = 1;                   ///< processes that have the first of them
};

/// Shares devices out among the processes that see the same ones, in the order of processes: each has some of its own, or,
/// where there are fewer devices than processes, one together with others.
/// @param seen     by each process
/// @param process  whose share it is
DeviceShare share_of_devices(std::span<const std::vector<DeviceId>> seen, std::size_t process);

}  // namespace cisolve

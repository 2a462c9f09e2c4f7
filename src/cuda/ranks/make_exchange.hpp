// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

/// The fastest way between the devices that are current on the ranks' threads: NCCL where each has a device of its own, else
/// copies between threads of one process, else through the host. Called by all ranks.
/// @param[out] name  "NCCL", "peer copies", "the host"
/// @throws ResourceError, SystemError, CudaError
std::unique_ptr<DeviceExchange> make_exchange(const Communicator& ranks, std::string& name);

}  // namespace cisolve::cuda

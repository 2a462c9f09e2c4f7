// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

/// The fastest way between the devices that are current on the ranks' threads: NCCL where each has a device of its own, else
/// copies between threads of one process, else through the host. Called by all ranks.
/// @throws ResourceError, SystemError, CudaError
std::unique_ptr<DeviceExchange> make_exchange(const Communicator& ranks);

}  // namespace cisolve::cuda

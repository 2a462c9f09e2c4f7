// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

/// Whether this build has NCCL.
bool has_nccl() noexcept;

/// Between ranks that have a device each, by NCCL: threads of one process, processes, or both. Called by all ranks, none of
/// which may have anything on its way on its device.
/// @throws SystemError if NCCL fails, as where two ranks share a device; or where has_nccl() is false
std::unique_ptr<DeviceExchange> make_nccl_exchange(const Communicator& ranks);

}  // namespace cisolve::cuda

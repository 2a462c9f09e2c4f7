// SPDX-License-Identifier: MIT
// Stands in for nccl_exchange.cpp in builds without NCCL.
#include "cisolve/core/error.hpp"
#include "cuda/ranks/nccl_exchange.hpp"

namespace cisolve::cuda {

bool has_nccl() noexcept { return false; }

std::unique_ptr<DeviceExchange> make_nccl_exchange(const Communicator&) {
  throw SystemError("this build of cisolve has no NCCL");
}

}  // namespace cisolve::cuda

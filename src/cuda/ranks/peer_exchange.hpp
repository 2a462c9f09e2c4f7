// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

/// Between threads of one process: each copies from the others' memory what is for it, by the copy engines. Ranks may share
/// a device.
class PeerExchange final : public DeviceExchange {
public:
  /// Called by all ranks. Devices are given access to each other's memory where they can have it; else copies pass
  /// through the host.
  /// @throws DimensionError if the ranks are not threads of one process; CudaError
  explicit PeerExchange(const Communicator& ranks);

  std::string_view name() const noexcept override { return "peer copies"; }
  void exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive, const Event& ready,
                const Event& done) override;

private:
  std::vector<int> devices_;  ///< of the ranks
  Stream transfer_{Stream::Priority::high};
  Event taken_;  ///< what is for this rank has been copied
};

}  // namespace cisolve::cuda

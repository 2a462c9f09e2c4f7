// SPDX-License-Identifier: MIT
#pragma once

#include "cuda/core/device_array.hpp"
#include "cuda/ranks/device_exchange.hpp"

namespace cisolve::cuda {

/// Between any ranks, through the host: some bytes at a time from each device to page-locked memory, by the Communicator to
/// the other ranks' and to their devices. Waits for what is before it, and hides behind nothing.
class StagedExchange final : public DeviceExchange {
public:
  /// Page-locked memory that a rank takes for what goes, and as much for what comes.
  static constexpr std::size_t staged_bytes = std::size_t{16} << 20;

  /// Called by all ranks.
  /// @throws ResourceError if there is not that much page-locked memory; CudaError
  explicit StagedExchange(const Communicator& ranks);

  std::string_view name() const noexcept override { return "the host"; }
  void exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive, const Event& ready,
                const Event& done) override;

private:
  std::size_t chunk_;                           ///< bytes for or from a rank at a time
  PinnedArray<std::byte> outgoing_, incoming_;  ///< [ranks][chunk_]
  Stream transfer_;
};

}  // namespace cisolve::cuda

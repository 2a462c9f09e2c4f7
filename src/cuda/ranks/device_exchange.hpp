// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cisolve/ranks/communicator.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Bytes in device memory for another rank.
struct DeviceSend {
  int to;
  const void* data;
  std::size_t bytes;
};

/// Room in device memory for bytes of another rank.
struct DeviceReceive {
  int from;
  void* data;
  std::size_t bytes;
};

/// Moves bytes between the devices of ranks, beside what the devices do otherwise. It never adds.
///
/// Each rank has its own, for the device that is current when it is made and whenever it is used.
class DeviceExchange {
public:
  /// @param ranks  must outlive this object
  explicit DeviceExchange(const Communicator& ranks) : ranks_(ranks) {}
  virtual ~DeviceExchange() = default;
  DeviceExchange(const DeviceExchange&) = delete;
  DeviceExchange& operator=(const DeviceExchange&) = delete;

  const Communicator& ranks() const noexcept { return ranks_; }

  /// What moves the bytes: "NCCL", "peer copies", "the host".
  virtual std::string_view name() const noexcept = 0;

  /// Enqueues pieces to and from other ranks, on a stream of its own. Called by all ranks in the same order, also by one that has
  /// none. Those between a pair of ranks arrive in the order in which they are listed, and are as long here as there; no
  /// piece overlaps another that is written. From the first exchange of a product to the last, no rank may allocate or free
  /// device memory: that can wait for devices that wait for each other.
  /// @param ready  recorded by the caller: pieces may be read and written from there on
  /// @param done   is recorded: from there on what comes has arrived, and what goes may be overwritten
  /// @throws RankFailed, SystemError, CudaError
  virtual void exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive,
                        const Event& ready, const Event& done) = 0;

  /// For when a rank of this process has failed: ends transfers that wait for it, on which the device would wait for ever.
  /// What they move is lost, and nothing can be exchanged afterwards. From any thread.
  virtual void abort() noexcept {}

private:
  const Communicator& ranks_;
};

}  // namespace cisolve::cuda

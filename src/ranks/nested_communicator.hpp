// SPDX-License-Identifier: MIT
#pragma once

#include "ranks/meeting.hpp"

namespace cisolve {

/// Ranks that are threads of several processes, as many of each: rank = process * threads + thread. Thread 0, which must be
/// the one that MPI was initialised by, speaks for its process.
class NestedCommunicator final : public Communicator {
public:
  NestedCommunicator(const Communicator& processes, Meeting& meeting, int thread)
      : processes_(processes), meeting_(meeting), thread_(thread) {}

  int rank() const noexcept override { return first_rank() + thread_; }
  int size() const noexcept override { return processes_.size() * threads(); }
  void barrier() const override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const override;
  void broadcast(std::span<std::byte> data, int root) const override;
  void broadcast_patiently(std::span<std::byte> data, int root) const override;
  void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const override;
  void fail() const noexcept override { meeting_.fail(); }

private:
  int threads() const noexcept { return meeting_.ranks(); }
  int first_rank() const noexcept { return processes_.rank() * threads(); }
  int process_of(int rank) const noexcept { return rank / threads(); }

  /// What `root` has, on all; send(data, process) does it for processes.
  template <class Send>
  void spread(std::span<std::byte> data, int root, const Send& send) const;

  void exchange_with_processes(std::span<const Shown> shown) const;

  const Communicator& processes_;
  Meeting& meeting_;
  int thread_;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <atomic>

#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// @param code  that a call of MPI returned
/// @param what  for the message: "MPI_Barrier"
/// @throws SystemError  the call failed, and MPI's reason
void check_mpi(int code, const char* what);

/// Processes of an MPI job. Counts of MPI are int, and collectives of some versions overflow on the total: what is large
/// goes as messages of at most 256 MiB.
class MpiCommunicator final : public Communicator {
public:
  /// A duplicate, whose messages meet no others.
  explicit MpiCommunicator(MPI_Comm processes);
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void barrier() const override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const override;
  void broadcast(std::span<std::byte> data, int root) const override;
  void broadcast_patiently(std::span<std::byte> data, int root) const override;
  void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const override;

  /// What this process calls from now on throws RankFailed, so that nothing it says in leaving meets what others wait
  /// for; see MpiSession::abort for these.
  void fail() const noexcept override { has_failed_ = true; }
  bool has_failed() const noexcept { return has_failed_; }

private:
  void require() const;

  MPI_Comm processes_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  mutable std::atomic<bool> has_failed_ = false;
};

}  // namespace cisolve

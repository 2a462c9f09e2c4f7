// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// What a rank shows the others of its process.
struct Shown {
  std::span<const std::byte> bytes = {};
  std::span<std::byte> room = {};
  std::span<const Outgoing> send = {};
  std::span<const Incoming> receive = {};
};

/// Where threads show each other what they have, and whose waiting can be ended for good.
class Meeting {
public:
  explicit Meeting(int ranks) : shown_(static_cast<std::size_t>(ranks)) {}

  int ranks() const noexcept { return static_cast<int>(shown_.size()); }

  /// Returns when all have come.
  /// @throws RankFailed  once fail has been called, as all of these
  void meet();

  /// Calls lead() on thread 0 when all have come, and returns when it has.
  template <class Lead>
  void meet(int thread, const Lead& lead) {
    meet();
    if (thread == 0) lead();
    meet();
  }

  /// Shows what this thread has and calls take(what all have). Nobody leaves before all have taken.
  template <class Take>
  void show(int thread, const Shown& mine, const Take& take) {
    post(thread, mine);
    take_all(take);
  }

  /// As show; before anyone takes, thread 0 calls lead(what all have) alone.
  template <class Lead, class Take>
  void show(int thread, const Shown& mine, const Lead& lead, const Take& take) {
    post(thread, mine);
    if (thread == 0) lead(std::span<const Shown>(shown_));
    meet();
    take_all(take);
  }

  void fail() noexcept;

private:
  void post(int thread, const Shown& mine);
  void arrive(std::unique_lock<std::mutex>& lock);
  void require() const;

  template <class Take>
  void take_all(const Take& take) {
    try {
      take(std::span<const Shown>(shown_));
    } catch (...) {
      wait_until_taken();  // the others may still read what this rank would take with it
      throw;
    }
    wait_until_taken();
  }
  void wait_until_taken();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shown> shown_;
  int arrived_ = 0;  ///< in this round
  int taken_ = 0;    ///< who have taken what was shown in the last
  std::uint64_t round_ = 0;
  bool failed_ = false;
};

/// Copies what the ranks of this process have for one of them.
/// @param shown       [ranks of this process]
/// @param first_rank  of this process
/// @param receive     of `rank`; pieces of other processes are left out
/// @throws DimensionError  what is expected is not what is sent
void take_pieces(std::span<const Shown> shown, int first_rank, int rank, std::span<const Incoming> receive);

/// Runs body(thread) on meeting.ranks() threads, the caller being thread 0, each with its share of the caller's OpenMP
/// threads. When one throws, the waiting of the others ends, and the exception of the first whose own it is comes out.
void run_threads(Meeting& meeting, const std::function<void(int)>& body);

}  // namespace cisolve

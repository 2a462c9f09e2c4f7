// SPDX-License-Identifier: MIT
#include "cisolve/ranks/thread_ranks.hpp"

#include <omp.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "cisolve/core/thread_scope.hpp"

namespace cisolve {
namespace {

/// What a rank shows the others.
struct Shown {
  std::span<const std::byte> bytes;
  std::span<const Outgoing> pieces;
};

/// Where threads show each other what they have, and whose waiting can be ended for good.
class Meeting {
public:
  explicit Meeting(int ranks) : shown_(static_cast<std::size_t>(ranks)) {}

  int ranks() const noexcept { return static_cast<int>(shown_.size()); }

  /// Returns when all have come.
  /// @throws RankFailed  once fail has been called, as all of these
  void meet() {
    std::unique_lock lock(mutex_);
    arrive(lock);
  }

  /// Shows what this rank has and calls take(what all have). Nobody leaves before all have taken.
  template <class Take>
  void show(int rank, const Shown& mine, const Take& take) {
    std::unique_lock lock(mutex_);
    shown_[static_cast<std::size_t>(rank)] = mine;
    arrive(lock);
    lock.unlock();
    take(std::span<const Shown>(shown_));
    lock.lock();
    ++taken_;
    changed_.notify_all();
    // Also when one has failed: the others may still read what this rank would take with it.
    changed_.wait(lock, [&] { return taken_ == ranks(); });
    arrive(lock);
  }

  void fail() noexcept {
    const std::scoped_lock lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

private:
  void arrive(std::unique_lock<std::mutex>& lock) {
    require();
    const std::uint64_t round = round_;
    if (++arrived_ == ranks()) {
      arrived_ = 0;
      taken_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    if (round_ == round) require();
  }

  void require() const {
    if (failed_) throw RankFailed("another rank has failed");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Shown> shown_;
  int arrived_ = 0;  ///< in this round
  int taken_ = 0;    ///< who have taken what was shown in the last
  std::uint64_t round_ = 0;
  bool failed_ = false;
};

/// Ranks that are threads: each takes what it wants of what the others show.
class ThreadCommunicator final : public Communicator {
public:
  ThreadCommunicator(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return meeting_.ranks(); }
  void barrier() const override { meeting_.meet(); }
  void fail() const noexcept override { meeting_.fail(); }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    meeting_.show(rank_, {mine, {}}, [&](std::span<const Shown> shown) {
      auto to = all.begin();
      for (const Shown& one : shown) to = std::ranges::copy(one.bytes, to).out;
    });
  }

  void broadcast(std::span<std::byte> data, int root) const override {
    meeting_.show(rank_, {data, {}}, [&](std::span<const Shown> shown) {
      if (rank_ != root) std::ranges::copy(shown[static_cast<std::size_t>(root)].bytes, data.begin());
    });
  }

  void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const override {
    meeting_.show(rank_, {{}, send}, [&](std::span<const Shown> shown) {
      std::vector<std::size_t> next(shown.size(), 0);  // piece of each rank
      for (const Incoming& piece : receive) {
        std::size_t& at = next[static_cast<std::size_t>(piece.from)];
        const std::span<const Outgoing> pieces = shown[static_cast<std::size_t>(piece.from)].pieces;
        while (pieces[at].to != rank_) ++at;
        std::ranges::copy(pieces[at++].bytes, piece.bytes.begin());
      }
    });
  }

private:
  Meeting& meeting_;
  int rank_;
};

/// What the ranks' bodies threw.
class Failures {
public:
  explicit Failures(int ranks) : errors_(static_cast<std::size_t>(ranks)) {}

  void run(const ThreadCommunicator& ranks, const std::function<void(const Communicator&)>& body) noexcept {
    Failure& mine = errors_[static_cast<std::size_t>(ranks.rank())];
    try {
      body(ranks);
    } catch (const RankFailed&) {
      mine = {std::current_exception(), true};
      ranks.fail();
    } catch (...) {
      mine = {std::current_exception(), false};
      ranks.fail();
    }
  }

  /// The first of a rank's own, else one that only heard of a failure.
  void rethrow() const {
    for (const bool heard : {false, true}) {
      for (const Failure& one : errors_) {
        if (one.error && one.heard == heard) std::rethrow_exception(one.error);
      }
    }
  }

private:
  struct Failure {
    std::exception_ptr error;
    bool heard = false;
  };
  std::vector<Failure> errors_;
};

}  // namespace

struct RankTeam::Members {
  explicit Members(int ranks) : meeting(ranks) {
    for (int rank = 0; rank < ranks; ++rank) communicators.emplace_back(meeting, rank);
  }
  Meeting meeting;
  std::vector<ThreadCommunicator> communicators;
};

RankTeam::RankTeam(int ranks) : members_(std::make_unique<Members>(ranks)) {}
RankTeam::~RankTeam() = default;

int RankTeam::size() const { return members_->meeting.ranks(); }

void RankTeam::run(const std::function<void(const Communicator&)>& body) const {
  Failures failures(size());
  const int threads = std::max(omp_get_max_threads() / size(), 1);
  const auto run = [&](int rank) {
    const ThreadScope scope(threads);
    failures.run(members_->communicators[static_cast<std::size_t>(rank)], body);
  };
  {
    std::vector<std::jthread> others;
    for (int rank = 1; rank < size(); ++rank) others.emplace_back(run, rank);
    run(0);
  }
  failures.rethrow();
}

void run_ranks(int ranks, const std::function<void(const Communicator&)>& body) { RankTeam(ranks).run(body); }

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "ranks/meeting.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "cisolve/core/thread_scope.hpp"

namespace cisolve {

void Meeting::meet() {
  std::unique_lock lock(mutex_);
  arrive(lock);
}

void Meeting::post(int thread, const Shown& mine) {
  std::unique_lock lock(mutex_);
  shown_[static_cast<std::size_t>(thread)] = mine;
  arrive(lock);
}

void Meeting::arrive(std::unique_lock<std::mutex>& lock) {
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

void Meeting::require() const {
  if (failed_) throw RankFailed("another rank has failed");
}

// Whoever has left may post already: the count begins anew only when all have come again.
void Meeting::wait_until_taken() {
  std::unique_lock lock(mutex_);
  if (++taken_ == ranks()) changed_.notify_all();
  changed_.wait(lock, [&] { return taken_ == ranks(); });
}

void Meeting::fail() noexcept {
  const std::scoped_lock lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

void take_pieces(std::span<const Shown> shown, int first_rank, int rank, std::span<const Incoming> receive) {
  std::vector<std::size_t> next(shown.size(), 0);  // piece of each rank
  const auto find_next = [&](std::size_t from) {
    const std::span<const Outgoing> pieces = shown[from].send;
    while (next[from] < pieces.size() && pieces[next[from]].to != rank) ++next[from];
    return next[from] == pieces.size() ? nullptr : &pieces[next[from]++];
  };
  for (const Incoming& piece : receive) {
    if (piece.from < first_rank || piece.from >= first_rank + static_cast<int>(shown.size())) continue;
    const Outgoing* sent = find_next(static_cast<std::size_t>(piece.from - first_rank));
    if (sent == nullptr || sent->bytes.size() != piece.bytes.size())
      throw DimensionError("Communicator::exchange: a rank expects another piece than is sent");
    std::ranges::copy(sent->bytes, piece.bytes.begin());
  }
  for (std::size_t from = 0; from < shown.size(); ++from) {
    if (find_next(from) != nullptr)
      throw DimensionError("Communicator::exchange: a rank is sent a piece that it does not expect");
  }
}

namespace {

/// What the threads threw.
class Failures {
public:
  explicit Failures(int threads) : errors_(static_cast<std::size_t>(threads)) {}

  template <class Body>
  void run(Meeting& meeting, int thread, const Body& body) noexcept {
    Failure& mine = errors_[static_cast<std::size_t>(thread)];
    try {
      body();
      return;
    } catch (const RankFailed&) {
      mine = {std::current_exception(), true};
    } catch (...) {
      mine = {std::current_exception(), false};
    }
    meeting.fail();
  }

  /// The first of a thread's own, else one that only heard of a failure.
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

void run_threads(Meeting& meeting, const std::function<void(int)>& body) {
  Failures failures(meeting.ranks());
  const int team = std::max(omp_get_max_threads() / meeting.ranks(), 1);
  const auto run = [&](int thread) {
    failures.run(meeting, thread, [&] {
      const ThreadScope scope(team);
      body(thread);
    });
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int thread = 1; thread < meeting.ranks(); ++thread) others.emplace_back(run, thread);
    } catch (...) {
      meeting.fail();  // those that were started
      throw;
    }
    run(0);
  }
  failures.rethrow();
}

}  // namespace cisolve

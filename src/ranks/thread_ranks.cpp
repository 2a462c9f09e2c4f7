// SPDX-License-Identifier: MIT
#include "cisolve/ranks/thread_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ranks/meeting.hpp"
#include "ranks/nested_communicator.hpp"

namespace cisolve {
namespace {

/// Ranks that are threads: each takes what it wants of what the others show.
class ThreadCommunicator final : public Communicator {
public:
  ThreadCommunicator(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return meeting_.ranks(); }
  void barrier() const override { meeting_.meet(); }
  void fail() const noexcept override { meeting_.fail(); }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    meeting_.show(rank_, {.bytes = mine}, [&](std::span<const Shown> shown) {
      auto to = all.begin();
      for (const Shown& one : shown) to = std::ranges::copy(one.bytes, to).out;
    });
  }

  void broadcast(std::span<std::byte> data, int root) const override {
    meeting_.show(rank_, {.bytes = data}, [&](std::span<const Shown> shown) {
      if (rank_ != root) std::ranges::copy(shown[static_cast<std::size_t>(root)].bytes, data.begin());
    });
  }

  void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const override {
    meeting_.show(rank_, {.send = send},
                  [&](std::span<const Shown> shown) { take_pieces(shown, 0, rank_, receive); });
  }

private:
  Meeting& meeting_;
  int rank_;
};

void require_equal_ranks(const Communicator& processes, int ranks_here) {
  const std::vector<int> all = all_values(processes, ranks_here);
  const auto other = std::ranges::find_if(all, [&](int one) { return one != all.front(); });
  if (other != all.end())
    throw InputError(fmt::format(
        "every process must run as many ranks as the others, but process {} would run {} and process 0 {}",
        other - all.begin(), *other, all.front()));
}

}  // namespace

struct RankTeam::Members {
  Members(const Communicator* others, int here) : processes(others), meeting(here) {
    if (processes != nullptr) require_equal_ranks(*processes, here);
    for (int thread = 0; thread < here; ++thread) communicators.push_back(make(thread));
  }

  std::unique_ptr<Communicator> make(int thread) {
    if (processes != nullptr) return std::make_unique<NestedCommunicator>(*processes, meeting, thread);
    if (meeting.ranks() == 1) return std::make_unique<SoloCommunicator>();
    return std::make_unique<ThreadCommunicator>(meeting, thread);
  }

  const Communicator* processes;  ///< null: there is one
  Meeting meeting;
  std::vector<std::unique_ptr<Communicator>> communicators;
};

RankTeam::RankTeam(int ranks) : members_(std::make_unique<Members>(nullptr, ranks)) {}
RankTeam::RankTeam(const Communicator& processes, int ranks_here)
    : members_(std::make_unique<Members>(processes.size() > 1 ? &processes : nullptr, ranks_here)) {}
RankTeam::~RankTeam() = default;

int RankTeam::here() const { return members_->meeting.ranks(); }
int RankTeam::size() const { return members_->communicators.front()->size(); }

void RankTeam::run(const std::function<void(const Communicator&)>& body) const {
  const bool speaks_for_itself = here() == 1;
  if (speaks_for_itself)
    return body(members_->processes != nullptr ? *members_->processes : *members_->communicators.front());
  run_threads(members_->meeting,
              [&](int thread) { body(*members_->communicators[static_cast<std::size_t>(thread)]); });
}

void run_ranks(int ranks, const std::function<void(const Communicator&)>& body) { RankTeam(ranks).run(body); }

void run_ranks(const Communicator& processes, int ranks_here,
               const std::function<void(const Communicator&)>& body) {
  RankTeam(processes, ranks_here).run(body);
}

}  // namespace cisolve

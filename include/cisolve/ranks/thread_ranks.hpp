// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// Ranks that are threads of this process, or of each of several, for as long as what they share needs: their communicators
/// stay the same from run to run, the threads come and go.
class RankTeam {
public:
  /// @param ranks  >= 1, of this process
  explicit RankTeam(int ranks);

  /// Rank r is thread r % ranks_here of process r / ranks_here. Called by all processes, as `run` is, each from the
  /// thread that MPI was initialised by.
  /// @param processes   MpiSession::world(), must outlive this object; one process: as RankTeam(ranks_here)
  /// @param ranks_here  >= 1, the same on each
  /// @throws InputError  on all: it is not
  RankTeam(const Communicator& processes, int ranks_here);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  int size() const;  ///< of all processes
  int here() const;  ///< of this one

  /// Runs `body` on all ranks, the caller being the first of its process, and returns when those of this process have
  /// ended. Each has its share of the caller's OpenMP threads, at least one, for its own parallel regions.
  ///
  /// When a body throws, the waiting of the others of its process ends (RankFailed), now and in later runs, and the
  /// exception of the lowest rank whose own it is comes out of this call. Other processes wait until it is reported and
  /// MpiSession::abort ends them.
  void run(const std::function<void(const Communicator&)>& body) const;

private:
  struct Members;
  std::unique_ptr<Members> members_;
};

/// Runs `body` once; see RankTeam.
void run_ranks(int ranks, const std::function<void(const Communicator&)>& body);
void run_ranks(const Communicator& processes, int ranks_here,
               const std::function<void(const Communicator&)>& body);

}  // namespace cisolve

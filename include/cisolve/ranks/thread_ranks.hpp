// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>

#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// Ranks that are threads of this process, for as long as what they share needs: their communicators stay the same from
/// run to run, the threads come and go.
class RankTeam {
public:
  /// @param ranks  >= 1
  explicit RankTeam(int ranks);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  int size() const;

  /// Runs `body` on all ranks, the caller being rank 0, and returns when all have ended. Each has its share of the
  /// caller's OpenMP threads, at least one, for its own parallel regions.
  ///
  /// When a body throws, the others' waiting ends (RankFailed), now and in later runs, and the exception of the lowest
  /// rank whose own it is comes out of this call.
  void run(const std::function<void(const Communicator&)>& body) const;

private:
  struct Members;
  std::unique_ptr<Members> members_;
};

/// Runs `body` once on so many ranks; see RankTeam::run.
void run_ranks(int ranks, const std::function<void(const Communicator&)>& body);

}  // namespace cisolve

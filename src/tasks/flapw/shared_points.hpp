// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/problem/serve_ranks.hpp"
#include "tasks/flapw/point_maker.hpp"

// K-points by rank: in turns, each process makes one of those that are left, the first of them the first process, which
// takes what the others made. Files are read by each.

namespace cisolve {

/// What the first process tells the others before the first turn.
struct SharedPoints {
  std::string input;         ///< resolved
  int threads = 1;           ///< of each process
  bool on_device = false;    ///< each takes its first device, or else the CPU
  std::vector<int> pending;  ///< numbers of the k-points that are to be made, from 0
};
SharedWork shared_work(SharedPoints points);

/// Checks that all processes have read the same file; they call it together.
/// @throws InputError  on one that has not
void require_same_source(const Communicator& processes, const FlapwResult& planned);

/// K-points that processes make together.
class PointTurns {
public:
  /// @param processes  all; must outlive this object, as must `maker`
  PointTurns(const Communicator& processes, std::vector<int> pending, PointMaker& maker)
      : processes_(processes), pending_(std::move(pending)), maker_(maker) {}

  /// Takes turns until nothing is left, or `goes_on` says no; every process calls it.
  /// @param goes_on  asked before each turn; counts on the first process
  /// @param asked    of this process since the last turn; may be empty
  /// @param keep     on the first process: with each point, in order
  /// @param hear     on the first process: what others were asked for; may be empty
  /// @return whether all were made; on the first process
  bool operator()(const std::function<bool()>& goes_on, const std::function<Requests()>& asked,
                  const std::function<void(int k, MadePoint made)>& keep,
                  const std::function<void(const Requests&)>& hear);

private:
  const Communicator& processes_;
  std::vector<int> pending_;
  PointMaker& maker_;
};

/// This process's part of what shared_work describes.
/// @throws InputError   as the first process; the file is not that of the first process
/// @throws SystemError  it has fewer devices than it said
void serve_points(const SharedWork& work, const WorkPlace& place);

}  // namespace cisolve

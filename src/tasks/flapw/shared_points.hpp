// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

/// What a process is asked and told between turns. Any may be empty but, on the first, `goes_on` and `keep`.
struct TurnCalls {
  std::function<bool()> goes_on = {};                    ///< on the first: before each turn
  std::function<void(int k, MadePoint made)> keep = {};  ///< on the first: with each point, in order
  std::function<void(const Requests&)> hear = {};        ///< on the first: what another was asked for
  std::function<Requests()> asked = {};  ///< on the others: of this process since the last turn
};

/// Makes k-points together with the other processes, which all call it, until none is left or the first does not go on.
/// @param pending  their numbers
/// @param maker    of this process
/// @return whether all were made; on the first process
bool make_in_turns(const Communicator& processes, std::span<const int> pending, PointMaker& maker,
                   const TurnCalls& calls);

/// This process's part of what shared_work describes.
/// @throws InputError   as the first process; the file is not that of the first process
/// @throws SystemError  it has fewer devices than it said
void serve_points(const SharedWork& work, const WorkPlace& place);

}  // namespace cisolve

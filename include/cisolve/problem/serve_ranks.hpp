// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/problem/requests.hpp"
#include "cisolve/problem/resources.hpp"
#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// Where a process stands among those of its node, which share memory and devices.
struct NodePlace {
  int rank = 0;
  int processes = 1;
};

/// Work of other kinds than root finders that all processes do together: each runs the same function of a task.
struct SharedWork {
  std::string task;                  ///< its name
  std::vector<std::byte> arguments;  ///< as the task has written them for itself
};

/// Where a process does its part.
struct WorkPlace {
  const Communicator& processes;
  std::span<const Device> devices;  ///< of this process, as ServedRanks::resources found them last
  /// What this process was asked for since the last call. May be empty.
  const std::function<Requests()>& take_requests;
};

/// The other processes of a calculation, which serve this one, the first, from construction to destruction: root finders
/// that are planned with `resources` share the rows of vectors among all of them.
///
/// What a root finder on several processes throws has ended their work for good, and MpiSession::abort must follow.
class ServedRanks {
public:
  /// @param processes  rank 0 of several, of which the others call serve_ranks; must outlive this object
  ServedRanks(const Communicator& processes, const NodePlace& node) : processes_(processes), node_(node) {}
  ~ServedRanks();
  ServedRanks(const ServedRanks&) = delete;
  ServedRanks& operator=(const ServedRanks&) = delete;

  const NodePlace& node() const { return node_; }

  /// How many the others are.
  int others() const { return processes_.size() - 1; }

  /// What each process may take: the least that any has, and of what those of a node share its part.
  /// @param own           of this process
  /// @param memory_given  own.memory was asked for, and is that of each process
  Resources resources(Resources own, bool memory_given) const;

  /// Has the others begin a task's work, of which this process then does its own part.
  /// @return all of them, for what they tell each other meanwhile
  /// @throws SystemError  the transport has failed
  const Communicator& begin(SharedWork work) const;

private:
  const Communicator& processes_;
  NodePlace node_;
};

struct ServeConfig {
  NodePlace node = {};
  /// What this process was asked for since the last call: the first process is told after each iteration of a search, as its
  /// observer's SearchState::requests. May be empty.
  std::function<Requests()> take_requests = {};
  /// Does this process's part of a task's work. May be empty where no task shares any.
  std::function<void(const SharedWork& work, const WorkPlace& place)> do_work = {};
};

/// Does what the first process tells this one to do, and returns when that has no more: when its ServedRanks goes.
/// @param processes  a rank other than 0
/// @throws SystemError  the transport has failed, or this process comes to other functions than the first
/// @throws what the same work throws on the first process
void serve_ranks(const Communicator& processes, const ServeConfig& config);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "cisolve/ranks/thread_ranks.hpp"
#include "ranks/mpi_world.hpp"

namespace cisolve::test {

using RankBody = std::function<void(const Communicator&)>;

/// A way to have ranks; `run` runs a body on each.
struct Way {
  std::string name;
  std::function<void(const RankBody&)> run;
};

inline void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

inline Way solo() {
  return {"Solo", [](const RankBody& body) { body(SoloCommunicator()); }};
}

inline Way threads(int ranks) {
  return {"Threads" + std::to_string(ranks), [=](const RankBody& body) { run_ranks(ranks, body); }};
}

/// Threads that stand for processes, and threads of each.
inline Way nested(int processes, int ranks_here) {
  return {"Nested" + std::to_string(processes) + "x" + std::to_string(ranks_here), [=](const RankBody& body) {
            run_ranks(processes, [&](const Communicator& all) { run_ranks(all, ranks_here, body); });
          }};
}

/// The processes of mpirun, threads of each.
inline Way mpi(int ranks_here) {
  return {"x" + std::to_string(ranks_here),
          [=](const RankBody& body) { run_ranks(mpi_session().world(), ranks_here, body); }};
}

}  // namespace cisolve::test

// SPDX-License-Identifier: MIT
// Stands in for mpi_session.cpp in a build without MPI: one process, and no other.
#include <fmt/format.h>

#include <cstdlib>

#include "cisolve/ranks/mpi_session.hpp"

namespace cisolve {

std::string mpi_library() { return {}; }

class MpiSession::Job {};

MpiSession::MpiSession(const std::optional<Launcher>& launcher) {
  if (!launcher || launcher->processes == 1) return;
  throw InputError(fmt::format(
      "{} says that {} processes were started together, but this is a build without MPI, where each would do "
      "all of the work; start one, or build with -DCISOLVE_MPI=ON",
      launcher->variable, launcher->processes == 0 ? "several" : std::to_string(launcher->processes)));
}

MpiSession::~MpiSession() = default;

const Communicator& MpiSession::world() const noexcept { return alone_; }

int MpiSession::node_rank() const noexcept { return 0; }

int MpiSession::node_processes() const noexcept { return 1; }

bool MpiSession::has_failed() const noexcept { return false; }

void MpiSession::abort(int status) const noexcept { std::_Exit(status); }

}  // namespace cisolve

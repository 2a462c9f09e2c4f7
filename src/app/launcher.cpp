// SPDX-License-Identifier: MIT
#include "app/launcher.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace cisolve::app {
namespace {

/// Cores that a process may run on; 0: the system does not say.
int bound_cores(pid_t process) {
  cpu_set_t cores;
  return sched_getaffinity(process, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

}  // namespace

std::optional<Launcher> launcher_of_environment() {
  return find_launcher([](const char* variable) { return std::getenv(variable); });
}

// The daemon of mpirun on this node, our parent, has all cores that the job may use. Other launchers bind only where they are
// asked to.
std::string binding_warning(const std::optional<Launcher>& launcher, const MpiSession& session) {
  if (!launcher || launcher->variable != "OMPI_COMM_WORLD_SIZE") return {};
  const int own = bound_cores(0), all = bound_cores(getppid());
  if (own == 0 || own >= all / session.node_processes()) return {};
  return fmt::format(
      "mpirun binds this process to {} of {} cores, which {} of its processes share; --bind-to none, or "
      "--map-by "
      "ppr:{}:node:pe={}, gives it more",
      own, all, session.node_processes(), session.node_processes(), all / session.node_processes());
}

int threads_beside_others(const MpiSession& session) {
  if (session.node_processes() == 1 || std::getenv("OMP_NUM_THREADS") != nullptr) return 0;
  const int own = bound_cores(0), all = std::max(own, bound_cores(getppid()));
  const int share = std::max(all / session.node_processes(), 1);
  return own > share ? share : 0;
}

}  // namespace cisolve::app

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cisolve/ranks/communicator.hpp"

namespace cisolve {

/// What started this process together with others, as its environment says: mpirun, mpiexec, srun.
struct Launcher {
  std::string variable;  ///< that says so, for messages: "OMPI_COMM_WORLD_SIZE"
  int processes = 0;     ///< started together; 0: it does not say how many
};

/// The launcher that environment variables tell of: those of Open MPI, of what MPICH and Intel MPI have in common, of PMIx
/// and of Slurm; none where there are none.
/// @param value  of an environment variable, or null, as std::getenv
std::optional<Launcher> find_launcher(const std::function<const char*(const char*)>& value);

/// The MPI library of this build as it calls itself, "Open MPI v4.1.4"; empty: built without MPI.
std::string mpi_library();

/// MPI, where a launcher has started several processes, from construction to destruction. Without a launcher, or where it
/// has started one, MPI is not touched, and there is one process.
///
/// The thread that makes it is the only one that may use `world` (MPI_THREAD_FUNNELED); see run_ranks for others. Where the
/// program has initialised MPI itself, that is used, and left to it.
///
/// Destruction waits for the other processes. An exception that leaves one of them must therefore be reported and end at
/// `abort`; one that destroys this on its way calls it with status 1.
class MpiSession {
public:
  /// @param launcher  find_launcher(std::getenv)
  /// @throws InputError   several processes were started, but this is a build without MPI, or that of another launcher, to
  ///                      which each of them is alone
  /// @throws SystemError  MPI refuses
  explicit MpiSession(const std::optional<Launcher>& launcher);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All processes; of size 1 where there is one.
  const Communicator& world() const noexcept;

  int node_rank() const noexcept;       ///< of this process among those of its node
  int node_processes() const noexcept;  ///< that share the memory, cores and devices of this node

  /// This process has failed in what all do together (Communicator::fail of the world), so that others may wait for it.
  bool has_failed() const noexcept;

  /// Ends all processes at once, with this exit status, which mpirun hands on.
  [[noreturn]] void abort(int status) const noexcept;

private:
  class Job;
  std::unique_ptr<const Job> job_;  ///< none: one process
  SoloCommunicator alone_;
};

}  // namespace cisolve

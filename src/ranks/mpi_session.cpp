// SPDX-License-Identifier: MIT
#include "cisolve/ranks/mpi_session.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "ranks/mpi_communicator.hpp"

namespace cisolve {
namespace {

/// MPI between its initialisation and its end.
class Library {
public:
  Library() {
    int initialized = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialized);
    is_ours_ = initialized == 0;
    check_mpi(
        is_ours_ ? MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) : MPI_Query_thread(&level),
        "MPI_Init_thread");
    if (level < MPI_THREAD_FUNNELED) {
      end();
      throw SystemError(
          "MPI is initialised for a single thread (MPI_THREAD_SINGLE); cisolve needs MPI_THREAD_FUNNELED");
    }
  }
  ~Library() { end(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

private:
  void end() const {
    if (is_ours_) MPI_Finalize();
  }

  bool is_ours_ = false;
};

}  // namespace

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text = {};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view all(text.data(), static_cast<std::size_t>(length));
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

class MpiSession::Job {
public:
  explicit Job(const Launcher& launcher) : world(MPI_COMM_WORLD) {
    if (world.size() == 1 && launcher.processes > 1)
      throw InputError(fmt::format(
          "{} says that {} processes were started together, but to the MPI of this build, {}, each "
          "is alone; start them by its own mpirun (under Slurm: srun --mpi=pmix or --mpi=pmi2)",
          launcher.variable, launcher.processes, mpi_library()));
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world.rank(), MPI_INFO_NULL, &node),
              "MPI_Comm_split_type");
    check_mpi(MPI_Comm_rank(node, &node_rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(node, &node_processes), "MPI_Comm_size");
    MPI_Comm_free(&node);
  }

  const Library library;
  const MpiCommunicator world;
  const int exceptions = std::uncaught_exceptions();  ///< in flight
  int node_rank = 0;
  int node_processes = 1;
};

MpiSession::MpiSession(const std::optional<Launcher>& launcher) {
  if (launcher && launcher->processes != 1) job_ = std::make_unique<const Job>(*launcher);
}

MpiSession::~MpiSession() {
  if (job_ && std::uncaught_exceptions() > job_->exceptions)
    abort(EXIT_FAILURE);  // the others do not come here
}

const Communicator& MpiSession::world() const noexcept {
  if (job_) return job_->world;
  return alone_;
}

int MpiSession::node_rank() const noexcept { return job_ ? job_->node_rank : 0; }

int MpiSession::node_processes() const noexcept { return job_ ? job_->node_processes : 1; }

bool MpiSession::has_failed() const noexcept { return job_ && job_->world.has_failed(); }

void MpiSession::abort(int status) const noexcept {
  if (job_) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace cisolve

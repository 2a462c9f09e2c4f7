// SPDX-License-Identifier: MIT
// A job of several processes of which one fails, for test_mpi_job.cpp: mpi_job WHERE THREADS STATUS. Its door is that of the
// program: a sentence, then MpiSession::abort.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/ranks/mpi_session.hpp"
#include "cisolve/ranks/thread_ranks.hpp"

namespace {

using namespace cisolve;

/// Collectives one after the other, in one of which the middle rank is missing.
void work(const Communicator& ranks, std::string_view where) {
  const auto at = [&](std::string_view here) {
    if (here == where && ranks.rank() == ranks.size() / 2)
      throw std::runtime_error("rank " + std::to_string(ranks.rank()) + " fails");
  };
  std::vector<double> values(1000, ranks.rank());
  at("start");
  ranks.barrier();
  at("barrier");
  sum(ranks, values);
  at("sum");
  ranks.broadcast_patiently(std::as_writable_bytes(std::span(values)), ranks.size() / 2);
  at("broadcast");
  gather_all(ranks, std::span<const double>(values));
  at("end");
  ranks.barrier();
}

int run(const MpiSession& session, std::string_view where, int threads, int status) {
  try {
    if (where == "killed" && session.world().rank() == 1) ::kill(getpid(), SIGKILL);
    if (where == "silent" && session.world().rank() == 1) std::_Exit(status);
    run_ranks(session.world(), threads, [&](const Communicator& ranks) { work(ranks, where); });
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_job: %s\n", error.what());
    session.abort(status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  const auto launcher = find_launcher([](const char* variable) { return std::getenv(variable); });
  try {
    const MpiSession session(launcher);
    if (std::string_view(argv[1]) == "past" && session.world().rank() == 1) throw std::runtime_error("past");
    return run(session, argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
  } catch (const std::exception&) {
    return EXIT_SUCCESS;  // is not reached by what destroys a session
  }
}

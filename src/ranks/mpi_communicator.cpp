// SPDX-License-Identifier: MIT
#include "ranks/mpi_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <thread>

namespace cisolve {
namespace {

constexpr std::size_t most_bytes = 256 << 20;  ///< of a message, and of what all have after a collective
constexpr int tag = 1;

/// body(part) for parts of at most most_bytes one after the other.
template <class Byte, class Body>
void for_each_part(std::span<Byte> bytes, const Body& body) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), most_bytes)))
    body(bytes.first(std::min(bytes.size(), most_bytes)));
}

int count(std::span<const std::byte> part) { return static_cast<int>(part.size()); }

/// Waits without taking a core: MPI's own waiting asks without end.
void wait_patiently(MPI_Request& request) {
  using namespace std::chrono_literals;
  constexpr std::chrono::microseconds longest = 1ms;
  std::chrono::microseconds pause = 10us;
  for (;;) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest);
  }
}

void wait_for_all(std::vector<MPI_Request>& requests) {
  std::vector<MPI_Status> statuses(requests.size());
  const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (const MPI_Status& status : statuses) {
      if (status.MPI_ERROR != MPI_ERR_PENDING) check_mpi(status.MPI_ERROR, "a message");
    }
  }
  check_mpi(code, "MPI_Waitall");
}

/// Pieces of a rank to itself.
void copy_own(int rank, std::span<const Outgoing> send, std::span<const Incoming> receive) {
  auto next = send.begin();
  for (const Incoming& piece : receive) {
    if (piece.from != rank) continue;
    next = std::ranges::find(next, send.end(), rank, &Outgoing::to);
    std::ranges::copy(next->bytes, piece.bytes.begin());
    ++next;
  }
}

}  // namespace

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text = {};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw SystemError(fmt::format("MPI fails ({}): {}", what,
                                std::string_view(text.data(), static_cast<std::size_t>(length))));
}

MpiCommunicator::MpiCommunicator(MPI_Comm processes) {
  check_mpi(MPI_Comm_dup(processes, &processes_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(processes_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(processes_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(processes_, &size_), "MPI_Comm_size");
}

MpiCommunicator::~MpiCommunicator() { MPI_Comm_free(&processes_); }

void MpiCommunicator::require() const {
  if (has_failed_) throw RankFailed("this rank has failed");
}

void MpiCommunicator::barrier() const {
  require();
  check_mpi(MPI_Barrier(processes_), "MPI_Barrier");
}

void MpiCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  require();
  if (all.size() <= most_bytes) {
    check_mpi(
        MPI_Allgather(mine.data(), count(mine), MPI_BYTE, all.data(), count(mine), MPI_BYTE, processes_),
        "MPI_Allgather");
    return;
  }
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int r = 0; r < size_; ++r) {
    send.push_back({r, mine});
    receive.push_back({r, all.subspan(static_cast<std::size_t>(r) * mine.size(), mine.size())});
  }
  exchange(send, receive);
}

void MpiCommunicator::broadcast(std::span<std::byte> data, int root) const {
  require();
  for_each_part(data, [&](std::span<std::byte> part) {
    check_mpi(MPI_Bcast(part.data(), count(part), MPI_BYTE, root, processes_), "MPI_Bcast");
  });
}

void MpiCommunicator::broadcast_patiently(std::span<std::byte> data, int root) const {
  require();
  for_each_part(data, [&](std::span<std::byte> part) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibcast(part.data(), count(part), MPI_BYTE, root, processes_, &request), "MPI_Ibcast");
    wait_patiently(request);
  });
}

void MpiCommunicator::exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const {
  require();
  std::vector<MPI_Request> requests;
  for (const Incoming& piece : receive) {
    if (piece.from == rank_) continue;
    for_each_part(piece.bytes, [&](std::span<std::byte> part) {
      check_mpi(MPI_Irecv(part.data(), count(part), MPI_BYTE, piece.from, tag, processes_,
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
    });
  }
  for (const Outgoing& piece : send) {
    if (piece.to == rank_) continue;
    for_each_part(piece.bytes, [&](std::span<const std::byte> part) {
      check_mpi(MPI_Isend(part.data(), count(part), MPI_BYTE, piece.to, tag, processes_,
                          &requests.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
    });
  }
  copy_own(rank_, send, receive);
  wait_for_all(requests);
}

}  // namespace cisolve

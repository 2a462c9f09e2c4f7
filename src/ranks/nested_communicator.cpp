// SPDX-License-Identifier: MIT
#include "ranks/nested_communicator.hpp"

#include <algorithm>
#include <utility>

namespace cisolve {
namespace {

/// A piece between ranks of two processes.
template <class Bytes>
struct Routed {
  std::pair<int, int> ranks;  ///< from, to
  Bytes bytes;
};

/// Both processes list the pieces between them by sender, then receiver, then as those ranks list them.
template <class Bytes>
void sort_alike(std::vector<Routed<Bytes>>& pieces) {
  std::ranges::stable_sort(pieces, {}, &Routed<Bytes>::ranks);
}

}  // namespace

void NestedCommunicator::barrier() const {
  meeting_.meet(thread_, [&] { processes_.barrier(); });
}

void NestedCommunicator::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  const auto gather = [&](std::span<const Shown> shown) {
    std::vector<std::byte> ours;
    for (const Shown& one : shown) ours.insert(ours.end(), one.bytes.begin(), one.bytes.end());
    processes_.all_gather(ours, all);
  };
  meeting_.show(thread_, {.bytes = mine, .room = all}, gather, [&](std::span<const Shown> shown) {
    if (thread_ != 0) std::ranges::copy(shown[0].room, all.begin());
  });
}

template <class Send>
void NestedCommunicator::spread(std::span<std::byte> data, int root, const Send& send) const {
  const int process = process_of(root);
  const auto lead = [&](std::span<const Shown> shown) {
    const int thread = root - first_rank();
    if (process == processes_.rank() && thread != 0)
      std::ranges::copy(shown[static_cast<std::size_t>(thread)].bytes, data.begin());
    send(data, process);
  };
  meeting_.show(thread_, {.bytes = data}, lead, [&](std::span<const Shown> shown) {
    if (thread_ != 0 && rank() != root) std::ranges::copy(shown[0].bytes, data.begin());
  });
}

void NestedCommunicator::broadcast(std::span<std::byte> data, int root) const {
  spread(data, root, [&](std::span<std::byte> bytes, int process) { processes_.broadcast(bytes, process); });
}

void NestedCommunicator::broadcast_patiently(std::span<std::byte> data, int root) const {
  spread(data, root,
         [&](std::span<std::byte> bytes, int process) { processes_.broadcast_patiently(bytes, process); });
}

void NestedCommunicator::exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const {
  meeting_.show(thread_, {.send = send, .receive = receive}, [&](std::span<const Shown> shown) {
    if (thread_ == 0) exchange_with_processes(shown);
    take_pieces(shown, first_rank(), rank(), receive);
  });
}

void NestedCommunicator::exchange_with_processes(std::span<const Shown> shown) const {
  std::vector<Routed<std::span<const std::byte>>> leaving;
  std::vector<Routed<std::span<std::byte>>> coming;
  for (int thread = 0; thread < threads(); ++thread) {
    const int own = first_rank() + thread;
    const Shown& one = shown[static_cast<std::size_t>(thread)];
    for (const Outgoing& piece : one.send) {
      if (process_of(piece.to) != processes_.rank()) leaving.push_back({{own, piece.to}, piece.bytes});
    }
    for (const Incoming& piece : one.receive) {
      if (process_of(piece.from) != processes_.rank()) coming.push_back({{piece.from, own}, piece.bytes});
    }
  }
  sort_alike(leaving);
  sort_alike(coming);
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (const auto& piece : leaving) send.push_back({process_of(piece.ranks.second), piece.bytes});
  for (const auto& piece : coming) receive.push_back({process_of(piece.ranks.first), piece.bytes});
  processes_.exchange(send, receive);
}

}  // namespace cisolve

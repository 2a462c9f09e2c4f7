// SPDX-License-Identifier: MIT
#include "cuda/ranks/peer_exchange.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_info.hpp"

namespace cisolve::cuda {
namespace {

/// A process among those of all nodes.
struct Process {
  long number = 0;
  std::array<char, 256> host{};

  bool operator==(const Process&) const = default;
};

Process this_process() {
  Process process;
  process.number = getpid();
  gethostname(process.host.data(), process.host.size() - 1);
  return process;
}

}  // namespace

PeerExchange::PeerExchange(const Communicator& ranks) : DeviceExchange(ranks) {
  const Process here = this_process();
  if (!std::ranges::all_of(all_values(ranks, here), [&](const Process& one) { return one == here; }))
    throw DimensionError("PeerExchange: ranks must be threads of one process");
  int device = 0;
  check(cudaGetDevice(&device));
  devices_ = all_values(ranks, device);
  std::vector<int> others = devices_;
  std::ranges::sort(others);
  others.erase(std::ranges::unique(others).begin(), others.end());
  for (const int other : others) allow_peer_access(other);
  ranks.barrier();
}

void PeerExchange::exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive,
                            const Event& ready, const Event& done) {
  const auto mine = static_cast<std::size_t>(ranks().rank());
  // Once they are shown, events of all ranks have been recorded, and pieces lie where they will be.
  const std::vector<cudaEvent_t> all_ready = all_values(ranks(), ready.get());
  const auto shown = gather_all(ranks(), send);
  const auto wait_for = [&](cudaEvent_t event) { check(cudaStreamWaitEvent(transfer_.get(), event)); };
  wait_for(ready.get());
  std::vector<std::size_t> next(shown.size(), 0);  // piece of each rank
  for (const DeviceReceive& piece : receive) {
    const auto from = static_cast<std::size_t>(piece.from);
    std::size_t& at = next[from];
    if (at == 0) wait_for(all_ready[from]);
    while (shown[from][at].to != ranks().rank()) ++at;
    check(cudaMemcpyPeerAsync(piece.data, devices_[mine], shown[from][at++].data, devices_[from], piece.bytes,
                              transfer_.get()));
  }
  taken_.record(transfer_);
  const std::vector<cudaEvent_t> all_taken = all_values(ranks(), taken_.get());
  std::vector<bool> waits(shown.size(), false);
  for (const DeviceSend& piece : send) {
    const auto to = static_cast<std::size_t>(piece.to);
    if (!waits[to]) wait_for(all_taken[to]);
    waits[to] = true;
  }
  done.record(transfer_);
}

}  // namespace cisolve::cuda

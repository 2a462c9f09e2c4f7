// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/ranks/communicator.hpp"
#include "problem/ranked/packet.hpp"

namespace cisolve {

/// What the first process tells the others to do with it, each followed by its arguments (serve_ranks.cpp); all but `end`
/// by the number of a finder first.
enum class Order : int {
  make,
  drop,
  project_on_spin,
  solve,
  read,
  forget,
  multiply,
  residual_norms,
  probe,
  expectation,
  end
};

/// Tells other processes, where there are any.
class OrderGiver {
public:
  /// @param processes  null: there is one; must outlive this object
  explicit OrderGiver(const Communicator* processes) : processes_(processes) {}

  /// @throws SystemError  the transport has failed
  template <class... T>
  void operator()(Order order, const T&... arguments) const {
    if (processes_ == nullptr) return;
    PacketWriter packet;
    packet(order, arguments...);
    send(packet.take());
  }

private:
  void send(std::vector<std::byte> bytes) const {
    std::size_t size = bytes.size();
    processes_->broadcast_patiently(std::as_writable_bytes(std::span(&size, 1)), 0);
    processes_->broadcast(bytes, 0);
  }

  const Communicator* processes_;
};

/// Waits for the next order, without taking the cores from whom it waits for.
inline std::vector<std::byte> next_order(const Communicator& processes) {
  std::size_t size = 0;
  processes.broadcast_patiently(std::as_writable_bytes(std::span(&size, 1)), 0);
  std::vector<std::byte> bytes(size);
  processes.broadcast(bytes, 0);
  return bytes;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {

/// Another rank has failed, and what was waited for will not come. Says nothing that the other's error does not say
/// better: whoever reports errors leaves it out where there is another.
class RankFailed : public Error {
public:
  using Error::Error;
};

/// Bytes for another rank.
struct Outgoing {
  int to = 0;
  std::span<const std::byte> bytes;
};

/// Room for bytes of another rank.
struct Incoming {
  int from = 0;
  std::span<std::byte> bytes;
};

/// Those who work on one calculation, each on its share of the rows, and what they tell each other. They move bytes
/// and never add: sums are made in the order of ranks by everyone alike (`sum`), so that a result does not depend on how
/// ranks are connected.
///
/// Every member but `rank`, `size` and `fail` is called by all ranks in the same order, and returns on each when its own
/// part is done.
/// @throws RankFailed   of all of these: another rank has failed
/// @throws SystemError  the transport has
class Communicator {
public:
  virtual ~Communicator() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;

  /// Returns when all ranks have called it.
  virtual void barrier() const = 0;

  /// Equal pieces one after the other, in the order of ranks. For small data.
  /// @param mine  as long on every rank
  /// @param all   [size() * mine.size()]
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;

  /// What `root` has, on all. For small data.
  virtual void broadcast(std::span<std::byte> data, int root) const = 0;

  /// As broadcast, for those who may wait long while the root computes: they leave it the cores. Goes with itself, not
  /// with broadcast.
  virtual void broadcast_patiently(std::span<std::byte> data, int root) const { broadcast(data, root); }

  /// Pieces of any size to and from any ranks, itself included. Those between a pair of ranks arrive in the order in
  /// which they are listed, and are as long here as there. No piece overlaps another that is written.
  virtual void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const = 0;

  /// Ends the waiting of the other ranks of this process, now and from now on: what they wait in throws RankFailed. Those
  /// of other processes wait until whoever reports the error has called MpiSession::abort.
  virtual void fail() const noexcept = 0;
};

/// One rank, which is all.
class SoloCommunicator final : public Communicator {
public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  void barrier() const override {}
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const override;
  void broadcast(std::span<std::byte>, int) const override {}
  void exchange(std::span<const Outgoing> send, std::span<const Incoming> receive) const override;
  void fail() const noexcept override {}
};

/// values(rank 0) + values(rank 1) + ..., added in that order on every rank: the same bits everywhere.
/// @param values  as many on every rank
void sum(const Communicator& ranks, std::span<double> values);

/// Pieces of any length of all ranks, on all of them, in the order of ranks.
template <class T>
std::vector<std::vector<T>> gather_all(const Communicator& ranks, std::span<const T> mine);

/// The same on one of them; nothing elsewhere.
template <class T>
std::vector<std::vector<T>> gather_at(const Communicator& ranks, std::span<const T> mine, int root = 0);

/// One value of each rank, on all of them.
template <class T>
std::vector<T> all_values(const Communicator& ranks, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(ranks.size()));
  ranks.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// The value that `root` has, on all.
template <class T>
T value_of(const Communicator& ranks, T value, int root = 0) {
  static_assert(std::is_trivially_copyable_v<T>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
  return value;
}

/// Checks that all ranks have come to the same: those that decide by it would part ways, and wait for each other for ever.
/// @param hash  of what they have come to
/// @param what  for the message: "Ritz values"
/// @throws SystemError  on every rank: "ranks 0 and 2 disagree on ..."
void require_same(const Communicator& ranks, std::uint64_t hash, std::string_view what);

template <class T>
std::vector<std::vector<T>> gather_all(const Communicator& ranks, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::size_t> counts = all_values(ranks, mine.size());
  std::vector<std::vector<T>> all;
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int r = 0; r < ranks.size(); ++r) {
    all.emplace_back(counts[static_cast<std::size_t>(r)]);
    send.push_back({r, std::as_bytes(mine)});
    receive.push_back({r, std::as_writable_bytes(std::span(all.back()))});
  }
  ranks.exchange(send, receive);
  return all;
}

template <class T>
std::vector<std::vector<T>> gather_at(const Communicator& ranks, std::span<const T> mine, int root) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::size_t> counts = all_values(ranks, mine.size());
  std::vector<std::vector<T>> all;
  std::vector<Incoming> receive;
  if (ranks.rank() == root) {
    for (int r = 0; r < ranks.size(); ++r) {
      all.emplace_back(counts[static_cast<std::size_t>(r)]);
      receive.push_back({r, std::as_writable_bytes(std::span(all.back()))});
    }
  }
  const Outgoing own{root, std::as_bytes(mine)};
  ranks.exchange({&own, 1}, receive);
  return all;
}

}  // namespace cisolve

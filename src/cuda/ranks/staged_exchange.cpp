// SPDX-License-Identifier: MIT
#include "cuda/ranks/staged_exchange.hpp"

#include <algorithm>
#include <vector>

namespace cisolve::cuda {
namespace {

/// Pieces for or from a rank, as if they lay one behind the other.
template <class Byte>
class Pieces {
public:
  void add(Byte* data, std::size_t bytes) {
    pieces_.push_back({data, total_, bytes});
    total_ += bytes;
  }
  std::size_t total() const { return total_; }

  /// body(data, first, bytes) for what they have of the bytes from `first` on, at most `count`; `first` of each counted
  /// from there.
  template <class Body>
  void for_each_within(std::size_t first, std::size_t count, const Body& body) const {
    for (const Piece& piece : pieces_) {
      const std::size_t from = std::max(first, piece.first);
      const std::size_t to = std::min(first + count, piece.first + piece.bytes);
      if (from < to) body(piece.data + (from - piece.first), from - first, to - from);
    }
  }

private:
  struct Piece {
    Byte* data;
    std::size_t first, bytes;
  };
  std::vector<Piece> pieces_;
  std::size_t total_ = 0;
};

}  // namespace

StagedExchange::StagedExchange(const Communicator& ranks)
    : DeviceExchange(ranks), chunk_(staged_bytes / static_cast<std::size_t>(ranks.size())),
      outgoing_(chunk_ * static_cast<std::size_t>(ranks.size())), incoming_(outgoing_.size()) {}

void StagedExchange::exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive,
                              const Event& ready, const Event& done) {
  const auto count = static_cast<std::size_t>(ranks().size());
  std::vector<Pieces<const std::byte>> out(count);
  std::vector<Pieces<std::byte>> in(count);
  for (const DeviceSend& piece : send)
    out[static_cast<std::size_t>(piece.to)].add(static_cast<const std::byte*>(piece.data), piece.bytes);
  for (const DeviceReceive& piece : receive)
    in[static_cast<std::size_t>(piece.from)].add(static_cast<std::byte*>(piece.data), piece.bytes);
  std::size_t most = 0;
  for (const auto& pieces : out) most = std::max(most, pieces.total());
  most = std::ranges::max(all_values(ranks(), most));

  wait(transfer_, ready);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (std::size_t first = 0; first < most; first += chunk_) {
    outgoing.clear();
    incoming.clear();
    const auto size_of = [&](std::size_t total) { return std::min(chunk_, total - std::min(first, total)); };
    for (std::size_t rank = 0; rank < count; ++rank) {
      std::byte* to = outgoing_.data() + rank * chunk_;
      out[rank].for_each_within(first, chunk_, [&](const std::byte* data, std::size_t at, std::size_t bytes) {
        check(cudaMemcpyAsync(to + at, data, bytes, cudaMemcpyDeviceToHost, transfer_.get()));
      });
      if (const std::size_t size = size_of(out[rank].total()); size > 0)
        outgoing.push_back({static_cast<int>(rank), {to, size}});
      if (const std::size_t size = size_of(in[rank].total()); size > 0)
        incoming.push_back({static_cast<int>(rank), {incoming_.data() + rank * chunk_, size}});
    }
    transfer_.synchronize();  // What came before has left the buffer, too.
    ranks().exchange(outgoing, incoming);
    for (std::size_t rank = 0; rank < count; ++rank) {
      const std::byte* from = incoming_.data() + rank * chunk_;
      in[rank].for_each_within(first, chunk_, [&](std::byte* data, std::size_t at, std::size_t bytes) {
        check(cudaMemcpyAsync(data, from + at, bytes, cudaMemcpyHostToDevice, transfer_.get()));
      });
    }
  }
  done.record(transfer_);
}

}  // namespace cisolve::cuda

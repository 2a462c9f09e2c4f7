// SPDX-License-Identifier: MIT
#include "cuda/ranks/nccl_exchange.hpp"

#include <nccl.h>

#include <atomic>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_array.hpp"

namespace cisolve::cuda {
namespace {

void check(ncclResult_t status) {
  if (status == ncclSuccess) return;
  throw SystemError("NCCL: " + std::string(ncclGetErrorString(status)) + "; " + ncclGetLastError(nullptr));
}
using cuda::check;

/// The same on every rank.
ncclUniqueId unique_id(const Communicator& ranks) {
  ncclUniqueId id{};
  if (ranks.rank() == 0) check(ncclGetUniqueId(&id));
  return value_of(ranks, id);
}

/// One communicator of NCCL and one stream, on which all ranks do the same in the same order.
class NcclExchange final : public DeviceExchange {
public:
  explicit NcclExchange(const Communicator& ranks);
  ~NcclExchange() override;

  std::string_view name() const noexcept override { return "NCCL"; }
  void exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive, const Event& ready,
                const Event& done) override;
  void abort() noexcept override;

private:
  void group(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive);
  void connect();

  Stream transfer_{Stream::Priority::high};
  std::atomic<ncclComm_t> communicator_{nullptr};  ///< null once it was aborted
};

NcclExchange::NcclExchange(const Communicator& ranks) : DeviceExchange(ranks) {
  ncclComm_t made = nullptr;
  check(ncclCommInitRank(&made, ranks.size(), unique_id(ranks), ranks.rank()));
  communicator_ = made;
  try {
    connect();
  } catch (...) {
    abort();
    throw;
  }
}

NcclExchange::~NcclExchange() {
  if (const ncclComm_t whole = communicator_.exchange(nullptr); whole != nullptr) ncclCommDestroy(whole);
}

void NcclExchange::abort() noexcept {
  if (const ncclComm_t failed = communicator_.exchange(nullptr); failed != nullptr) ncclCommAbort(failed);
}

/// Exchanges a few bytes between all ranks: connections are made with the first pieces, which takes memory.
void NcclExchange::connect() {
  const auto count = static_cast<std::size_t>(ranks().size());
  DeviceArray<char> bytes(2 * count);
  std::vector<DeviceSend> send;
  std::vector<DeviceReceive> receive;
  for (int rank = 0; rank < ranks().size(); ++rank) {
    if (rank == ranks().rank()) continue;
    send.push_back({rank, bytes.data() + rank, 1});
    receive.push_back({rank, bytes.data() + count + rank, 1});
  }
  ranks().barrier();
  group(send, receive);
  transfer_.synchronize();
  ranks().barrier();
}

void NcclExchange::group(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive) {
  const ncclComm_t all = communicator_;
  if (all == nullptr) throw RankFailed("another rank has failed");
  check(ncclGroupStart());
  ncclResult_t status = ncclSuccess;
  for (const DeviceSend& piece : send) {
    if (status == ncclSuccess)
      status = ncclSend(piece.data, piece.bytes, ncclChar, piece.to, all, transfer_.get());
  }
  for (const DeviceReceive& piece : receive) {
    if (status == ncclSuccess)
      status = ncclRecv(piece.data, piece.bytes, ncclChar, piece.from, all, transfer_.get());
  }
  const ncclResult_t end = ncclGroupEnd();  // also of one that failed
  check(status);
  check(end);
}

void NcclExchange::exchange(std::span<const DeviceSend> send, std::span<const DeviceReceive> receive,
                            const Event& ready, const Event& done) {
  wait(transfer_, ready);
  group(send, receive);
  done.record(transfer_);
}

}  // namespace

bool has_nccl() noexcept { return true; }

std::unique_ptr<DeviceExchange> make_nccl_exchange(const Communicator& ranks) {
  return std::make_unique<NcclExchange>(ranks);
}

}  // namespace cisolve::cuda

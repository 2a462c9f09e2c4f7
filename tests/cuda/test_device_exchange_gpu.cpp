// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/ranks/thread_ranks.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/device_test.hpp"
#include "cuda/ranks/nccl_exchange.hpp"
#include "cuda/ranks/peer_exchange.hpp"
#include "cuda/ranks/staged_exchange.hpp"

namespace cisolve::cuda {
namespace test_device_exchange_gpu {

/// Elements of the k-th piece from a rank to another; some have none. The longest go through the host in some parts.
std::size_t piece_size(int from, int to, int k) {
  const auto n = static_cast<std::size_t>((from + 2 * to + 3 * k) % 5);
  return n == 4 ? std::size_t{1} << 20 : n * 1237;
}

/// The j-th of them.
double element(int from, int to, int k, std::size_t j, int round) {
  return 1e6 * (100 * from + 10 * to + k) + static_cast<double>(j) + 1e9 * round;
}

constexpr int pieces = 3;

/// Where the pieces of a rank lie, one behind the other.
struct Place {
  int other, piece;
  std::size_t first, size;
};

std::vector<Place> places(const Communicator& ranks, bool outgoing) {
  std::vector<Place> result;
  std::size_t first = 0;
  for (int other = 0; other < ranks.size(); ++other) {
    if (other == ranks.rank()) continue;
    for (int k = 0; k < pieces; ++k) {
      const std::size_t size =
          outgoing ? piece_size(ranks.rank(), other, k) : piece_size(other, ranks.rank(), k);
      if (size > 0) result.push_back({other, k, first, size});
      first += size;
    }
  }
  return result;
}

std::size_t total(const std::vector<Place>& all) {
  return std::accumulate(all.begin(), all.end(), std::size_t{0},
                         [](std::size_t sum, const Place& one) { return sum + one.size; });
}

/// Rounds of exchanges, in which a rank's stream overwrites what it gives as soon as it may.
void expect_pieces(DeviceExchange& exchange) {
  const Communicator& ranks = exchange.ranks();
  const auto out = places(ranks, true), in = places(ranks, false);
  DeviceArray<double> give(total(out)), take(total(in));
  const Stream stream;
  const Event ready, done;
  std::vector<double> host(give.size()), found(take.size());
  for (int round = 0; round < 3; ++round) {
    std::vector<DeviceSend> send;
    std::vector<DeviceReceive> receive;
    for (const Place& place : out) {
      for (std::size_t j = 0; j < place.size; ++j)
        host[place.first + j] = element(ranks.rank(), place.other, place.piece, j, round);
      send.push_back({place.other, give.data() + place.first, 8 * place.size});
    }
    for (const Place& place : in) receive.push_back({place.other, take.data() + place.first, 8 * place.size});
    check(cudaMemcpyAsync(give.data(), host.data(), give.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
    check(cudaMemsetAsync(take.data(), 0xff, take.size_bytes(), stream.get()));
    ready.record(stream);
    exchange.exchange(send, receive, ready, done);
    wait(stream, done);
    check(cudaMemsetAsync(give.data(), 0xff, give.size_bytes(), stream.get()));
    check(
        cudaMemcpyAsync(found.data(), take.data(), take.size_bytes(), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
    std::size_t wrong = 0;
    for (const Place& place : in) {
      for (std::size_t j = 0; j < place.size; ++j)
        wrong += found[place.first + j] != element(place.other, ranks.rank(), place.piece, j, round) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0U) << "rank " << ranks.rank() << ", round " << round;
  }
  ranks.barrier();  // Nobody frees what another may still copy from.
}

class DeviceExchangesGpu : public test::DeviceTest {};
TEST_F(DeviceExchangesGpu, MovePiecesBetweenThreadsOnOneDevice) {
  for (const int ranks : {2, 3, 5}) {
    run_ranks(ranks, [](const Communicator& world) {
      PeerExchange peers(world);
      expect_pieces(peers);
      StagedExchange staged(world);
      expect_pieces(staged);
    });
  }
}

TEST_F(DeviceExchangesGpu, MovePiecesBetweenDevices) {
  const auto devices = static_cast<int>(visible_devices().size());
  if (devices < 2) GTEST_SKIP() << "there is one CUDA device only";
  run_ranks(devices, [](const Communicator& world) {
    check(cudaSetDevice(world.rank()));
    PeerExchange peers(world);
    expect_pieces(peers);
  });
}

TEST_F(DeviceExchangesGpu, MovePiecesBetweenDevicesByNccl) {
  const auto devices = static_cast<int>(visible_devices().size());
  if (devices < 2) GTEST_SKIP() << "there is one CUDA device only";
  if (!has_nccl()) GTEST_SKIP() << "this build has no NCCL";
  run_ranks(devices, [](const Communicator& world) {
    check(cudaSetDevice(world.rank()));
    const auto exchange = make_nccl_exchange(world);
    expect_pieces(*exchange);
  });
}

TEST_F(DeviceExchangesGpu, RefuseTwoRanksOnADeviceByNccl) {
  if (!has_nccl()) GTEST_SKIP() << "this build has no NCCL";
  EXPECT_THROW(run_ranks(2, [](const Communicator& world) { make_nccl_exchange(world); }), SystemError);
}

}  // namespace test_device_exchange_gpu
}  // namespace cisolve::cuda

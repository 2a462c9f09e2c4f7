// SPDX-License-Identifier: MIT
// What processes promise beyond what every communicator does (test_communicator.cpp).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <ctime>
#include <numeric>
#include <thread>

#include "ranks/ways.hpp"

namespace cisolve::test {
namespace test_mpi {

TEST(MpiProcesses, AreNumberedOnTheirNode) {
  const MpiSession& session = mpi_session();
  const Communicator& world = session.world();
  EXPECT_EQ(session.node_processes(), world.size());  // the tests run on one
  const std::vector<int> numbers = all_values(world, session.node_rank());
  std::vector<int> expected(numbers.size());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(numbers, expected);
}

/// Times that this thread has gone to sleep. One that asks without end is only put aside, if others want its core.
long sleeps() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST(MpiProcesses, TakeNoCoreWhileTheyWaitPatiently) {
  run_ranks(mpi_session().world(), 2, [](const Communicator& ranks) {
    ranks.barrier();
    const std::clock_t start = std::clock();  // of all threads of this process
    const long before = sleeps();
    if (ranks.rank() == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    double order = 3;
    ranks.broadcast_patiently(std::as_writable_bytes(std::span(&order, 1)), 0);
    // A thousand pauses of a millisecond, of some microseconds each.
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.3);
    if (ranks.rank() >= 2 && ranks.rank() % 2 == 0) {
      EXPECT_GT(sleeps() - before, 50);
    }
  });
}

/// Numbers that no part of a message shares with another.
std::vector<std::uint64_t> pattern(std::size_t length) {
  std::vector<std::uint64_t> numbers(length);
  for (std::size_t k = 0; k < length; ++k) numbers[k] = (k + 1) * 0x9e3779b97f4a7c15;
  return numbers;
}

TEST(MpiLarge, PieceOfMoreBytesThanAnIntCounts) {
  const Communicator& world = mpi_session().world();
  if (world.size() == 1) GTEST_SKIP() << "needs mpirun";
  constexpr std::size_t length = ((std::size_t{1} << 31) + 8) / sizeof(std::uint64_t);
  std::vector<std::uint64_t> numbers(length);
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  if (world.rank() == 1) {
    numbers = pattern(length);
    send.push_back({0, std::as_bytes(std::span(numbers))});
  }
  if (world.rank() == 0) receive.push_back({1, std::as_writable_bytes(std::span(numbers))});
  world.exchange(send, receive);
  if (world.rank() == 0) {
    EXPECT_TRUE(numbers == pattern(length));
  }
}

// Beyond 256 MiB these go in parts, or by messages.
TEST(MpiLarge, CollectivesOfMoreThanOneMessage) {
  const Communicator& world = mpi_session().world();
  if (world.size() == 1) GTEST_SKIP() << "needs mpirun";
  const std::vector<std::uint64_t> expected = pattern((std::size_t{300} << 20) / sizeof(std::uint64_t));
  std::vector<std::uint64_t> data(expected.size());
  for (const bool patiently : {false, true}) {
    std::ranges::fill(data, 0);
    if (world.rank() == 1) data = expected;
    const auto bytes = std::as_writable_bytes(std::span(data));
    patiently ? world.broadcast_patiently(bytes, 1) : world.broadcast(bytes, 1);
    EXPECT_TRUE(data == expected);
  }
  const auto size = static_cast<std::size_t>(world.size()), each = data.size() / size;
  std::ranges::fill(data, 0);
  world.all_gather(
      std::as_bytes(std::span(expected).subspan(static_cast<std::size_t>(world.rank()) * each, each)),
      std::as_writable_bytes(std::span(data).first(each * size)));
  EXPECT_TRUE(std::ranges::equal(std::span(data).first(each * size), std::span(expected).first(each * size)));
}

}  // namespace test_mpi
}  // namespace cisolve::test

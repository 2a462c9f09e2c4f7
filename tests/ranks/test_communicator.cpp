// SPDX-License-Identifier: MIT
// What every communicator promises, whatever its ranks are.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>

#include "ranks/ways.hpp"

namespace cisolve::test {
namespace test_communicator {

class Contract : public testing::TestWithParam<Way> {
protected:
  static void run(const RankBody& body) { GetParam().run(body); }
};

/// Numbers that tell rank, index and length.
std::vector<std::int64_t> numbers_of(int rank, std::size_t length) {
  std::vector<std::int64_t> numbers(length);
  std::iota(numbers.begin(), numbers.end(), 1'000'000 * static_cast<std::int64_t>(rank + 1));
  return numbers;
}

TEST_P(Contract, RanksAreNumberedFromZero) {
  run([](const Communicator& ranks) {
    const std::vector<int> all = all_values(ranks, ranks.rank());
    ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks.size()));
    for (int r = 0; r < ranks.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r);
  });
}

TEST_P(Contract, GathersPiecesOfAnyEqualLength) {
  run([](const Communicator& ranks) {
    for (const std::size_t length : {0u, 1u, 3u, 1000u, 40'000u}) {
      const std::vector<std::int64_t> mine = numbers_of(ranks.rank(), length);
      std::vector<std::int64_t> all(length * static_cast<std::size_t>(ranks.size()));
      ranks.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
      std::vector<std::int64_t> expected;
      for (int r = 0; r < ranks.size(); ++r) {
        const auto piece = numbers_of(r, length);
        expected.insert(expected.end(), piece.begin(), piece.end());
      }
      EXPECT_EQ(all, expected);
    }
  });
}

TEST_P(Contract, BroadcastsFromEveryRoot) {
  run([](const Communicator& ranks) {
    for (int root = 0; root < ranks.size(); ++root) {
      for (const std::size_t length : {0u, 1u, 5000u}) {
        for (const bool patiently : {false, true}) {
          std::vector<std::int64_t> data = numbers_of(ranks.rank(), length);
          const auto bytes = std::as_writable_bytes(std::span(data));
          patiently ? ranks.broadcast_patiently(bytes, root) : ranks.broadcast(bytes, root);
          EXPECT_EQ(data, numbers_of(root, length));
        }
      }
      EXPECT_EQ(value_of(ranks, 7 * ranks.rank(), root), 7 * root);
    }
  });
}

TEST_P(Contract, PatientOnesComeBackAfterLongWork) {
  run([](const Communicator& ranks) {
    using namespace std::chrono_literals;
    const int root = ranks.size() - 1;
    std::vector<std::int64_t> order = numbers_of(ranks.rank(), 3);
    if (ranks.rank() == root) std::this_thread::sleep_for(50ms);
    ranks.broadcast_patiently(std::as_writable_bytes(std::span(order)), root);
    EXPECT_EQ(order, numbers_of(root, 3));
  });
}

TEST_P(Contract, NobodyLeavesABarrierBeforeAllHaveCome) {
  run([](const Communicator& ranks) {
    using Clock = std::chrono::steady_clock;  // one for all processes of a node
    for (int round = 0; round < 3 * ranks.size(); ++round) {
      if (ranks.rank() == round % ranks.size()) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const Clock::rep come = Clock::now().time_since_epoch().count();
      ranks.barrier();
      const Clock::rep left = Clock::now().time_since_epoch().count();
      EXPECT_GE(left, std::ranges::max(all_values(ranks, come))) << "in round " << round;
    }
  });
}

/// Pieces from rank to rank: none, empty, one, several; of sizes that all know.
std::vector<std::size_t> lengths_between(int from, int to, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed + 1000 * from + to));
  std::vector<std::size_t> lengths(random() % 4);
  for (std::size_t& length : lengths) length = random() % 3 == 0 ? 0 : random() % 3000;
  return lengths;
}

std::vector<std::int64_t> piece_between(int from, int to, std::size_t index, std::size_t length) {
  return numbers_of(100 * from + 10 * to + static_cast<int>(index), length);
}

/// Pieces between this rank and the others, the others in a random order, those of a pair interleaved with other pairs.
struct Pieces {
  struct Piece {
    int other;
    std::vector<std::int64_t> numbers;
  };
  std::vector<Piece> pieces;

  Pieces(int ranks, unsigned seed, const std::function<std::vector<std::vector<std::int64_t>>(int)>& with) {
    std::vector<int> order;
    std::vector<std::vector<std::vector<std::int64_t>>> waiting;
    for (int other = 0; other < ranks; ++other) {
      waiting.push_back(with(other));
      order.insert(order.end(), waiting.back().size(), other);
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    std::vector<std::size_t> next(static_cast<std::size_t>(ranks), 0);
    for (const int other : order) {
      const auto at = static_cast<std::size_t>(other);
      pieces.push_back({other, waiting[at][next[at]++]});
    }
  }
};

TEST_P(Contract, PiecesOfAPairArriveInOrder) {
  run([](const Communicator& ranks) {
    const int own = ranks.rank();
    for (int seed = 0; seed < 30; ++seed) {
      const auto pieces = [seed](int from, int to) {
        std::vector<std::vector<std::int64_t>> all;
        for (const std::size_t length : lengths_between(from, to, seed))
          all.push_back(piece_between(from, to, all.size(), length));
        return all;
      };
      const Pieces sent(ranks.size(), static_cast<unsigned>(seed), [&](int to) { return pieces(own, to); });
      const Pieces expected(ranks.size(), static_cast<unsigned>(99 * seed + own),
                            [&](int from) { return pieces(from, own); });
      Pieces received = expected;
      std::vector<Outgoing> send;
      for (const auto& piece : sent.pieces)
        send.push_back({piece.other, std::as_bytes(std::span(piece.numbers))});
      std::vector<Incoming> receive;
      for (auto& piece : received.pieces) {
        std::ranges::fill(piece.numbers, -1);
        receive.push_back({piece.other, std::as_writable_bytes(std::span(piece.numbers))});
      }
      ranks.exchange(send, receive);
      for (std::size_t k = 0; k < expected.pieces.size(); ++k)
        EXPECT_EQ(received.pieces[k].numbers, expected.pieces[k].numbers)
            << "from " << expected.pieces[k].other;
    }
  });
}

TEST_P(Contract, ExchangesNothing) {
  run([](const Communicator& ranks) {
    ranks.exchange({}, {});
    EXPECT_EQ(all_values(ranks, 5 + ranks.rank()).back(), 4 + ranks.size());
  });
}

TEST_P(Contract, GathersAllPiecesOfAnyLength) {
  run([](const Communicator& ranks) {
    const auto length = [&](int rank) { return rank % 3 == 1 ? 0u : 17u * static_cast<unsigned>(rank + 1); };
    const std::vector<std::int64_t> mine = numbers_of(ranks.rank(), length(ranks.rank()));
    const auto all = gather_all(ranks, std::span(mine));
    ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks.size()));
    for (int r = 0; r < ranks.size(); ++r)
      EXPECT_EQ(all[static_cast<std::size_t>(r)], numbers_of(r, length(r)));
  });
}

/// Numbers whose sum depends on the order: they differ by 30 orders of magnitude, and have both signs.
std::vector<double> summands(int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::vector<double> values(257);
  for (double& value : values) {
    const double mantissa = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
    value = mantissa * std::pow(10.0, static_cast<double>(random() % 30));
  }
  return values;
}

TEST_P(Contract, SumsInTheOrderOfRanksEverywhere) {
  run([](const Communicator& ranks) {
    std::vector<double> expected = summands(0), backwards = summands(ranks.size() - 1);
    for (int r = 1; r < ranks.size(); ++r) {
      const std::vector<double> other = summands(r), late = summands(ranks.size() - 1 - r);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        expected[k] += other[k];
        backwards[k] += late[k];
      }
    }
    if (ranks.size() > 2) {
      ASSERT_NE(expected, backwards) << "the order does not matter to these numbers";
    }
    std::vector<double> values = summands(ranks.rank());
    sum(ranks, values);
    for (std::size_t k = 0; k < values.size(); ++k)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(values[k]), std::bit_cast<std::uint64_t>(expected[k]));
    std::vector<double> none;
    sum(ranks, none);
  });
}

TEST_P(Contract, NamesTheFirstRankThatDisagrees) {
  run([](const Communicator& ranks) {
    require_same(ranks, 42, "anything");
    if (ranks.size() == 1) return;
    const int other = ranks.size() / 2;
    try {
      require_same(ranks, ranks.rank() >= other ? 43 : 42, "Ritz values");
      ADD_FAILURE() << "nobody noticed";
    } catch (const SystemError& error) {
      const std::string start = "ranks 0 and " + std::to_string(other) + " disagree on Ritz values";
      EXPECT_TRUE(std::string(error.what()).starts_with(start)) << error.what();
    }
  });
}

TEST_P(Contract, ManyCollectivesDoNotMix) {
  run([](const Communicator& ranks) {
    for (int round = 0; round < 300; ++round) {
      EXPECT_EQ(all_values(ranks, round * (ranks.rank() + 1)).back(), round * ranks.size());
      EXPECT_EQ(value_of(ranks, round + ranks.rank(), round % ranks.size()), round + round % ranks.size());
    }
  });
}

std::string name_of(const testing::TestParamInfo<Way>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(One, Contract, testing::Values(solo()), name_of);
INSTANTIATE_TEST_SUITE_P(Process, Contract,
                         testing::Values(threads(1), threads(2), threads(3), threads(4), threads(7)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Processes, Contract,
                         testing::Values(nested(1, 3), nested(2, 1), nested(2, 2), nested(2, 3), nested(3, 2),
                                         nested(4, 3)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Mpi, Contract, testing::Values(mpi(1), mpi(2), mpi(3)), name_of);

}  // namespace test_communicator
}  // namespace cisolve::test

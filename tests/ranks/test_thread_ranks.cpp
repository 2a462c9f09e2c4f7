// SPDX-License-Identifier: MIT
// What becomes of ranks when one of them fails, and which threads they have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "cisolve/core/thread_scope.hpp"
#include "ranks/ways.hpp"

namespace cisolve::test {
namespace test_thread_ranks {

using testing::HasSubstr;

/// A mistake of one rank.
class Mistake : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

constexpr int places = 10;

/// Collectives one after the other; `at(place)` is called between them, and in those where a rank can fail itself.
void work(const Communicator& ranks, const std::function<void(int)>& at) {
  std::vector<double> values(5, ranks.rank());
  at(0);
  ranks.barrier();
  at(1);
  sum(ranks, values);
  at(2);
  value_of(ranks, ranks.rank(), ranks.size() - 1);
  at(3);
  at(4);
  gather_all(ranks, std::span<const double>(values));
  at(5);
  ranks.exchange({}, {});
  at(6);
  require_same(ranks, 1, "one");
  at(7);
  for (int k = 0; k < 5; ++k) ranks.barrier();
  at(8);
  ranks.broadcast_patiently(std::as_writable_bytes(std::span(values)), 0);
  at(9);
}

class FailingRank : public testing::TestWithParam<Way> {};

TEST_P(FailingRank, EndsAllWithItsOwnError) {
  for (int place = 0; place < places; ++place) {
    std::atomic<int> heard = 0, left = 0, ranks_here = 0;
    const auto start = std::chrono::steady_clock::now();
    try {
      GetParam().run([&](const Communicator& ranks) {
        ranks_here = ranks.size();
        try {
          work(ranks, [&](int here) {
            if (here == place && ranks.rank() == ranks.size() / 2)
              throw Mistake("at " + std::to_string(place));
          });
          ranks.barrier();  // those who have done all of the work, too
          ADD_FAILURE() << "rank " << ranks.rank() << " did not hear of it";
        } catch (const RankFailed&) {
          ++heard;
          ++left;
          throw;
        } catch (...) {
          ++left;
          throw;
        }
      });
      ADD_FAILURE() << "the error did not come out";
    } catch (const Mistake& error) {
      EXPECT_EQ(error.what(), "at " + std::to_string(place));
    }
    EXPECT_EQ(left, ranks_here);
    EXPECT_EQ(heard, ranks_here - 1);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
}

TEST_P(FailingRank, LowestOfSeveralIsHeard) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    try {
      GetParam().run([&](const Communicator& ranks) {
        ranks.barrier();
        if (ranks.rank() > 0) throw Mistake("rank " + std::to_string(ranks.rank()));
        ranks.barrier();
      });
      ADD_FAILURE() << "the error did not come out";
    } catch (const Mistake& error) {
      EXPECT_STREQ(error.what(), "rank 1");
    }
  }
}

TEST_P(FailingRank, WaitingThatOneEndsStaysEnded) {
  std::atomic<int> heard = 0, ranks_here = 0;
  EXPECT_THROW(GetParam().run([&](const Communicator& ranks) {
    ranks_here = ranks.size();
    if (ranks.rank() == ranks.size() - 1) ranks.fail();
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        ranks.barrier();
      } catch (const RankFailed&) {
        ++heard;
      }
    }
    ranks.barrier();
  }),
               RankFailed);
  EXPECT_GE(heard, 2);
}

std::string name_of(const testing::TestParamInfo<Way>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Process, FailingRank,
                         testing::Values(threads(2), threads(3), threads(4), threads(7)), name_of);
INSTANTIATE_TEST_SUITE_P(Processes, FailingRank, testing::Values(nested(2, 1), nested(2, 2), nested(3, 2)),
                         name_of);

/// A rank whose piece is of another length than the sender says fails inside the exchange, and no other does by itself.
TEST(ThreadRanks, FailsInsideAnExchangeThatDoesNotFit) {
  for (const auto& [sent, expected] : {std::pair(3, 2), std::pair(2, 3), std::pair(0, 1), std::pair(1, 0)}) {
    std::atomic<int> heard = 0;
    const auto body = [&, sent = sent, expected = expected](const Communicator& ranks) {
      std::array<std::byte, 3> out = {}, in = {};
      std::vector<Outgoing> send;
      std::vector<Incoming> receive;
      if (ranks.rank() == 0 && sent > 0)
        send.push_back({2, std::span(out).first(static_cast<std::size_t>(sent))});
      if (ranks.rank() == 2 && expected > 0)
        receive.push_back({0, std::span(in).first(static_cast<std::size_t>(expected))});
      try {
        ranks.exchange(send, receive);
        ranks.barrier();
      } catch (const RankFailed&) {
        ++heard;
        throw;
      }
    };
    EXPECT_THROW(run_ranks(4, body), DimensionError);
    EXPECT_EQ(heard, 3);
  }
}

TEST(ThreadRanks, OneRankFailsAsAPlainCallDoes) {
  EXPECT_THROW(run_ranks(1, [](const Communicator&) { throw Mistake("alone"); }), Mistake);
}

TEST(ThreadRanks, CallerIsRankZero) {
  const auto caller = std::this_thread::get_id();
  for (const int n : {1, 2, 5}) {
    run_ranks(n, [&](const Communicator& ranks) {
      EXPECT_EQ(std::this_thread::get_id() == caller, ranks.rank() == 0);
      EXPECT_EQ(ranks.size(), n);
    });
  }
}

TEST(ThreadRanks, ShareTheThreadsOfTheCaller) {
  for (const auto& [all, ranks, each] :
       {std::array{8, 2, 4}, std::array{7, 3, 2}, std::array{2, 4, 1}, std::array{5, 1, 5}}) {
    const ThreadScope scope(all);
    run_ranks(ranks, [each = each](const Communicator&) { EXPECT_EQ(omp_get_max_threads(), each); });
    EXPECT_EQ(omp_get_max_threads(), all);
  }
}

TEST(ThreadRanks, ProcessesHaveRanksOneAfterTheOther) {
  run_ranks(3, [](const Communicator& processes) {
    run_ranks(processes, 2, [&](const Communicator& ranks) {
      EXPECT_EQ(ranks.size(), 6);
      EXPECT_EQ(ranks.rank() / 2, processes.rank());
    });
  });
}

TEST(ThreadRanks, ProcessesOfOneRankAreRanks) {
  run_ranks(2, [](const Communicator& processes) {
    run_ranks(processes, 1, [&](const Communicator& ranks) { EXPECT_EQ(&ranks, &processes); });
  });
}

TEST(ThreadRanks, RefusesProcessesOfDifferentNumbersOfRanks) {
  run_ranks(3, [](const Communicator& processes) {
    try {
      run_ranks(processes, processes.rank() == 2 ? 3 : 4, [](const Communicator&) { ADD_FAILURE(); });
      ADD_FAILURE() << "nobody noticed";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("process 2 would run 3 and process 0 4"));
    }
  });
}

}  // namespace test_thread_ranks
}  // namespace cisolve::test

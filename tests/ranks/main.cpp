// SPDX-License-Identifier: MIT
// Runs the tests of this room, by itself or as several processes of mpirun, which run the same tests side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "ranks/mpi_world.hpp"

namespace cisolve::test {
namespace {

const MpiSession* session = nullptr;

/// The others may wait for the process whose test has failed.
class EndsAll final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fflush(stdout);
    session->abort(EXIT_FAILURE);
  }
};

int run(int argc, char** argv) {
  const MpiSession all(find_launcher([](const char* variable) { return std::getenv(variable); }));
  session = &all;
  testing::InitGoogleMock(&argc, argv);
  if (all.world().size() > 1) testing::UnitTest::GetInstance()->listeners().Append(new EndsAll);
  if (all.world().rank() > 0) GTEST_FLAG_SET(output, "");
  return RUN_ALL_TESTS();
}

}  // namespace

const MpiSession& mpi_session() { return *session; }

}  // namespace cisolve::test

int main(int argc, char** argv) {
  try {
    return cisolve::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

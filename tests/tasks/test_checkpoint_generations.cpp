// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_generations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "cisolve/core/error.hpp"
#include "cisolve/io/seal.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_checkpoint_generations {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

CheckpointHeader header_of(int number) {
  CheckpointHeader header;
  header.version = "1.2.3";
  header.dimension = 400;
  header.num_vectors = 2;
  header.history = {{.iteration = number, .energies = {-1.0}, .residual_norms = {0.1}}};
  return header;
}

const std::vector<double> vectors(800, 0.5);

/// What the log got, and the files of a run.
struct TestRun {
  TemporaryFolder folder;
  std::filesystem::path file = folder / "run.chk.h5";
  std::filesystem::path previous = folder / "run.chk.h5.previous";
  std::string log;
  RunControl control;

  TestRun() {
    control.log = [this](LogLevel level, std::string_view line) {
      log += (level == LogLevel::warning ? "warning: " : "") + std::string(line) + "\n";
    };
  }
  void save(CheckpointGenerations& generations, int number) {
    generations.say(
        generations.put_in_place(*generations.write(header_of(number), columns_of(vectors, 400), {})),
        control);
  }
  void save(int number) {
    CheckpointGenerations generations(file);
    save(generations, number);
  }
  /// Number of the checkpoint that a restart takes.
  int found() { return read_newest_checkpoint(file, control).checkpoint.header.history.front().iteration; }
};

void flip_a_bit(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekg(3000);
  const char byte = static_cast<char>(stream.get() ^ 8);
  stream.seekp(3000);
  stream.put(byte);
}

TEST(CheckpointGenerations, TheOneBeforeIsKept) {
  TestRun run;
  CheckpointGenerations generations(run.file);
  run.save(generations, 1);
  EXPECT_EQ(run.folder.size(), 1U);
  for (const int number : {2, 3}) {
    run.save(generations, number);
    EXPECT_EQ(run.found(), number);
    EXPECT_EQ(read_checkpoint(run.previous).header.history.front().iteration, number - 1);
    EXPECT_EQ(run.folder.size(), 2U);
  }
  EXPECT_THAT(run.log, AllOf(HasSubstr("checkpoint written"), testing::Not(HasSubstr("warning"))));
  remove_checkpoints(run.file);
  EXPECT_EQ(run.folder.size(), 0U);
}

TEST(CheckpointGenerations, IsUsedWhenTheNewestIsDamaged) {
  TestRun run;
  run.save(1);
  run.save(2);
  flip_a_bit(run.file);
  EXPECT_EQ(run.found(), 1);
  EXPECT_THAT(run.log, AllOf(HasSubstr("warning: "), HasSubstr("run.chk.h5': the file is damaged"),
                             HasSubstr("going on from the one before, '" + run.previous.string())));
  // The good one stays while a new one is written.
  run.save(3);
  EXPECT_EQ(run.found(), 3);
  EXPECT_EQ(read_checkpoint(run.previous).header.history.front().iteration, 1);
  // Both damaged: both are named.
  flip_a_bit(run.file);
  flip_a_bit(run.previous);
  try {
    run.found();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("run.chk.h5': the file is damaged"),
                                    HasSubstr("run.chk.h5.previous': the file is damaged")));
  }
}

/// As a kill between the two renames leaves it.
TEST(CheckpointGenerations, IsUsedWhenTheNewestIsAbsent) {
  TestRun run;
  run.save(1);
  std::filesystem::rename(run.file, run.previous);
  EXPECT_TRUE(has_checkpoint(run.file));
  EXPECT_EQ(run.found(), 1);
  EXPECT_THAT(run.log, HasSubstr("there is no checkpoint"));
  run.save(2);
  EXPECT_EQ(run.found(), 2);
  EXPECT_TRUE(std::filesystem::exists(run.previous));
}

TEST(CheckpointGenerations, OneThatIsNotWhatWasWrittenIsNotPutInPlace) {
  TestRun run;
  run.save(1);
  run.save(2);
  CheckpointGenerations bad_disk(run.file, flip_a_bit);
  run.log.clear();
  run.save(bad_disk, 3);
  EXPECT_THAT(run.log, AllOf(HasSubstr("warning: a new '" + run.file.string() +
                                       "' is not what was written, the old one stays"),
                             HasSubstr("are not those that cisolve wrote")));
  EXPECT_EQ(run.found(), 2);
  EXPECT_EQ(run.folder.size(), 1U);  // nothing is left of it
  run.save(4);
  EXPECT_EQ(run.found(), 4);
}

/// A run that went on from the one before and converged before it wrote another.
TEST(CheckpointGenerations, ADamagedNewestGoesWithTheOneBefore) {
  TestRun run;
  run.save(1);
  run.save(2);
  flip_a_bit(run.file);
  remove_checkpoints(run.file);
  EXPECT_EQ(run.folder.size(), 0U);
  // By itself it may be anybody's.
  run.save(3);
  flip_a_bit(run.file);
  remove_checkpoints(run.file);
  EXPECT_TRUE(std::filesystem::exists(run.file));
}

TEST(CheckpointGenerations, AreFollowedByALink) {
  TestRun run;
  const std::filesystem::path scratch = run.folder / "scratch.h5";
  std::filesystem::create_symlink("scratch.h5", run.file);
  run.save(1);
  run.save(2);
  EXPECT_TRUE(std::filesystem::is_symlink(run.file));
  EXPECT_TRUE(std::filesystem::exists(run.folder / "scratch.h5.previous"));
  remove_checkpoints(run.file);
  EXPECT_FALSE(std::filesystem::exists(scratch));
  EXPECT_FALSE(std::filesystem::exists(run.folder / "scratch.h5.previous"));
}

/// Of long names that begin alike.
TEST(CheckpointGenerations, OfLongNamesAreApart) {
  TestRun run;
  const std::string name(240, 'n');
  EXPECT_NE(previous_checkpoint(run.folder / (name + "1.chk.h5")),
            previous_checkpoint(run.folder / (name + "2.chk.h5")));
  run.file = run.folder / (name + "1.chk.h5");
  run.save(1);
  run.save(2);
  EXPECT_EQ(run.found(), 2);
}

TEST(CheckpointGenerations, AKillAtAnyInstantLeavesAGoodOne) {
  TestRun run;
  run.save(0);
  for (int attempt = 0; attempt < 12; ++attempt) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      CheckpointGenerations generations(run.file);
      for (int number = 1;; ++number) run.save(generations, number);
    }
    ::usleep(static_cast<useconds_t>(2000 + 3700 * attempt));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_GE(run.found(), 0);
    for (const auto& file : {run.file, run.previous}) {
      if (!std::filesystem::exists(file)) continue;
      EXPECT_NO_THROW(verify_seal(file));
    }
  }
}

}  // namespace test_checkpoint_generations
}  // namespace cisolve

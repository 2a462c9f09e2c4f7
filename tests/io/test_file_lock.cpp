// SPDX-License-Identifier: MIT
#include "cisolve/io/file_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <string>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_file_lock {

using test::TemporaryFolder;

/// What a second run is told; "": it gets the lock.
std::string refusal_of(const std::filesystem::path& file) {
  try {
    const FileLock lock(file);
    EXPECT_EQ(lock.why_not_locked(), "");
  } catch (const SystemError& error) {
    return error.what();
  }
  return "";
}

TEST(FileLock, RefusesASecondRunAndNamesTheFirst) {
  const TemporaryFolder folder;
  std::optional<FileLock> first(folder / "x.h5");
  EXPECT_EQ(first->why_not_locked(), "");
  const std::string refusal = refusal_of(folder / "x.h5");
  EXPECT_THAT(refusal, testing::HasSubstr((folder / "x.h5").string()));
  EXPECT_THAT(refusal, testing::HasSubstr("process " + std::to_string(getpid()) + " on host '"));
  EXPECT_EQ(refusal_of(folder / "y.h5"), "") << "another file is free";

  first.reset();
  EXPECT_EQ(refusal_of(folder / "x.h5"), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is left behind";
}

TEST(FileLock, MovesWithItsObject) {
  const TemporaryFolder folder;
  FileLock first(folder / "x.h5");
  {
    const FileLock second(std::move(first));
    EXPECT_NE(refusal_of(folder / "x.h5"), "");
  }
  EXPECT_EQ(refusal_of(folder / "x.h5"), "");
}

TEST(FileLock, FollowsALinkToTheFileItself) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("x.h5", folder / "link.h5");
  const FileLock first(folder / "link.h5");
  EXPECT_NE(refusal_of(folder / "x.h5"), "");
}

TEST(FileLock, EndsWithAProcessThatIsKilled) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(folder / "x.h5");
    static_cast<void>(write(ready[1], "x", 1) == 1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(refusal_of(folder / "x.h5"), testing::HasSubstr("process " + std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / ".x.h5.lock")) << "what it could not remove";
  EXPECT_EQ(refusal_of(folder / "x.h5"), "");
  EXPECT_FALSE(std::filesystem::exists(folder / ".x.h5.lock"));
  for (const int end : ready) close(end);
}

TEST(FileLock, TellsLongNamesApart) {
  const TemporaryFolder folder;
  const std::string name(200, 'n');
  const FileLock one(folder / (name + ".h5")), other(folder / (name + ".chk.h5"));
  EXPECT_EQ(one.why_not_locked() + other.why_not_locked(), "");
  EXPECT_THROW(FileLock(folder / (name + ".h5")), SystemError);
}

TEST(FileLock, SaysWhereThereCanBeNone) {
  const FileLock lock("/proc/x.h5");  // no file can be made there
  EXPECT_NE(lock.why_not_locked(), "");
}

}  // namespace test_file_lock
}  // namespace cisolve

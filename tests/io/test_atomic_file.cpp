// SPDX-License-Identifier: MIT
#include "cisolve/io/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_atomic_file {

using test::TemporaryFolder;

void write_text(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(AtomicFile, ReplacesTheTargetOnlyWhenCommitted) {
  const TemporaryFolder folder;
  write_text(folder / "x", "old");
  AtomicFile file(folder / "x");
  write_text(file.temporary(), "new");
  EXPECT_EQ(read_text(folder / "x"), "old");
  EXPECT_EQ(file.temporary().parent_path(), folder.path());

  file.commit();

  EXPECT_EQ(read_text(folder / "x"), "new");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(AtomicFile, RemovesTheTemporaryFileIfNotCommitted) {
  const TemporaryFolder folder;
  write_text(folder / "x", "old");
  {
    const AtomicFile file(folder / "x");
    write_text(file.temporary(), "half");
    EXPECT_EQ(folder.size(), 2u);
  }
  EXPECT_EQ(read_text(folder / "x"), "old");
  EXPECT_EQ(folder.size(), 1u);
}

TEST(AtomicFile, RemovesWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const AtomicFile file(folder / "x");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(folder.size(), 1u);  // the temporary file of the dead process
  write_text(folder / ".x.tmp-elsewhere-1", "of another host");
  write_text(folder / "bystander", "");

  AtomicFile(folder / "x").commit();

  EXPECT_TRUE(std::filesystem::exists(folder / "x"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".x.tmp-elsewhere-1"));
  EXPECT_EQ(folder.size(), 3u);
}

TEST(AtomicFile, KeepsTheTemporaryFileOfALivingProcess) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const AtomicFile file(folder / "x");
    if (::write(ready[1], "r", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);

  AtomicFile(folder / "x").commit();

  EXPECT_EQ(folder.size(), 2u);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scratch");
  std::filesystem::create_symlink(folder / "scratch/real", folder / "link");
  AtomicFile file(folder / "link");
  write_text(file.temporary(), "new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "scratch/real"), "new");
}

TEST(AtomicFile, TakesTheLongestNames) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  AtomicFile(folder / name).commit();
  EXPECT_TRUE(std::filesystem::exists(folder / name));
}

std::string message_of(const std::filesystem::path& target, std::uint64_t expected_bytes = 0) {
  try {
    const AtomicFile file(target, expected_bytes);
  } catch (const SystemError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of(folder / "absent/x"),
              testing::AllOf(testing::HasSubstr("absent/x"), testing::HasSubstr("No such file")));
  EXPECT_THAT(message_of(folder.path()), testing::HasSubstr("Is a directory"));
  EXPECT_THAT(message_of("/dev/null"), testing::HasSubstr("not a plain file"));
  EXPECT_THAT(message_of(folder / "x", std::uint64_t{1} << 61), testing::HasSubstr("x': "));
  EXPECT_EQ(folder.size(), 0u);
}

TEST(AtomicFile, NoticesALimitBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool fits = message_of(folder / "x", 1000) == "no error";
    const bool refused = message_of(folder / "x", 1001).find("File too large") != std::string::npos;
    ::_exit(fits && refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(AtomicFile, ReportsMissingPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THAT(message_of(folder / "x"), testing::HasSubstr("Permission denied"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

}  // namespace test_atomic_file
}  // namespace cisolve

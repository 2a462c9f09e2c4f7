// SPDX-License-Identifier: MIT
#include "cisolve/io/unfinished_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/file_lock.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_unfinished_files {

using test::TemporaryFolder;

TEST(UnfinishedFiles, LocksAndTemporaryFilesGo) {
  const TemporaryFolder folder;
  std::ofstream(folder / "x.h5") << "old";
  const FileLock lock(folder / "x.h5");
  const AtomicFile file(folder / "x.h5");
  std::ofstream(file.temporary()) << "half";
  ASSERT_EQ(folder.size(), 3U);
  remove_unfinished_files();
  EXPECT_EQ(folder.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(folder / "x.h5"));
}

TEST(UnfinishedFiles, WhatIsNotOursStays) {
  const TemporaryFolder folder;
  // As flock(1) passes its own on to what it starts.
  const int inherited = ::open((folder / ".batch.lock").c_str(), O_RDWR | O_CREAT, 0666);
  // Of another run, looked at to say whose it is.
  const int theirs = ::open((folder / ".x.h5.lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(::flock(theirs, LOCK_EX), 0);
  const int seen = ::open((folder / ".x.h5.lock").c_str(), O_RDWR | O_CLOEXEC);
  const int temporary = ::open((folder / ".x.h5.tmp-host-1").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  const int input = ::open((folder / "job.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  remove_unfinished_files();
  EXPECT_EQ(folder.size(), 4U);
  for (const int file : {inherited, theirs, seen, temporary, input}) ::close(file);
}

}  // namespace test_unfinished_files
}  // namespace cisolve

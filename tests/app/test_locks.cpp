// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <optional>

#include "app/run_program.hpp"
#include "cisolve/io/file_lock.hpp"

namespace cisolve::test {
namespace test_locks {

constexpr const char* job =
    "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"\n[run]\ndevice = \"cpu\"\n";
constexpr const char* scan =
    "[integrals]\n[scan]\nfiles = [\"" CISOLVE_TEST_DATA "/h2_sto3g.fcidump\"]\n[run]\ndevice = \"cpu\"\n";

/// A run that finds its files taken: a system condition, said in one sentence, nothing touched.
void expect_taken(const ProgramResult& result, const std::string& file) {
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_NE(result.err.find("'" + file + "' is being written by process " + std::to_string(getpid())),
            std::string::npos)
      << result.err;
}

TEST(Locks, ASecondRunWithTheSameFilesIsRefused) {
  const ScratchFolder folder;
  folder.write("job.inp", job);
  folder.write("scan.inp", scan);
  for (const std::string name : {"job", "scan"}) {
    SCOPED_TRACE(name);
    const std::string result = name + ".h5", checkpoint = name + ".chk.h5";
    for (const std::string& taken : {result, checkpoint}) {
      std::optional<FileLock> other(folder.path() / taken);
      expect_taken(run_program({name + ".inp"}, folder.path()), taken);
      EXPECT_FALSE(std::filesystem::exists(folder.path() / result));
      EXPECT_EQ(run_program({name + ".inp", "--check"}, folder.path()).exit_code, 0);
    }
    EXPECT_EQ(run_program({name + ".inp"}, folder.path()).exit_code, 0);
    const FileLock other(folder.path() / result);
    EXPECT_EQ(run_program({"show", result}, folder.path()).exit_code, 0);
  }
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.h5", "job.inp", "scan.h5", "scan.inp"}));
}

}  // namespace test_locks
}  // namespace cisolve::test

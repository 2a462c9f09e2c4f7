// SPDX-License-Identifier: MIT
// --write-matrix of the real program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/run_program.hpp"
#include "cisolve/io/hdf5_file.hpp"

namespace cisolve::test {
namespace test_write_matrix {

std::string water() {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_631g.fcidump.gz\"\npoint_group = \"C2v\"\n";
}

TEST(WriteMatrixOption, WritesTheMatrixAndDoesNotSolve) {
  const ScratchFolder folder;
  folder.write("job.inp", water());
  const ProgramResult h5 = run_program({"job.inp", "--write-matrix", "h.h5"}, folder.path());
  EXPECT_EQ(h5.exit_code, 0) << h5.err;
  const ProgramResult mtx = run_program({"job.inp", "--write-matrix", "h.mtx", "-q"}, folder.path());
  EXPECT_EQ(mtx.exit_code, 0) << mtx.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"h.h5", "h.mtx", "job.inp"}));
  EXPECT_NE(h5.out.find("70,373"), std::string::npos) << h5.out;  // nonzeros of CISD in A1
  const Hdf5File file = Hdf5File::open(folder.path() / "h.h5");
  EXPECT_EQ(file.root().read_attribute<std::int64_t>("nonzeros"), 70373);
  EXPECT_TRUE(
      read_text(folder.path() / "h.mtx").starts_with("%%MatrixMarket matrix coordinate real symmetric\n"));
}

TEST(WriteMatrixOption, MistakesAreRefusedBeforeAnythingIsRead) {
  const ScratchFolder folder;
  folder.write("job.inp", water());
  expect_refused(run_program({"job.inp", "--write-matrix", "h.txt"}, folder.path()),
                 {"h.txt", ".h5", ".mtx"});
  expect_refused(run_program({"job.inp", "--write-matrix"}, folder.path()), {"--write-matrix"});
  expect_refused(run_program({"job.inp", "--check", "--write-matrix", "h.h5"}, folder.path()), {"--check"});
  expect_refused(run_program({"job.inp", "--restart", "--write-matrix", "h.h5"}, folder.path()),
                 {"--restart"});
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"job.inp"}));
}

TEST(WriteMatrixOption, AnOldFileStaysIfTheJobIsWrong) {
  const ScratchFolder folder;
  folder.write("job.inp", water() + "[states]\nmultiplicity = 2\n");
  folder.write("h.h5", "old");
  expect_refused(run_program({"job.inp", "--write-matrix", "h.h5"}, folder.path()), {"multiplicity"});
  EXPECT_EQ(read_text(folder.path() / "h.h5"), "old");
}

}  // namespace test_write_matrix
}  // namespace cisolve::test

// SPDX-License-Identifier: MIT
// Scans that get further points: --extend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "tasks/scan/extension.hpp"

namespace cisolve::test {
namespace test_scan_extend {

using testing::HasSubstr;

/// Lithium hydride, CISD; bond lengths in angstrom.
std::string hydride_job(const std::string& values) {
  return "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"sto-3g\"\n"
         "[run]\ndevice = \"cpu\"\nthreads = 1\n[scan]\ncoordinate = \"bond 1 2\"\nvalues = [" +
         values + "]\n";
}

/// What tells whether a point was calculated anew: vectors and seconds come back to the last bit.
void expect_untouched(const std::filesystem::path& before, int before_number,
                      const std::filesystem::path& after, int number) {
  const CiResult a = read_scan_point(before, before_number, true), b = read_scan_point(after, number, true);
  EXPECT_EQ(a.timing.total, b.timing.total);
  EXPECT_EQ(a.timing.integrals, b.timing.integrals);
  ASSERT_EQ(a.sectors[0].vectors->columns(), b.sectors[0].vectors->columns());
  Array<double> x, y;
  EXPECT_TRUE(std::ranges::equal(a.sectors[0].vectors->view(0, 1, x), b.sectors[0].vectors->view(0, 1, y)));
}

class ScanExtend : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_F(ScanExtend, NewPointsStandAmongTheOldOnes) {
  const ScratchFolder folder, whole;
  folder.write("job.inp", hydride_job("1.4, 1.6, 1.8"));
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  const auto file = folder.path() / "job.h5", before = folder.path() / "before.h5";
  std::filesystem::copy_file(file, before);
  // Some of the old ones, and new ones in any order.
  folder.write("job.inp", hydride_job("2.0, 1.2, 1.5, 1.6"));
  const ProgramResult run = run_program({"job.inp", "--extend"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ScanResult scan = read_scan(file);
  EXPECT_EQ(scan.values, (std::vector<double>{1.2, 1.4, 1.5, 1.6, 1.8, 2.0}));
  expect_untouched(before, 1, file, 2);
  expect_untouched(before, 2, file, 4);
  expect_untouched(before, 3, file, 5);
  // Those below the old ones begin with their neighbour above.
  EXPECT_THAT(read_scan_point(file, 1, false).sectors[0].solver.start, HasSubstr("1 of 1 roots of point 2"));
  whole.write("job.inp", hydride_job("1.2, 1.4, 1.5, 1.6, 1.8, 2.0"));
  const ProgramResult at_once = run_program({"job.inp"}, whole.path());
  ASSERT_EQ(at_once.exit_code, 0) << at_once.err;
  const ScanResult same = read_scan(whole.path() / "job.h5");
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(scan.points[k].energies[0], same.points[k].energies[0], 1e-9);
  EXPECT_THAT(scan.head.resolved_text, HasSubstr("values = [2.0, 1.2, 1.5, 1.6]"));
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"before.h5", "job.h5", "job.inp"}));
}

TEST_F(ScanExtend, AKilledOneGoesOn) {
  const std::string job =
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"6-31g\"\n[space]\n"
      "excitation_level = 3\n[states]\ncount = 2\n[solver]\ntolerance = 1e-9\n[run]\ndevice = "
      "\"cpu\"\nthreads = "
      "1\n[output]\ncheckpoint_interval = 0\n"
      "[scan]\ncoordinate = [\"bond 1 2\", \"bond 1 3\"]\nvalues = ";
  const ScratchFolder folder;
  const auto file = folder.path() / "job.h5", before = folder.path() / "before.h5";
  folder.write("job.inp", job + "[1.0]\n");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  std::filesystem::copy_file(file, before);
  folder.write("job.inp", job + "[0.9, 1.1]\n");
  {
    RunningProgram program({"job.inp", "--extend", "-v"}, folder.path());
    for (int i = 0; i < 60000; ++i) {  // the first new point's second iteration
      const std::string out = program.output();
      const auto second = out.find("Point 3 of 3");
      if (second != std::string::npos &&
          out.find("\n     2 ", out.find("Davidson iterations", second)) != std::string::npos)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    program.send(SIGKILL);
    program.wait();
  }
  const ScanResult killed = read_scan(file);
  EXPECT_EQ(killed.values, (std::vector<double>{0.9, 1.0, 1.1}));
  EXPECT_EQ(killed.points[0].status, "pending");
  expect_untouched(before, 1, file, 2);
  const ProgramResult again = run_program({"job.inp", "--extend", "-v"}, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  // The checkpoint of the point that was running is used: iterations count on.
  const auto third = again.out.find("Davidson iterations", again.out.find("Point 3 of 3"));
  EXPECT_EQ(again.out.substr(third, 300).find("\n     1 "), std::string::npos)
      << again.out.substr(third, 300);
  for (const ScanPoint& point : read_scan(file).points) EXPECT_EQ(point.status, "converged");
  expect_untouched(before, 1, file, 2);
}

TEST_F(ScanExtend, FilesAreAllNamed) {
  const ScratchFolder folder;
  folder.write("path.xyz", "2\nfirst\nH 0 0 0\nH 0 0 0.7\n2\nsecond\nH 0 0 0\nH 0 0 0.8\n");
  folder.write("more.xyz", "2\nthird\nH 0 0 0\nH 0 0 0.9\n");
  const std::string begin = "[molecule]\nbasis = \"sto-3g\"\n[scan]\nfiles = [";
  folder.write("job.inp", begin + "\"path.xyz\"]\n");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  folder.write("job.inp", begin + "\"path.xyz\", \"more.xyz\"]\n");
  const ProgramResult run = run_program({"job.inp", "--extend"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("point 2 of 3, file = 2: taken from job.h5"));
  EXPECT_EQ(read_scan(folder.path() / "job.h5").values, (std::vector<double>{1.0, 2.0, 3.0}));
  folder.write("job.inp", begin + "\"more.xyz\"]\n");
  expect_refused(run_program({"job.inp", "--extend"}, folder.path()),
                 {"has a point 2 that scan.files lacks"});
  folder.write("job.inp", begin + "\"more.xyz\", \"path.xyz\"]\n");
  expect_refused(run_program({"job.inp", "--extend"}, folder.path()), {"point 1 has another geometry"});
}

TEST_F(ScanExtend, WhatIsNoExtensionIsRefused) {
  const ScratchFolder folder;
  folder.write("job.inp", hydride_job("1.6, 1.8"));
  expect_refused(run_program({"job.inp", "--extend"}, folder.path()),
                 {"--extend: there is no result file 'job.h5'"});
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  const std::string before = read_text(folder.path() / "job.h5");
  expect_refused(run_program({"job.inp", "--extend", "--set", "molecule.basis=6-31g"}, folder.path()),
                 {"another job", "molecule.basis = \"sto-3g\", this job has molecule.basis = \"6-31g\""});
  expect_refused(run_program({"job.inp", "--extend", "--set", "states.count=2"}, folder.path()),
                 {"states.count = 1, this job has states.count = 2"});
  expect_refused(run_program({"job.inp", "--extend", "--set", "solver.tolerance=1e-5"}, folder.path()),
                 {"solver.tolerance = 1e-06, this job has solver.tolerance = 1e-05"});
  expect_refused(run_program({"job.inp", "--restart", "--set", "scan.values=[1.6, 1.7]"}, folder.path()),
                 {"other points than scan.values: --extend adds points"});
  expect_refused(run_program({"job.inp", "--extend", "--restart"}, folder.path()), {"exclude each other"});
  // The same points, written in another way.
  const ProgramResult same =
      run_program({"job.inp", "--restart", "--set", "scan.values={ start = 1.6, stop = 1.8, points = 2 }"},
                  folder.path());
  EXPECT_EQ(same.exit_code, 0) << same.err;
  folder.write("job.h5", before);
  folder.write("one.inp", "[molecule]\ngeometry = \"He 0 0 0\"\nbasis = \"sto-3g\"\n");
  expect_refused(run_program({"one.inp", "--extend"}, folder.path()), {"one.inp: --extend", "no [scan]"});
  // Of an earlier version: a key that it did not have, not the lines that happen to stand beside each other.
  std::filesystem::copy_file(CISOLVE_TEST_DATA "/results-0.1.0/scan.h5", folder.path() / "old.h5");
  folder.write("old.inp", read_scan(folder.path() / "old.h5").head.input_text);
  expect_refused(run_program({"old.inp", "--restart", "--set", "space.spin_complete=false", "-o", "old.h5"},
                             folder.path()),
                 {"earlier version, which did not have scan.scf_state"});
}

TEST(JoinedValues, KeepTheDirectionOfTheFile) {
  EXPECT_EQ(joined_values({1.0, 1.2}, {1.1, 1.2000000000001, 0.9}),
            (std::vector<double>{0.9, 1.0, 1.1, 1.2}));
  EXPECT_EQ(joined_values({1.2, 1.0}, {1.1, 1.3}), (std::vector<double>{1.3, 1.2, 1.1, 1.0}));
  EXPECT_EQ(joined_values({1.2}, {1.1, 1.3}), (std::vector<double>{1.1, 1.2, 1.3}));
}

}  // namespace test_scan_extend
}  // namespace cisolve::test

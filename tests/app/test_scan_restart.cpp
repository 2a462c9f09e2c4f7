// SPDX-License-Identifier: MIT
// Scans that do not go straight on: points that fail, kills and restarts, inputs that are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_scan_restart {

using testing::HasSubstr;

/// Lithium hydride, CISD; bond lengths in angstrom.
std::string lithium_hydride(const std::string& scan) {
  return "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"6-31g\"\n"
         "[run]\ndevice = \"cpu\"\n[scan]\n" +
         scan + "\n";
}

class ScanRestart : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_F(ScanRestart, APointThatFailsDoesNotEndTheScan) {
  // Far out, the SCF of a guess from the model does not converge in so few iterations; near equilibrium it does.
  const ScratchFolder folder;
  folder.write("job.inp",
               lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.6, 9.0, 1.7]\nwarm_start = false"));
  const ProgramResult run =
      run_program({"job.inp", "--set", "molecule.scf_max_iterations=11"}, folder.path());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  const ScanResult scan = read_scan(folder.path() / "job.h5");
  EXPECT_EQ(scan.points[0].status, "converged");
  EXPECT_EQ(scan.points[1].status, "failed");
  EXPECT_THAT(scan.points[1].message, HasSubstr("SCF did not converge in 11 iterations"));
  EXPECT_EQ(scan.points[2].status, "converged");
  EXPECT_THAT(run.out, HasSubstr("  Point 2 failed: "));
  EXPECT_THAT(run.err, HasSubstr("point 2 failed: "));
  // A restart tries that point again, and leaves the others.
  const ProgramResult again = run_program({"job.inp", "--restart"}, folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("point 1 of 3, bond 1 2 = 1.6 angstrom: taken from job.h5"));
  EXPECT_EQ(read_scan(folder.path() / "job.h5").points[1].status, "converged");
  // Where no point gives anything, there is no file.
  const ScratchFolder empty;
  empty.write("job.inp", lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.6, 1.7]"));
  const ProgramResult none = run_program({"job.inp", "--set", "molecule.scf_max_iterations=2"}, empty.path());
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(empty.files(), std::vector<std::string>{"job.inp"});
}

/// What a restart takes: the scan of five points, tight enough for some iterations each.
std::string long_job() {
  return "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"6-31g\"\n"
         "[scan]\ncoordinate = [\"bond 1 2\", \"bond 1 3\"]\nvalues = { start = 0.9, stop = 1.3, points = 5 "
         "}\n"
         "[space]\nexcitation_level = 3\n[states]\ncount = 2\n[solver]\ntolerance = 1e-8\n"
         "[run]\ndevice = \"cpu\"\nthreads = 2\n[output]\ncheckpoint_interval = 0\n";
}

TEST_F(ScanRestart, RestartsAfterKillsWhereItWas) {
  const ScratchFolder whole;
  const auto begin = std::chrono::steady_clock::now();
  whole.write("job.inp", long_job());
  ASSERT_EQ(run_program({"job.inp"}, whole.path()).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(whole.path() / "job.chk.h5"));
  const ScanResult expected = read_scan(whole.path() / "job.h5");
  const auto duration = std::chrono::steady_clock::now() - begin;
#ifdef CISOLVE_SANITIZE
  constexpr int enough_kills = 1;  // that left points; each takes ten times as long
#else
  constexpr int enough_kills = 6;
#endif
  constexpr int most_kills = 6;
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> moment(0.1, 0.95);
  int with_points = 0;
  for (int kill = 0; kill < most_kills && with_points < enough_kills; ++kill) {
    const ScratchFolder folder;
    folder.write("job.inp", long_job());
    RunningProgram program({"job.inp"}, folder.path());
    std::this_thread::sleep_for(duration * moment(engine));
    program.send(SIGKILL);
    program.wait();
    if (!std::filesystem::exists(folder.path() / "job.h5")) continue;
    const ScanResult before = read_scan(folder.path() / "job.h5");  // valid at any moment
    const auto done = std::count_if(before.points.begin(), before.points.end(),
                                    [](const ScanPoint& point) { return point.status == "converged"; });
    ++with_points;
    const ProgramResult again = run_program({"job.inp", "--restart"}, folder.path());
    ASSERT_EQ(again.exit_code, 0) << again.err;
    std::size_t taken = 0;
    for (std::size_t at = again.err.find("taken from"); at != std::string::npos;
         at = again.err.find("taken from", at + 1))
      ++taken;
    EXPECT_EQ(taken, static_cast<std::size_t>(done));
    const ScanResult after = read_scan(folder.path() / "job.h5");
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(after.points[k].energies[i], expected.points[k].energies[i], 1e-9);
    }
  }
  EXPECT_GT(with_points, 0) << "no kill came between points: nothing was tested";
}

TEST_F(ScanRestart, ACheckpointOfTheRunningPointIsUsed) {
  const ScratchFolder folder;
  folder.write("job.inp", long_job());
  RunningProgram program({"job.inp", "-v"}, folder.path());
  // The third point's second iteration.
  for (int i = 0; i < 60000; ++i) {
    const std::string out = program.output();
    const auto third = out.find("Point 3 of 5");
    if (third != std::string::npos &&
        out.find("\n     2 ", out.find("Davidson iterations", third)) != std::string::npos)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  program.send(SIGTERM);
  const ProgramResult stopped = program.wait();
  ASSERT_EQ(stopped.exit_code, 143) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("Interrupted in point 3"));
  const ProgramResult again = run_program({"job.inp", "--restart", "job.h5", "-v"}, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  // Iterations count on: the first one printed is not number 1.
  const auto third = again.out.find("Davidson iterations", again.out.find("Point 3 of 5"));
  const std::string lines = again.out.substr(third, 300);
  EXPECT_EQ(lines.find("\n     1 "), std::string::npos) << lines;
  // And refuses what is not of this job.
  expect_refused(run_program({"job.inp", "--restart", "--set", "molecule.basis=sto-3g"}, folder.path()),
                 {"another job", "basis = \"6-31g\"", "basis = \"sto-3g\""});
  expect_refused(
      run_program({"job.inp", "--restart", "-o", "none.h5", "--set", "output.checkpoint=none.chk.h5"},
                  folder.path()),
      {"neither", "none.h5", "none.chk.h5"});
}

TEST_F(ScanRestart, CheckSaysWhatAllPointsNeed) {
  const ScratchFolder folder;
  folder.write("job.inp",
               lithium_hydride("coordinate = \"bond 1 2\"\nvalues = { start = 1, stop = 2, points = 11 }"));
  const ProgramResult check = run_program({"job.inp", "--check"}, folder.path());
  EXPECT_EQ(check.exit_code, 0) << check.err;
  for (const std::string part :
       {"11, from 1 angstrom to 2 angstrom", "Host memory needed", "11 x", "nothing was run"})
    EXPECT_THAT(check.out, HasSubstr(part));
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
}

struct BadScan {
  const char* name;
  std::string input;
  std::vector<std::string> parts;
};

void PrintTo(const BadScan& bad, std::ostream* stream) { *stream << bad.name; }

class BadScanIsRefused : public testing::TestWithParam<BadScan> {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_P(BadScanIsRefused, WithOneSentenceAndNoResult) {
  const ScratchFolder folder;
  folder.write("job.inp", GetParam().input);
  folder.write("two.xyz", "2\nfirst\nH 0 0 0\nH 0 0 0.7\n2\nsecond\nHe 0 0 0\nH 0 0 0.8\n");
  folder.write("cut.xyz", "2\nfirst\nH 0 0 0\nH 0 0 0.7\n2\nsecond\nH 0 0 0\n");
  expect_refused(run_program({"job.inp"}, folder.path()), GetParam().parts);
  EXPECT_EQ(folder.files().size(), 3U);
}

const std::string hydrogen =
    "[molecule]\ngeometry = \"H 0 0 0; H 0 0 1\"\nbasis = \"sto-3g\"\n[scan]\n";  // 4 lines

INSTANTIATE_TEST_SUITE_P(
    Program, BadScanIsRefused,
    testing::Values(
        BadScan{"Neither", hydrogen + "values = [1.0]\n", {"job.inp", "neither of coordinate and files"}},
        BadScan{"Both",
                hydrogen + "coordinate = \"bond 1 2\"\nfiles = \"two.xyz\"\n",
                {"both of coordinate and files"}},
        BadScan{"NoValues",
                hydrogen + "coordinate = \"bond 1 2\"\n",
                {"job.inp:5: scan.coordinate needs scan.values"}},
        BadScan{"EmptyValues",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = []\n",
                {"job.inp:6:", "empty list"}},
        BadScan{"HalfARange",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = { start = 1, stop = 2 }\n",
                {"job.inp:6:", "\"scan.values.points\" is missing"}},
        BadScan{"TextAsValue",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = [\"1\"]\n",
                {"job.inp:6:", "a list of numbers"}},
        BadScan{"NoSuchAtom",
                hydrogen + "coordinate = \"bond 1 3\"\nvalues = [1]\n",
                {"job.inp:5:", "'3' is no atom"}},
        BadScan{"NegativeBond", hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1, -1]\n", {"above 0"}},
        BadScan{"TwiceTheSame",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1, 0.8, 1]\n",
                {"job.inp:6:", "lists 1 twice"}},
        BadScan{"AtomsTooNear",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1, 0.01]\n",
                {"point 2", "atoms 1 (H) and 2 (H)"}},
        BadScan{"UnknownKey", hydrogen + "cordinate = \"bond 1 2\"\n", {"job.inp:5:", "\"scan.coordinate\""}},
        BadScan{"OtherAtoms",
                "[molecule]\nbasis = \"sto-3g\"\n[scan]\nfiles = \"two.xyz\"\n",
                {"job.inp:4:", "geometry 2", "two.xyz"}},
        BadScan{"CutFile",
                "[molecule]\nbasis = \"sto-3g\"\n[scan]\nfiles = \"cut.xyz\"\n",
                {"job.inp:4:", "cut.xyz:7:", "1 of the 2 atoms that its line 5"}},
        BadScan{"GeometryAndFiles",
                hydrogen + "files = \"two.xyz\"\n",
                {"job.inp:2: molecule.geometry contradicts scan.files"}},
        BadScan{"WrongNumberOfValues",
                "[molecule]\nbasis = \"sto-3g\"\n[scan]\nfiles = \"job.inp\"\nvalues = [1]\n",
                {"job.inp:4:", "number of its atoms"}},
        BadScan{"AbsentFcidump",
                "[integrals]\n[scan]\nfiles = [\"absent.fcidump\"]\n",
                {"job.inp:3: scan.files names a file that does not exist"}},
        BadScan{"CoordinateOfAFile",
                "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                "/h2_sto3g.fcidump\"\n[scan]\ncoordinate = \"bond 1 2\"\nvalues = [1]\n",
                {"job.inp:4:", "needs [molecule]"}},
        BadScan{"NothingToFollow",
                hydrogen +
                    "coordinate = \"bond 1 2\"\nvalues = [1]\nwarm_start = false\n[solver]\nfollow = true\n",
                {"job.inp:9: solver.follow"}},
        BadScan{"WrongIrrep",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1]\n[states]\nirrep = \"Z\"\n",
                {"job.inp:8:", "states.irrep"}}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST_F(ScanRestart, CommandsOfOnePointSayThatItHasSeveral) {
  const ScratchFolder folder;
  folder.write("job.inp", hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1, 2]\n");
  expect_refused(run_program({"job.inp", "--write-fcidump", "a.fcidump"}, folder.path()),
                 {"job.inp: [scan]"});
  expect_refused(run_program({"job.inp", "--write-matrix", "a.h5"}, folder.path()), {"job.inp: [scan]"});
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  EXPECT_THROW(read_result(folder.path() / "job.h5", false), InputError);
}

}  // namespace test_scan_restart
}  // namespace cisolve::test

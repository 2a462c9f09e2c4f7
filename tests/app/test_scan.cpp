// SPDX-License-Identifier: MIT
// Scans by the program: curves, one file, restarts, points that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "app/run_program.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/result_file.hpp"
#include "cisolve/tasks/scan_result.hpp"

namespace cisolve::test {
namespace {

using testing::HasSubstr;

/// Lithium hydride, 6-31G, full CI, three singlets of A1; bond lengths in angstrom.
std::string lithium_hydride(const std::string& scan, const std::string& rest = "") {
  return "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"6-31g\"\n"
         "[scan]\n" +
         scan +
         "\n[space]\nexcitation_level = \"full\"\n"
         "[states]\ncount = 3\nmultiplicity = 1\n[solver]\ntolerance = 1e-7\n[run]\ndevice = \"cpu\"\n" +
         rest;
}

/// Residuals of 1e-7 leave errors below 1e-13; an SCF converged to 1e-10 and the digits of the basis set leave more.
constexpr double same_energy = 1e-7;  // hartree

class Scan : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  static ScanResult run(const ScratchFolder& folder, const std::string& input, int exit_code = 0) {
    folder.write("job.inp", input);
    const ProgramResult result = run_program({"job.inp"}, folder.path());
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return read_scan(folder.path() / "job.h5");
  }
};

TEST_F(Scan, CurvesAreThoseOfPyscf) {
  // PySCF 2.x: RHF and direct_spin1_symm with fix_spin, conv_tol 1e-12.
  const std::vector<double> scf = {-7.9412929635, -7.9793215650, -7.9456577879, -7.8760181663};
  const double fci[4][3] = {{-7.9596648338, -7.8268096448, -7.7001688577},
                            {-7.9983583657, -7.8777546871, -7.7392785223},
                            {-7.9738891316, -7.8941474533, -7.7292496134},
                            {-7.9366706931, -7.8822095384, -7.7726230014}};
  const ScratchFolder folder;
  const ScanResult scan =
      run(folder, lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.2, 1.6, 2.4, 3.6]"));
  EXPECT_EQ(scan.coordinate, "bond 1 2");
  EXPECT_EQ(scan.unit, "angstrom");
  ASSERT_EQ(scan.points.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(scan.points[k].status, "converged");
    EXPECT_NEAR(scan.points[k].scf_energy.value(), scf[k], same_energy);
    ASSERT_EQ(scan.points[k].energies.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(scan.points[k].energies[i], fci[k][i], same_energy) << k;
  }
  // Every point is a result of its own, and began with the one before.
  const CiResult third = read_scan_point(folder.path() / "job.h5", 3, true);
  EXPECT_EQ(third.states.vectors.size(), 3U * static_cast<std::size_t>(third.space.dimension));
  EXPECT_NEAR(third.molecule->coordinates[5] - third.molecule->coordinates[2], 2.4 / 0.529177210903, 1e-9);
  EXPECT_TRUE(third.molecule->from_guess);
  EXPECT_THAT(third.solver.start, HasSubstr("3 of 3 roots of point 2"));
  EXPECT_FALSE(read_scan_point(folder.path() / "job.h5", 1, false).molecule->from_guess);
}

TEST_F(Scan, WarmStartChangesTheWorkNotTheEnergies) {
  const std::string scan = "coordinate = \"bond 1 2\"\nvalues = { start = 1.4, stop = 2.0, points = 7 }";
  const ScratchFolder warm_folder, cold_folder;
  const ScanResult warm = run(warm_folder, lithium_hydride(scan));
  const ScanResult cold = run(cold_folder, lithium_hydride(scan + "\nwarm_start = false"));
  ASSERT_EQ(warm.points.size(), 7U);
  std::size_t warm_work = 0, cold_work = 0, warm_iterations = 0, cold_iterations = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(warm.values[k], 1.4 + 0.1 * static_cast<double>(k), 1e-12);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(warm.points[k].energies[i], cold.points[k].energies[i], 1e-9);
    const auto number = static_cast<int>(k) + 1;
    const CiResult a = read_scan_point(warm_folder.path() / "job.h5", number, false);
    const CiResult b = read_scan_point(cold_folder.path() / "job.h5", number, false);
    warm_work += a.molecule->scf_energies.size();
    cold_work += b.molecule->scf_energies.size();
    warm_iterations += a.solver.history.size();
    cold_iterations += b.solver.history.size();
    EXPECT_TRUE(b.solver.start.empty());
  }
  EXPECT_LT(warm_work, cold_work);
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST_F(Scan, VectorsFollowOrbitalsThatChangePlaces) {
  // Between 2.0 and 6.0 angstrom empty orbitals of LiH cross.
  const ScratchFolder folder;
  const ScanResult scan = run(folder, lithium_hydride("coordinate = \"bond 1 2\"\n"
                                                      "values = { start = 2.0, stop = 6.0, points = 6 }",
                                                      "[output]\nvectors = false\n"));
  bool crossed = false;
  for (int number = 2; number <= 6; ++number) {
    const CiResult point = read_scan_point(folder.path() / "job.h5", number, false);
    const CiResult before = read_scan_point(folder.path() / "job.h5", number - 1, false);
    crossed = crossed || point.system.orbital_irreps != before.system.orbital_irreps;
    EXPECT_THAT(point.solver.start, HasSubstr("roots of point " + std::to_string(number - 1)));
    EXPECT_EQ(point.states.vectors.size(), 0U);
  }
  EXPECT_TRUE(crossed) << "no orbitals changed places: nothing was tested";
  EXPECT_EQ(scan.points.size(), 6U);
}

TEST_F(Scan, CsfsStartFromTheirOwnKind) {
  std::string input = lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.60, 1.62]");
  const ScratchFolder determinants, csfs;
  const ScanResult a = run(determinants, input);
  const ScanResult b = run(csfs, input.replace(input.find("[space]"), 7, "[space]\nbasis = \"csf\""));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.points[1].energies[i], b.points[1].energies[i], 1e-9);
  EXPECT_THAT(read_scan_point(csfs.path() / "job.h5", 2, false).solver.start,
              HasSubstr("3 of 3 roots of point 1"));
}

TEST_F(Scan, AngleAndSeveralBondsKeepTheSymmetry) {
  const std::string water =
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"sto-3g\"\n";
  const ScratchFolder folder;
  const ScanResult angle = run(
      folder,
      water + "[scan]\ncoordinate = \"angle 2 1 3\"\nvalues = [90, 100.5, 120]\n[states]\nirrep = \"A1\"\n");
  EXPECT_EQ(angle.unit, "degree");
  const CiResult bent = read_scan_point(folder.path() / "job.h5", 3, false);
  EXPECT_EQ(bent.molecule->point_group, "C2v");
  const ScanResult bonds =
      run(folder, water + "[scan]\ncoordinate = [\"bond 1 2\", \"bond 1 3\"]\nvalues = [0.9, 1.0]\n");
  EXPECT_EQ(bonds.coordinate, "bond 1 2, bond 1 3");
  EXPECT_EQ(read_scan_point(folder.path() / "job.h5", 2, false).molecule->point_group, "C2v");
  // One bond alone: Cs for all, also where it is as long as the other.
  const double equal = std::hypot(0.76, 0.59);
  const ScanResult one = run(folder, water + "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [" +
                                         std::to_string(equal) + ", 1.2]\n[states]\nirrep = \"A'\"\n");
  EXPECT_EQ(read_scan_point(folder.path() / "job.h5", 1, false).molecule->point_group, "Cs");
  EXPECT_THAT(one.warnings, testing::Contains(HasSubstr("calculated in Cs")));
}

TEST_F(Scan, GeometriesFromFiles) {
  const ScratchFolder folder;
  folder.write("path.xyz", "2\nfirst\nH 0 0 0\nH 0 0 0.7\n2\nsecond\nH 0 0 0\nH 0 0 0.8\n\n");
  folder.write("more.xyz", "2\nthird\nH 0 0 0\nH 0 0 0.9\n");
  const std::string input = "[molecule]\nbasis = \"sto-3g\"\n[scan]\nfiles = [\"path.xyz\", \"more.xyz\"]\n";
  const ScanResult scan = run(folder, input);
  EXPECT_EQ(scan.values, (std::vector<double>{1.0, 2.0, 3.0}));
  const ScratchFolder other;
  const ScanResult same = run(other,
                              "[molecule]\ngeometry = \"H 0 0 0; H 0 0 1\"\nbasis = \"sto-3g\"\n[scan]\n"
                              "coordinate = \"bond 1 2\"\nvalues = [0.7, 0.8, 0.9]\n");
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(scan.points[k].energies[0], same.points[k].energies[0], 1e-9);
}

TEST(ScanOfFiles, IntegralsFromFcidumps) {
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\n[scan]\nfiles = [\"" CISOLVE_TEST_DATA
                          "/h2_sto3g.fcidump\", \"" CISOLVE_TEST_DATA
                          "/h2_sto3g.fcidump\"]\nvalues = [0.7, 0.8]\n[run]\ndevice = \"cpu\"\n");
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ScanResult scan = read_scan(folder.path() / "job.h5");
  EXPECT_EQ(scan.values, (std::vector<double>{0.7, 0.8}));
  EXPECT_NEAR(scan.points[0].energies[0], scan.points[1].energies[0], 1e-10);
  const CiResult second = read_scan_point(folder.path() / "job.h5", 2, false);
  EXPECT_THAT(second.solver.start, HasSubstr("1 of 1 roots of point 1"));
  EXPECT_LE(second.solver.history.size(), 2U);  // it began with the answer
}

TEST_F(Scan, SeveralSectorsAndShow) {
  const ScratchFolder folder;
  folder.write("job.inp",
               "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"sto-3g\"\n[scan]\n"
               "coordinate = \"bond 1 2\"\nvalues = [1.5, 1.7]\n[states]\nirrep = [\"A1\", \"B1\"]\n"
               "multiplicity = [1, 3]\n[run]\ndevice = \"cpu\"\n");
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read_scan_point(folder.path() / "job.h5", 2, false).sectors.size(), 4U);
  const ProgramResult show = run_program({"show", "job.h5"}, folder.path());
  EXPECT_EQ(show.exit_code, 0) << show.err;
  EXPECT_EQ(run.out.substr(0, show.out.size()), show.out);
  for (const std::string line : {"Point 2 of 2: bond 1 2 = 1.7 angstrom", "value/angstrom"})
    EXPECT_THAT(show.out, HasSubstr(line));
}

TEST_F(Scan, APointThatFailsDoesNotEndTheScan) {
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
  EXPECT_THAT(run.out, HasSubstr("Point 2 failed"));
  // A restart tries that point again, and leaves the others.
  const ProgramResult again = run_program({"job.inp", "--restart"}, folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("Taken from job.h5"));
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

TEST_F(Scan, RestartsAfterKillsWhereItWas) {
  const ScratchFolder whole;
  const auto begin = std::chrono::steady_clock::now();
  const ScanResult expected = run(whole, long_job());
  const auto duration = std::chrono::steady_clock::now() - begin;
#ifdef __SANITIZE_ADDRESS__
  constexpr int kills = 2;
#else
  constexpr int kills = 6;
#endif
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> moment(0.1, 0.95);
  int with_points = 0;
  for (int kill = 0; kill < kills; ++kill) {
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
    for (std::size_t at = again.out.find("Taken from"); at != std::string::npos;
         at = again.out.find("Taken from", at + 1))
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

TEST_F(Scan, ACheckpointOfTheRunningPointIsUsed) {
  const ScratchFolder folder;
  folder.write("job.inp", long_job());
  RunningProgram program({"job.inp"}, folder.path());
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
  const ProgramResult again = run_program({"job.inp", "--restart"}, folder.path());
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

TEST_F(Scan, CheckSaysWhatAllPointsNeed) {
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

TEST_F(Scan, FollowsStatesFromPointToPoint) {
  const ScratchFolder folder;
  const ScanResult followed =
      run(folder, lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.5, 1.6, 1.7]"));
  const ScanResult same = [&] {
    folder.write("follow.inp", lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.5, 1.6, 1.7]"));
    const ProgramResult run = run_program({"follow.inp", "--set", "solver.follow=true"}, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return read_scan(folder.path() / "follow.h5");
  }();
  // These states don't cross, so the ones followed are the lowest.
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(same.points[k].energies[i], followed.points[k].energies[i], 1e-9);
  }
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
        BadScan{"WrongIrrep",
                hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1]\n[states]\nirrep = \"Z\"\n",
                {"job.inp:8:", "states.irrep"}}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST_F(Scan, CommandsOfOnePointSayThatItHasSeveral) {
  const ScratchFolder folder;
  folder.write("job.inp", hydrogen + "coordinate = \"bond 1 2\"\nvalues = [1, 2]\n");
  expect_refused(run_program({"job.inp", "--write-fcidump", "a.fcidump"}, folder.path()),
                 {"job.inp: [scan]"});
  expect_refused(run_program({"job.inp", "--write-matrix", "a.h5"}, folder.path()), {"job.inp: [scan]"});
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  EXPECT_THROW(read_result(folder.path() / "job.h5", false), InputError);
}

}  // namespace
}  // namespace cisolve::test

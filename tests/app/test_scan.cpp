// SPDX-License-Identifier: MIT
// Scans by the program: curves, warm starts, symmetry, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/run_program.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_scan {

using testing::HasSubstr;
using testing::StartsWith;

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
  EXPECT_EQ(third.sectors[0].vectors->columns(), 3);
  EXPECT_NEAR(third.molecule->coordinates[5] - third.molecule->coordinates[2], 2.4 / 0.529177210903, 1e-9);
  EXPECT_TRUE(third.molecule->from_guess);
  EXPECT_THAT(third.sectors[0].solver.start, HasSubstr("3 of 3 roots of point 2"));
  EXPECT_FALSE(read_scan_point(folder.path() / "job.h5", 1, false).molecule->from_guess);
}

/// Iterations of the SCF and of the solver at all points but the first.
struct Work {
  std::size_t scf = 0, solver = 0;
};

Work work_of(const std::filesystem::path& file, int points) {
  Work work;
  for (int number = 2; number <= points; ++number) {
    const CiResult point = read_scan_point(file, number, false);
    work.scf += point.molecule->scf_energies.size();
    work.solver += point.sectors[0].solver.history.size();
  }
  return work;
}

TEST_F(Scan, WarmStartChangesTheWorkNotTheEnergies) {
  const std::string water =
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.76 0.59; H 0 -0.76 0.59\"\nbasis = \"6-31g\"\n"
      "[space]\nexcitation_level = 3\nfrozen_core = \"auto\"\n[run]\ndevice = \"cpu\"\n[scan]\n"
      "coordinate = [\"bond 1 2\", \"bond 1 3\"]\nvalues = { start = 0.9, stop = 1.1, points = 6 }\n";
  const ScratchFolder warm_folder, cold_folder;
  const ScanResult warm = run(warm_folder, water);
  const ScanResult cold = run(cold_folder, water + "warm_start = false\n");
  ASSERT_EQ(warm.points.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(warm.values[k], 0.9 + 0.04 * static_cast<double>(k), 1e-12);
    EXPECT_NEAR(warm.points[k].energies[0], cold.points[k].energies[0], 1e-9);
  }
  const Work with = work_of(warm_folder.path() / "job.h5", 6),
             without = work_of(cold_folder.path() / "job.h5", 6);
  EXPECT_LT(with.scf, without.scf);
  EXPECT_LT(with.solver, without.solver);
  EXPECT_THAT(read_scan_point(cold_folder.path() / "job.h5", 6, false).sectors[0].solver.start,
              StartsWith("model space of"));
}

TEST_F(Scan, VectorsFollowOrbitalsThatChangePlaces) {
  // Where N2 is stretched, pi orbitals fall below sigma ones and others change places: vectors are carried with
  // the right signs only if the solver begins much nearer to the end than from the model space.
  const std::string nitrogen =
      "[molecule]\ngeometry = \"N 0 0 0; N 0 0 1.1\"\nbasis = \"6-31g\"\n[space]\nfrozen_core = \"auto\"\n"
      "[run]\ndevice = \"cpu\"\n[output]\nvectors = false\n[scan]\ncoordinate = \"bond 1 2\"\n"
      "values = [1.0, 1.1, 1.2, 1.3, 1.4]\n";
  const ScratchFolder warm_folder, cold_folder;
  run(warm_folder, nitrogen);
  run(cold_folder, nitrogen + "warm_start = false\n");
  const auto first_error = [](const CiResult& point) {
    return point.sectors[0].solver.history.front().energies.front() - point.root(0).energy;
  };
  int crossings = 0;
  for (int number = 2; number <= 5; ++number) {
    const CiResult before = read_scan_point(warm_folder.path() / "job.h5", number - 1, false);
    const CiResult point = read_scan_point(warm_folder.path() / "job.h5", number, false);
    const CiResult cold = read_scan_point(cold_folder.path() / "job.h5", number, false);
    crossings += point.system.orbital_irreps != before.system.orbital_irreps ? 1 : 0;
    EXPECT_THAT(point.sectors[0].solver.start,
                HasSubstr("1 of 1 roots of point " + std::to_string(number - 1)));
    EXPECT_EQ(point.sectors[0].vectors, nullptr);
    EXPECT_LT(first_error(point), 0.25 * first_error(cold)) << number;
  }
  EXPECT_GE(crossings, 2) << "too few orbitals changed places to test anything";
}

TEST_F(Scan, CsfsStartFromTheirOwnKind) {
  std::string input = lithium_hydride("coordinate = \"bond 1 2\"\nvalues = [1.60, 1.62]");
  const ScratchFolder determinants, csfs;
  const ScanResult a = run(determinants, input);
  const ScanResult b = run(csfs, input.replace(input.find("[space]"), 7, "[space]\nbasis = \"csf\""));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.points[1].energies[i], b.points[1].energies[i], 1e-9);
  EXPECT_THAT(read_scan_point(csfs.path() / "job.h5", 2, false).sectors[0].solver.start,
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
  EXPECT_THAT(second.sectors[0].solver.start, HasSubstr("1 of 1 roots of point 1"));
  EXPECT_LE(second.sectors[0].solver.history.size(), 2U);  // it began with the answer
}

TEST(ScanOfFiles, ListsBeginWithTheStrongestOfThePointBefore) {
  const ScratchFolder folder;
  const std::string file = "\"" CISOLVE_TEST_DATA "/c2_631g_fc.fcidump.gz\"";
  folder.write(
      "job.inp",
      "[integrals]\n[scan]\nfiles = [" + file + ", " + file +
          "]\nvalues = [1, 2]\ncarry_lists = true\n[selection]\ndeterminants = 2000\n[run]\ndevice = "
          "\"cpu\"\n");
  const ProgramResult run = run_program({"job.inp", "-v"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("determinants of the strongest quarter of point 1's list"));
  const std::filesystem::path result = folder.path() / "job.h5";
  const CiResult first = read_scan_point(result, 1, false), second = read_scan_point(result, 2, false);
  const std::vector<std::int64_t>& sizes = second.sectors[0].selection->determinants;
  EXPECT_EQ(sizes.front(), first.sectors[0].space.dimension / 4);
  EXPECT_GE(sizes.back(), 2000);
  constexpr double close = 1e-4;  // hartree: another path of sizes
  EXPECT_NEAR(second.root(0).energy, first.root(0).energy, close);
  const ProgramResult alone =
      run_program({"job.inp", "--set", "scan.carry_lists=false", "-o", "alone.h5"}, folder.path());
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(read_scan_point(folder.path() / "alone.h5", 2, false).root(0).energy, first.root(0).energy);
  const ProgramResult refused = run_program({"job.inp", "--set", "scan.warm_start=false"}, folder.path());
  EXPECT_THAT(refused.err, HasSubstr("scan.carry_lists begins with what the point before found"));
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
  for (const std::string line :
       {"All points\n  basis set               STO-3G, 6 functions\n", "irrep B1, multiplicity 3",
        "value/angstrom", "  2S+1, irrep, term\n", "  1 A1 1Sigma+\n", "  3 B1 3Pi\n"})
    EXPECT_THAT(show.out, HasSubstr(line));
  // A page, and a line of the log for each point.
  EXPECT_LE(std::count(run.out.begin(), run.out.end(), '\n'), 50);
  EXPECT_THAT(run.out, testing::Not(HasSubstr("Davidson iterations")));
  EXPECT_THAT(run.err, HasSubstr("point 2 of 2, bond 1 2 = 1.7 angstrom: converged, lowest root -7."));
  // The report of each point, in the run and afterwards.
  const ProgramResult verbose = run_program({"job.inp", "-v"}, folder.path());
  const ProgramResult all = run_program({"show", "job.h5", "-v"}, folder.path());
  EXPECT_EQ(verbose.out.substr(0, all.out.size()), all.out);
  for (const std::string line :
       {"Point 2 of 2: bond 1 2 = 1.7 angstrom", "Davidson iterations", "All points"})
    EXPECT_THAT(all.out, HasSubstr(line));
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

TEST_F(Scan, FollowedStatesThatCrossKeepTheirNumbers) {
  // C2: 1Sigma_g+ and 1Delta_g, both Ag, cross between 1.8 and 1.9 angstrom; who is who, their terms say.
  const ScratchFolder folder;
  folder.write(
      "job.inp",
      "[molecule]\ngeometry = \"C 0 0 0; C 0 0 1.25\"\nbasis = \"sto-3g\"\n[scan]\n"
      "coordinate = \"bond 1 2\"\nvalues = [1.8, 1.9]\n[space]\nfrozen_core = \"auto\"\n"
      "excitation_level = \"full\"\n[states]\nirrep = \"Ag\"\nmultiplicity = 1\ncount = 2\n[solver]\n"
      "follow = true\n[run]\ndevice = \"cpu\"\nthreads = 1\n");
  ASSERT_EQ(run_program({"job.inp"}, folder.path()).exit_code, 0);
  // Further points on both sides go on from these.
  const ProgramResult run =
      run_program({"job.inp", "--extend", "--set", "scan.values=[1.7, 2.0]"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ScanResult scan = read_scan(folder.path() / "job.h5");
  ASSERT_EQ(scan.values, (std::vector<double>{1.7, 1.8, 1.9, 2.0}));
  int swaps = 0;
  for (const ScanPoint& point : scan.points) {
    ASSERT_EQ(point.energies.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_EQ(point.terms[k], point.numbers[k] == 1 ? "1Sigma_g+" : "1Delta_g");
    swaps += point.numbers[0] == 2 ? 1 : 0;
  }
  EXPECT_EQ(swaps, 2) << "the states did not cross: nothing was tested";
  EXPECT_EQ(
      Hdf5File::open(folder.path() / "job.h5").root().open_group("scan").read<std::int32_t>("states", {4, 2}),
      (std::vector<std::int32_t>{1, 2, 1, 2, 2, 1, 2, 1}));
  // The table goes by state, so that its second lines are one curve.
  EXPECT_THAT(run.out, HasSubstr(" state  2S+1, irrep, term\n"));
  std::size_t delta = 0;
  for (std::size_t at = run.out.find("2  1 Ag 1Delta_g\n"); at != std::string::npos;
       at = run.out.find("2  1 Ag 1Delta_g\n", at + 1))
    delta +=
        run.out[run.out.rfind('\n', at) + 1] == ' ' && run.out[run.out.rfind('\n', at) + 5] == ' ' ? 1 : 0;
  EXPECT_EQ(delta, 4U) << run.out;
}

TEST_F(Scan, ConstantsOfDiatomicsAreInTheFile) {
  const ScratchFolder folder;
  const ScanResult scan =
      run(folder,
          "[molecule]\ngeometry = \"H 0 0 0; H 0 0 1\"\nbasis = \"sto-3g\"\n[scan]\n"
          "coordinate = \"bond 1 2\"\nvalues = { start = 0.6, stop = 0.9, points = 7 }\n");
  const Hdf5Group constants =
      Hdf5File::open(folder.path() / "job.h5").root().open_group("scan").open_group("constants");
  const double r = constants.read<double>("r_e", {1}).front();
  EXPECT_NEAR(r * 0.529177210903, 0.7349, 1e-4);  // full CI of H2 in STO-3G, A. Szabo, N. S. Ostlund
  constexpr double half_proton_mass = 0.5 * 1.00782503 * 1822.888486209;
  EXPECT_NEAR(constants.read<double>("B_e", {1}).front(), 219474.6313632 / (2 * half_proton_mass * r * r),
              1e-6);
  EXPECT_EQ(constants.read_strings("term", {1}).front(), "1Sigma_g+");
  EXPECT_EQ(constants.open_dataset<double>("r_e").read_attribute<std::string>("unit"), "bohr");
  EXPECT_LT(constants.read<double>("energy", {1}).front(), scan.points[3].energies[0]);
  EXPECT_THAT(run_program({"show", "job.h5"}, folder.path()).out, HasSubstr("  1 Ag 1Sigma_g+        0.734"));
}

}  // namespace test_scan
}  // namespace cisolve::test

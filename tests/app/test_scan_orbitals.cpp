// SPDX-License-Identifier: MIT
// Scans over orbitals that change places: those that were chosen are followed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_scan_orbitals {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// Lithium fluoride: from 2.5 to 3.0 angstrom 2b1 and 6a1 change places.
const std::string molecule = R"x([molecule]
geometry = "Li 0 0 0; F 0 0 3"
basis = "6-31+G(d)"
[states]
irrep = "A1"
count = 2
multiplicity = 1
[run]
device = "cpu"
[space]
frozen_core = "auto"
excitation_level = )x";
const std::string there = "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [2.5, 3.0]\n";

class ScanOrbitals : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  std::filesystem::path run(const std::string& text, std::vector<std::string> more = {}) {
    return run_text(molecule + text, std::move(more));
  }

  std::filesystem::path run_text(const std::string& text, std::vector<std::string> more = {}) {
    std::ofstream(folder_.path() / "job.inp") << text;
    more.insert(more.begin(), "job.inp");
    const ProgramResult result = run_program(more, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    report_ = result.out;
    return folder_.path() / "job.h5";
  }

  std::string report_;  ///< of the last run

private:
  const ScratchFolder folder_;
};

TEST_F(ScanOrbitals, ACasByNumberIsFollowed) {
  const std::string cas = "0\nreference = { electrons = 6, orbitals = 5 }\n";
  const auto file = run(cas + there);
  const ScanResult scan = read_scan(file);
  ASSERT_EQ(scan.points.size(), 2U);
  EXPECT_THAT(report_, HasSubstr("6 electrons in 1b1 1b2 4a1 5a1 2b1, with"));
  EXPECT_THAT(read_scan_point(file, 1, false).system.cas_orbitals, ElementsAre(4, 5, 6, 7, 8));
  EXPECT_THAT(read_scan_point(file, 2, false).system.cas_orbitals, ElementsAre(4, 5, 6, 7, 9));
  const std::string warning =
      "the CAS is followed from point 1: it has 2b1, where choosing anew would take 6a1";
  EXPECT_THAT(scan.points[0].warnings, Not(Contains(HasSubstr("followed"))));
  EXPECT_THAT(scan.points[1].warnings, Contains(warning));
  EXPECT_THAT(scan.warnings, Contains("point 2: " + warning));

  const CiResult labels =
      read_result(run("0\nreference = { electrons = 6, orbitals = [\"4a1\", \"5a1\", \"1b1\", \"1b2\", "
                      "\"2b1\"] }\n"),
                  false);
  const CiResult numbers = read_result(run(cas), false);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(scan.points[1].energies[k], labels.root(k).energy, 1e-7);
    EXPECT_GT(std::abs(scan.points[1].energies[k] - numbers.root(k).energy), 1e-6);
  }
  const ScanResult alone = read_scan(run(cas + there, {"--set", "scan.warm_start=false"}));
  EXPECT_NEAR(alone.points[1].energies[1], numbers.root(1).energy, 1e-7);
}

TEST_F(ScanOrbitals, ACasByIrrepsIsFollowedOverFrozenOrbitalsAndLimits) {
  // 9 orbitals are left: at 2.5 angstrom up to 2b2, at 3.0 without it.
  const auto file =
      run("1\nfrozen_virtual = 29\nmax_particles = { orbitals = [7], count = 1 }\n"
          "reference = { electrons = 2, orbitals = { A1 = 2 } }\n" +
          there);
  const CiResult here = read_scan_point(file, 1, false), next = read_scan_point(file, 2, false);
  EXPECT_THAT(here.system.active_orbitals, ElementsAre(3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(next.system.active_orbitals, ElementsAre(3, 4, 5, 6, 7, 9, 10));
  EXPECT_THAT(here.system.max_particles_orbitals, ElementsAre(9));
  EXPECT_THAT(next.system.max_particles_orbitals, ElementsAre(10));
  EXPECT_THAT(here.system.cas_orbitals, ElementsAre(6, 7));
  EXPECT_THAT(next.system.cas_orbitals, ElementsAre(6, 7));
  EXPECT_THAT(next.warnings,
              Contains("the set of frozen virtuals is followed from point 1: it has 6a1, where "
                       "choosing anew would take 2b2"));
}

TEST_F(ScanOrbitals, AWholeValenceShellStaysOneWhereTheScfOccupiesOthers) {
  // Between 1.5 and 2.0 angstrom 1b2g comes to be occupied, and 1b2u empty.
  const std::string nitrogen = R"x([molecule]
geometry = "N 0 0 0; N 0 0 1.1"
basis = "6-31G"
[states]
irrep = "Ag"
multiplicity = 1
[run]
device = "cpu"
[space]
frozen_core = "auto"
excitation_level = 0
reference = { electrons = 6, orbitals = 6 }
[scan]
coordinate = "bond 1 2"
values = [1.5, 2.0]
)x";
  const auto energies = [&](std::vector<std::string> more) {
    const ScanResult scan = read_scan(run_text(nitrogen, std::move(more)));
    return std::pair(scan.points.front().energies.at(0), scan.points.back().energies.at(0));
  };
  const auto [first, second] = energies({});
  const auto [back_second, back_first] = energies({"--set", "scan.values=[2.0, 1.5]"});
  EXPECT_NEAR(second, -108.687755, 1e-6) << "CASCI of PySCF 2.14 over the same RHF orbitals";
  EXPECT_NEAR(back_second, second, 1e-7);
  EXPECT_NEAR(back_first, first, 1e-7);
}

}  // namespace test_scan_orbitals
}  // namespace cisolve::test

// SPDX-License-Identifier: MIT
// Scans through crossings of SCF states: the same curve from both sides, and from every point alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_scan_states {

using testing::HasSubstr;

constexpr const char* chemist = CISOLVE_TEST_DATA "/chemist/";

/// Runs an input as a scan.
ScanResult run_scan_of(const std::filesystem::path& input, std::vector<std::string> arguments,
                       std::string* out = nullptr) {
  const ScratchFolder folder;
  arguments.insert(arguments.begin(), input.string());
  for (const char* word : {"-o", "scan.h5", "--device", "cpu"}) arguments.emplace_back(word);
  const ProgramResult result = run_program(arguments, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  if (out != nullptr) *out = result.out;
  return read_scan(folder.path() / "scan.h5");
}

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "[" : ", ") + std::to_string(value);
  return "scan.values=" + text + "]";
}

/// A curve by the value of its points.
std::map<double, const ScanPoint*> by_value(const ScanResult& scan) {
  std::map<double, const ScanPoint*> curve;
  for (std::size_t k = 0; k < scan.points.size(); ++k) curve[scan.values[k]] = &scan.points[k];
  return curve;
}

/// The scan forward, backward, and every point alone. Where a curve is not that of the points alone, it says so.
void expect_one_curve(const std::filesystem::path& input, std::vector<double> values,
                      const std::vector<std::string>& more = {}) {
  // Where the SCF is flat, a gradient of 1e-8 leaves this much.
  constexpr double same = 1e-7;  // hartree
  std::vector<std::string> forward = {"--set", list(values)},
                           alone = {"--set", list(values), "--set", "scan.warm_start=false"};
  std::reverse(values.begin(), values.end());
  std::vector<std::string> backward = {"--set", list(values)};
  for (auto* arguments : {&forward, &backward, &alone})
    arguments->insert(arguments->end(), more.begin(), more.end());
  const ScanResult a = run_scan_of(input, forward), b = run_scan_of(input, backward),
                   c = run_scan_of(input, alone);
  const auto there = by_value(a), back = by_value(b), each = by_value(c);
  for (const auto& [value, point] : each) {
    ASSERT_EQ(point->status, "converged") << input << " at " << value;
    for (const ScanPoint* carried : {there.at(value), back.at(value)}) {
      ASSERT_EQ(carried->status, "converged") << input << " at " << value;
      if (carried->scf_note.find("a fresh SCF would give") != std::string::npos) continue;
      EXPECT_NEAR(carried->scf_energy.value(), point->scf_energy.value(), same) << input << " at " << value;
      ASSERT_EQ(carried->energies.size(), point->energies.size());
      for (std::size_t k = 0; k < point->energies.size(); ++k)
        EXPECT_NEAR(carried->energies[k], point->energies[k], same)
            << input << " at " << value << ", root " << k + 1;
    }
  }
}

class ScanStates : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};
using ExhaustiveScanStates = ScanStates;

const std::vector<std::string> small = {"--set", "molecule.basis=STO-3G"};

TEST_F(ScanStates, EthyleneTurnedByHalfATurnIsTheSameMolecule) {
  std::string out;
  const ScanResult scan =
      run_scan_of(std::string(chemist) + "ethc.inp",
                  {"--set", "molecule.basis=STO-3G", "--set", "scan.values=[0, 60, 120, 180]"}, &out);
  ASSERT_EQ(scan.points.size(), 4U);
  EXPECT_NEAR(*scan.points[0].scf_energy, *scan.points[3].scf_energy, 1e-8);
  EXPECT_NEAR(scan.points[1].energies[0], scan.points[2].energies[0], 1e-8);
  EXPECT_NEAR(scan.points[0].energies[0], scan.points[3].energies[0], 1e-8);
  EXPECT_THAT(scan.points[2].scf_note, HasSubstr("another state than at the point before"));
  EXPECT_EQ(scan.points[3].scf_note, "");
  EXPECT_THAT(out, HasSubstr("+ SCF states\n    3  another state"));
  // +Q of each point, and warnings that all points have once.
  ASSERT_EQ(scan.points[1].energies_with_q.size(), 1U);
  EXPECT_LT(scan.points[1].energies_with_q[0], scan.points[1].energies[0]);
  EXPECT_THAT(out, HasSubstr("with the Davidson correction (+Q)/hartree"));
  EXPECT_THAT(scan.warnings, testing::Contains(HasSubstr("(numbers of point ")));
}

TEST_F(ScanStates, AStateIsFollowedWhereThatIsAskedFor) {
  const ScanResult scan = run_scan_of(std::string(chemist) + "ethc.inp",
                                      {"--set", "molecule.basis=STO-3G", "--set",
                                       "scan.values=[0, 60, 120, 180]", "--set", "scan.scf_state=follow"});
  ASSERT_EQ(scan.points.size(), 4U);
  EXPECT_GT(*scan.points[3].scf_energy, *scan.points[0].scf_energy + 0.5);
  EXPECT_EQ(scan.points[1].scf_note, "");
  EXPECT_THAT(scan.points[3].scf_note,
              HasSubstr("carried over from the point before; a fresh SCF gives -77."));
  EXPECT_THAT(scan.warnings, testing::Contains(HasSubstr("the SCF state at points 3 to 4 is not the one that "
                                                         "a point alone has (scan.scf_state = \"follow\")")));
}

TEST_F(ScanStates, SquareHydrogensFromBothSides) {
  expect_one_curve(std::string(chemist) + "h4b.inp", {1.0, 1.2, 1.3, 1.6});
}

/// Values of a coordinate, and the rest of an input in a small basis.
struct Crossing {
  const char* name;
  std::string molecule, coordinate;
  std::vector<double> values;
  std::string states;
};

std::vector<Crossing> crossings() {
  return {
      {"c2",
       "geometry = \"C 0 0 0; C 0 0 1.25\"",
       "bond 1 2",
       {1.0, 1.2, 1.3, 1.4, 1.6, 2.0},
       "irrep = \"Ag\"\nmultiplicity = 1"},
      {"n2",
       "geometry = \"N 0 0 0; N 0 0 1.1\"",
       "bond 1 2",
       {1.1, 1.5, 1.8, 2.2, 3.0, 4.0},
       "irrep = \"Ag\"\nmultiplicity = 1"},
      {"o3",
       "geometry = \"O 0 0 0; O 1.278 0 0; O -0.5 1.2 0\"",
       "angle 2 1 3",
       {60, 75, 80, 90, 100, 120},
       "irrep = \"all\""},
      {"beh2",
       "geometry = \"Be 0 0 0; H 1.27 0 0; H -1.27 0 0\"",
       "angle 2 1 3",
       {50, 70, 90, 110, 150},
       "irrep = \"all\""},
      {"ch2",
       "geometry = \"C 0 0 0; H 1.1 0 0; H -0.3 1.0 0\"",
       "angle 2 1 3",
       {80, 102, 130, 170},
       "irrep = \"A'\"\nmultiplicity = 1"},
      {"no",
       "geometry = \"N 0 0 0; O 0 0 1.15\"",
       "bond 1 2",
       {0.95, 1.15, 1.5, 2.2, 3.0},
       "irrep = [\"B1\", \"B2\"]"},
      {"hf", "geometry = \"H 0 0 0; F 0 0 0.92\"", "bond 1 2", {0.7, 0.92, 1.6, 3.0, 5.0}, "irrep = \"A1\""}};
}

TEST_F(ExhaustiveScanStates, CurvesDoNotDependOnTheirDirection) {
  for (const Crossing& crossing : crossings()) {
    SCOPED_TRACE(crossing.name);
    const ScratchFolder folder;
    const auto input = folder.write(
        std::string(crossing.name) + ".inp",
        "[molecule]\n" + crossing.molecule + "\nbasis = \"STO-3G\"\n[scan]\ncoordinate = \"" +
            crossing.coordinate + "\"\nvalues = [1]\n[space]\nfrozen_core = \"auto\"\n[states]\n" +
            crossing.states + "\n");
    expect_one_curve(input, crossing.values);
  }
  expect_one_curve(std::string(chemist) + "ethc.inp", {0, 45, 75, 105, 180}, small);
  std::vector<std::string> ionic = small;
  ionic.insert(ionic.end(), {"--set", "space.reference=aufbau", "--set", "states.count=1"});
  expect_one_curve(std::string(chemist) + "lif.inp", {1.3, 2.0, 3.0, 4.0, 6.0}, ionic);
}

}  // namespace test_scan_states
}  // namespace cisolve::test

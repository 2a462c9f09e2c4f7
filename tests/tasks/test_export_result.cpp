// SPDX-License-Identifier: MIT
// `cisolve export`: what is written of a result for other programs, against definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/export/result_states.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_export_result {

using testing::AllOf;
using testing::HasSubstr;

class ExportResult : public testing::Test {
protected:
  /// Runs an input; its result file is <name>.h5.
  CiResult run(const std::string& name, const std::string& input) const {
    CiConfig config = read_ci_config(parse_input(input, "job.inp"));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / (name + ".h5");
    config.checkpoint_file = folder_ / (name + ".chk.h5");
    return run_and_read(config);
  }

  /// @return what is in the file that was written
  std::string write(const std::string& name, const std::string& out,
                    const ExportOptions& options = {}) const {
    std::ostringstream report;
    export_result(folder_ / (name + ".h5"), folder_ / out, options, report);
    EXPECT_THAT(report.str(), HasSubstr(out));
    std::ifstream stream(folder_ / out);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  void expect_refused(const std::string& name, const std::string& out, const ExportOptions& options,
                      const testing::Matcher<std::string>& sentence) const {
    std::ostringstream report;
    try {
      export_result(folder_ / (name + ".h5"), folder_ / out, options, report);
      ADD_FAILURE() << "was written: " << report.str();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), sentence);
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / out));
  }

  test::TemporaryFolder folder_;
};

std::string from_file(const std::string& file, const std::string& rest) {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/" + file + "\"\n" + rest;
}

const std::string tight = "[solver]\ntolerance = 1e-10\n";

/// Coefficients by occupation.
struct Determinants {
  int count = 0, orbitals = 0, alpha = 0, beta = 0;
  std::map<std::string, double> coefficients;
  bool descend = true;
};

Determinants parse(const std::string& text) {
  std::istringstream in(text);
  Determinants found;
  in >> found.count >> found.orbitals >> found.alpha >> found.beta;
  double c = 0.0, last = 2.0;
  for (std::string occupation; in >> c >> occupation; last = std::abs(c)) {
    found.coefficients[occupation] = c;
    found.descend = found.descend && std::abs(c) <= last;
  }
  return found;
}

TEST_F(ExportResult, DeterminantsAreThoseOfTheVector) {
  const CiResult result = run(
      "job", from_file("h2o_sto3g.fcidump", "[states]\ncount = 2\n[space]\nexcitation_level = \"full\"\n"));
  const Determinants found = parse(write("job", "two.txt", {.root = 2}));
  EXPECT_EQ(found.orbitals, 7);
  EXPECT_EQ(found.alpha, 5);
  EXPECT_EQ(found.beta, 5);
  EXPECT_TRUE(found.descend);
  const CiResult::Sector& sector = result.sectors[0];
  Array<double> buffer;
  const auto vector = sector.vectors->view(1, 1, buffer);
  std::size_t present = 0;
  for (std::size_t row = 0; row < vector.size(); ++row) {
    if (vector[row] == 0.0) continue;
    ++present;
    std::string occupation;
    for (int p = 0; p < 7; ++p)
      occupation += "0ud2"[(sector.space.alpha[row] >> p & 1U) + 2 * (sector.space.beta[row] >> p & 1U)];
    ASSERT_EQ(found.coefficients.count(occupation), 1U) << occupation;
    EXPECT_EQ(found.coefficients.at(occupation), vector[row]) << "to the last bit";
  }
  EXPECT_EQ(found.coefficients.size(), present);
  EXPECT_EQ(found.count, static_cast<int>(present));

  const Determinants heavy = parse(write("job", "heavy.txt", {.threshold = 0.1}));
  EXPECT_LT(heavy.coefficients.size(), 30U);
  EXPECT_EQ(heavy.count, std::ssize(heavy.coefficients));
  for (const auto& [occupation, c] : heavy.coefficients) EXPECT_GE(std::abs(c), 0.1);
}

/// A triplet: Ms = 1, several couplings of four open shells.
TEST_F(ExportResult, CsfsAreExpandedInDeterminants) {
  const std::string rest = "excitation_level = \"full\"\n[states]\nmultiplicity = 3\n" + tight;
  run("det", from_file("h2o_sto3g.fcidump", "[space]\n" + rest));
  run("csf", from_file("h2o_sto3g.fcidump", "[space]\nbasis = \"csf\"\n" + rest));
  const Determinants det = parse(write("det", "det.txt")), csf = parse(write("csf", "csf.txt"));
  EXPECT_EQ(csf.alpha, 6);
  EXPECT_EQ(csf.beta, 4);
  const auto heaviest =
      std::ranges::max_element(det.coefficients, {}, [](const auto& one) { return std::abs(one.second); });
  const double sign = csf.coefficients.at(heaviest->first) * heaviest->second > 0.0 ? 1.0 : -1.0;
  constexpr double converged = 1e-8;  // residual norms of 1e-10 over gaps of 0.1 hartree
  double norm = 0.0;
  for (const auto& [occupation, c] : csf.coefficients) {
    norm += c * c;
    const auto at = det.coefficients.find(occupation);
    EXPECT_NEAR(sign * c, at == det.coefficients.end() ? 0.0 : at->second, converged) << occupation;
  }
  EXPECT_NEAR(norm, 1.0, 1e-12);
}

/// Every element against its definition over the natural orbitals, and these against the vector's own density.
TEST_F(ExportResult, IntegralsOverNaturalOrbitalsAreRotatedOnes) {
  const CiResult result =
      run("job", from_file("h2o_sto3g.fcidump", "[space]\nexcitation_level = 2\n" + tight));
  write("job", "natural.fcidump.gz", {.natural = true});
  const FcidumpFile file = read_fcidump(folder_ / "natural.fcidump.gz");
  const Integrals &found = file.integrals, &old = *result.integrals;
  EXPECT_EQ(file.num_electrons, 10);
  EXPECT_EQ(found.core_energy, old.core_energy);
  const NaturalOrbitals natural = natural_orbitals_of(result, {0}, "job.h5");
  EXPECT_EQ(found.irreps, natural.irreps);
  const Matrix& c = natural.coefficients;
  constexpr double rounding = 1e-11;
  constexpr int n = 7;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double h = 0.0, v = 0.0;
      for (int p = 0; p < n; ++p) {
        for (int q = 0; q < n; ++q) {
          h += c(i, p) * c(j, q) * old.h(p, q);
          for (int r = 0; r < n; ++r) {
            for (int s = 0; s < n; ++s) v += c(i, p) * c(j, q) * c(i, r) * c(0, s) * old.eri(p, q, r, s);
          }
        }
      }
      EXPECT_NEAR(found.h(i, j), h, rounding) << i << j;
      EXPECT_NEAR(found.eri(i, j, i, 0), v, rounding) << i << j;
    }
  }
}

/// The full-CI vector over natural orbitals has them as its natural orbitals, and the energy stays.
TEST_F(ExportResult, NaturalOrbitalsOfFullCiStayThose) {
  const std::string job = "[space]\nexcitation_level = \"full\"\n" + tight;
  const CiResult before = run("before", from_file("lih_sto3g.fcidump", job));
  write("before", "natural.fcidump", {.natural = true});
  const CiResult after =
      run("after", "[integrals]\nfile = \"" + (folder_ / "natural.fcidump").string() + "\"\n" + job);
  EXPECT_NEAR(after.root(0).energy, before.root(0).energy, 1e-11);
  const NaturalOrbitals first = natural_orbitals_of(before, {0}, "before.h5");
  const NaturalOrbitals second = natural_orbitals_of(after, {0}, "after.h5");
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(second.occupations[k], first.occupations[k], 1e-9);
    if (first.occupations[k] < 1e-3) continue;  // of nearly equal ones any combination is as good
    EXPECT_NEAR(std::abs(second.coefficients(k, k)), 1.0, 1e-6);
  }
}

TEST_F(ExportResult, WhatDoesNotFitIsRefusedByASentence) {
  run("job", from_file("h2_sto3g.fcidump", "[output]\nvectors = false\n"));
  expect_refused("job", "out.xyz", {}, HasSubstr("ends neither in .molden"));
  expect_refused("job", "out.molden", {}, AllOf(HasSubstr("has no molecule"), HasSubstr("h2_sto3g.fcidump")));
  expect_refused("job", "out.txt", {}, HasSubstr("holds no vectors"));
  expect_refused("job", "out.txt", {.root = 2}, HasSubstr("has the roots 1 to 1"));
  expect_refused("job", "out.txt", {.natural = true}, HasSubstr("--natural: .txt files (determinants)"));
  expect_refused("job", "out.txt", {.average = true}, HasSubstr("--average: .txt files"));
  expect_refused("job", "out.fcidump", {.root = 1}, HasSubstr("with --natural only"));
  expect_refused("job", "out.fcidump", {.natural = true, .threshold = 0.1}, HasSubstr("--threshold"));
  expect_refused("job", "out.fcidump", {.root = 1, .average = true, .natural = true},
                 HasSubstr("exclude each other"));
  expect_refused("job", "out.txt", {.point = 1}, HasSubstr("a single calculation"));
  expect_refused("job", "out.txt", {.threshold = -1.0}, HasSubstr("0 or more"));
}

TEST_F(ExportResult, ARunWritesWhatItIsAskedFor) {
  CiConfig config = read_ci_config(parse_input(
      from_file("h2_sto3g.fcidump", "[output]\nalso = \"" + (folder_ / "also.txt").string() + "\"\n"),
      "job.inp"));
  config.device = DeviceChoice::cpu;
  config.output_file = folder_ / "job.h5";
  config.checkpoint_file = folder_ / "job.chk.h5";
  std::ostringstream report;
  run_ci(config, {}, {}, report);
  EXPECT_THAT(report.str(), HasSubstr("also.txt: 2 of 2 determinants of root 1"));
  std::ifstream stream(folder_ / "also.txt");
  const std::string also{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(also, write("job", "later.txt"));
}

class ExportMolecule : public ExportResult {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

const std::string water =
    "[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"sto-3g\"\n";

TEST_F(ExportMolecule, OrbitalsComeWithFrozenOnes) {
  const CiResult result =
      run("job", water + "[space]\nfrozen_core = 1\nfrozen_virtual = 1\n[states]\ncount = 2\n");
  ASSERT_FALSE(result.molecule->basis_set.empty());
  const std::string scf = write("job", "scf.molden");
  EXPECT_THAT(scf,
              AllOf(HasSubstr("SCF orbitals"), HasSubstr("Sym= 2b2"), HasSubstr("frame of the calculation")));
  const std::string natural = write("job", "natural.molden", {.average = true, .natural = true});
  EXPECT_THAT(natural, HasSubstr("natural orbitals of the average of 2 roots"));
  std::vector<double> occupations;
  for (std::size_t at = natural.find("Occup="); at != std::string::npos; at = natural.find("Occup=", at + 1))
    occupations.push_back(std::stod(natural.substr(at + 6)));
  ASSERT_EQ(occupations.size(), 7U);
  EXPECT_EQ(occupations.front(), 2.0);
  EXPECT_EQ(occupations.back(), 0.0);
  // Ky Fan: the largest eigenvalues of an average add up to no more than the average of those of its parts.
  double sum = 2.0, of_parts = 2.0;
  for (std::size_t k = 1; k < 6; ++k) {
    sum += occupations[k];
    of_parts += 0.5 * (result.root(0).natural_occupations[k - 1] + result.root(1).natural_occupations[k - 1]);
    EXPECT_LE(sum, of_parts + 1e-10);
    if (k == 3) {
      EXPECT_LT(sum, of_parts - 1e-3) << "the roots have other natural orbitals";
    }
  }
  EXPECT_NEAR(sum, 10.0, 1e-10);
}

TEST_F(ExportMolecule, OfAScanNeedsThePoint) {
  const Input input =
      parse_input(water + "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [0.9, 1.0]\n[output]\nfile = \"" +
                      (folder_ / "scan.h5").string() + "\"\n",
                  "job.inp");
  std::ostringstream report;
  task_of(input).run(input, {}, {}, report);
  expect_refused("scan", "out.molden", {}, HasSubstr("--point 1 to --point 2"));
  expect_refused("scan", "out.molden", {.point = 3}, HasSubstr("--point 1 to --point 2"));
  EXPECT_NE(write("scan", "one.molden", {.point = 1}), write("scan", "two.molden", {.point = 2}));
}

}  // namespace test_export_result
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// `orbitals.file`: orbitals of another program or run in place of an SCF, by the energies that they must give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "cisolve/core/units.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "integrals/fcidump_test.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_orbitals_in {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// Water of tests/data/molden, angstrom.
constexpr double water[3][3] = {{0.0, 0.0, 0.1173}, {0.0, 0.7572, -0.4692}, {0.0, -0.7572, -0.4692}};

/// As it stands there, or turned about no axis of it, and moved.
std::string geometry(bool turned) {
  if (!turned) return "O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692";
  const double c = std::cos(0.7), s = std::sin(0.7);
  std::string text;
  for (const std::size_t atom : {0U, 1U, 2U}) {
    const auto& [x, y, z] = water[atom];
    const double x1 = c * x - s * y, y1 = s * x + c * y;    // about z
    const double y2 = c * y1 - s * z, z2 = s * y1 + c * z;  // about x
    text += fmt::format("{} {:.12f} {:.12f} {:.12f};", atom == 0 ? "O" : "H", x1 + 0.3, y2 - 0.2, z2 + 1.0);
  }
  return text;
}

class OrbitalsIn : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  CiResult run(const std::string& input) const {
    CiConfig config = read_ci_config(parse_input(input, "job.inp"));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / "job.h5";
    config.checkpoint_file = folder_ / "job.chk.h5";
    return run_and_read(config);
  }

  std::string job(const std::string& atoms, const std::string& basis, const std::filesystem::path& file,
                  const std::string& more = "") const {
    return fmt::format(
        "[molecule]\ngeometry = \"{}\"\nbasis = \"{}\"\n{}[orbitals]\nfile = \"{}\"\n[space]\nreference = {{ "
        "electrons "
        "= 4, orbitals = 4 }}\nexcitation_level = 0\n[solver]\ntolerance = 1e-9\n",
        atoms, basis, more, file.string());
  }

  void expect_refused(const std::string& input, const testing::Matcher<std::string>& sentence) const {
    try {
      run(input);
      ADD_FAILURE() << "was run";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), sentence);
    }
  }

  /// A file with one thing replaced.
  std::filesystem::path spoiled(const std::string& what, const std::string& by) const {
    std::string text = read_text(data_file("molden/h2o_631gd_cartesian.rhf.molden"));
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
    std::ofstream(folder_ / "spoiled.molden") << text;
    return folder_ / "spoiled.molden";
  }

  test::TemporaryFolder folder_;
};

/// PySCF's files have ten digits or more: energies to 1e-8.
TEST_F(OrbitalsIn, GiveTheEnergiesOfTheProgramThatWroteThem) {
  for (const auto& record : read_json("molden/energies.json")) {
    const std::string file = record["file"];
    for (const bool turned : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", file, turned));
      const bool is_cartesian = record["cartesian"];
      const CiResult result =
          run(job(geometry(turned), is_cartesian ? "6-31g(d)" : "cc-pvdz", data_file("molden/" + file)));
      EXPECT_NEAR(*result.system.scf_energy, record["determinant_energy"], 1e-8);
      EXPECT_NEAR(result.root(0).energy, record["casci_44_energy"], 1e-8);
      EXPECT_EQ(result.molecule->method, "file");
      EXPECT_TRUE(result.molecule->scf_energies.empty());
      EXPECT_THAT(result.warnings, testing::Not(Contains(HasSubstr("orbitals.file"))));
      std::ostringstream report;
      print_report(report, result);
      EXPECT_THAT(report.str(), AllOf(HasSubstr("determinant's energy"), HasSubstr("of the orbitals given"),
                                      testing::Not(HasSubstr("SCF"))));
    }
  }
}

TEST_F(OrbitalsIn, OfAResultOrItsMoldenFileAreThoseOfItsScf) {
  const std::string molecule = "[molecule]\ngeometry = \"" + geometry(true) + "\"\nbasis = \"cc-pvdz\"\n";
  const std::string rest = "[space]\nexcitation_level = 2\n[solver]\ntolerance = 1e-9\n";
  const CiResult scf = run(molecule + rest);
  std::filesystem::rename(folder_ / "job.h5", folder_ / "scf.h5");
  std::ostringstream report;
  export_result(folder_ / "scf.h5", folder_ / "scf.molden", {}, report);
  for (const char* name : {"scf.h5", "scf.molden"}) {
    const CiResult again =
        run(molecule + "[orbitals]\nfile = \"" + (folder_ / name).string() + "\"\n" + rest);
    EXPECT_NEAR(*again.system.scf_energy, *scf.system.scf_energy, 1e-10) << name;
    EXPECT_NEAR(again.root(0).energy, scf.root(0).energy, 1e-9) << name;
    constexpr double converged = 1e-6;  // gradients of 1e-8 hartree of the SCF, made orthonormal anew
    ASSERT_EQ(again.molecule->coefficients.size(), scf.molecule->coefficients.size());
    for (std::size_t k = 0; k < scf.molecule->coefficients.size(); ++k)
      ASSERT_NEAR(again.molecule->coefficients[k], scf.molecule->coefficients[k], converged) << name << k;
    for (std::size_t k = 0; k < scf.molecule->orbital_energies.size(); ++k)
      EXPECT_NEAR(again.molecule->orbital_energies[k], scf.molecule->orbital_energies[k], converged)
          << name << k;
  }
}

TEST_F(OrbitalsIn, InAFieldFeelItToo) {
  const std::string molecule =
      "[molecule]\ngeometry = \"" + geometry(false) + "\"\nbasis = \"sto-3g\"\nfield = [0.0, 0.01, 0.02]\n";
  const std::string rest = "[space]\nexcitation_level = 0\n";
  const CiResult scf = run(molecule + rest);
  std::filesystem::rename(folder_ / "job.h5", folder_ / "scf.h5");
  const CiResult again =
      run(molecule + "[orbitals]\nfile = \"" + (folder_ / "scf.h5").string() + "\"\n" + rest);
  EXPECT_NEAR(*again.system.scf_energy, *scf.system.scf_energy, 1e-10);
  EXPECT_NEAR(again.molecule->nuclear_repulsion, scf.molecule->nuclear_repulsion, 1e-13);
}

/// STO-3G orbitals over 6-31G: projected, and the other half added.
TEST_F(OrbitalsIn, OfAnotherBasisAreProjectedWithAWarning) {
  const std::string molecule = "[molecule]\ngeometry = \"" + geometry(false) + "\"\nbasis = ";
  const std::string rest = "[space]\nexcitation_level = 0\n";
  const CiResult small = run(molecule + "\"sto-3g\"\n" + rest);
  std::filesystem::rename(folder_ / "job.h5", folder_ / "small.h5");
  const CiResult best = run(molecule + "\"6-31g\"\n" + rest);
  const CiResult found =
      run(molecule + "\"6-31g\"\n[orbitals]\nfile = \"" + (folder_ / "small.h5").string() + "\"\n" + rest);
  EXPECT_THAT(found.warnings, AllOf(Contains(HasSubstr("were projected")),
                                    Contains(HasSubstr("it has 7 orbitals, 6 empty ones were added"))));
  EXPECT_GT(*found.system.scf_energy, *best.system.scf_energy) << "the variational principle";
  EXPECT_LT(*found.system.scf_energy, *best.system.scf_energy + 1.0);
  EXPECT_EQ(found.molecule->orbital_energies.size(), 13U);
}

TEST_F(OrbitalsIn, ThatDoNotFitAreRefusedByASentence) {
  const std::string right = geometry(false);
  const auto file = data_file("molden/h2o_631gd_cartesian.rhf.molden");
  expect_refused(job("O 0 0 0.1173; H 0 0.7572 -0.47; H 0 -0.7572 -0.47", "6-31g(d)", file),
                 AllOf(HasSubstr("its atoms are not where"), HasSubstr("bohr off")));
  expect_refused(
      job("N 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692", "6-31g(d)", file, "charge = 1\n"),
      AllOf(HasSubstr("its atoms are OH2"), HasSubstr("those of [molecule] NH2")));
  // Other normalisations of d functions.
  expect_refused(job(right, "6-31g(d)", spoiled("[6d]", "[5d]")),
                 HasSubstr("there are 19 orbitals over 18 functions"));
  expect_refused(job(right, "6-31g(d)", spoiled("0.8                   1", "0.5                   1")),
                 AllOf(HasSubstr("not orthonormal"), HasSubstr("C^T S C differs from 1 by")));
  expect_refused("[integrals]\nfile = \"" + case_file("h2_sto3g.fcidump").string() +
                     "\"\n[orbitals]\nfile = \"a.molden\"\n",
                 HasSubstr("needs [molecule]"));
  expect_refused(job(right, "6-31g(d)", file, "doubly_occupied = [3, 1, 1]\n"),
                 HasSubstr("of orbitals.file the first orbitals are occupied"));
  expect_refused(job(right, "6-31g(d)", "a.xyz"), HasSubstr("must end in .molden, .trexio or .h5"));
  expect_refused(job(right, "6-31g(d)", "absent.molden"), HasSubstr("does not exist"));
}

}  // namespace test_orbitals_in
}  // namespace cisolve

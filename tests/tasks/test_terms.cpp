// SPDX-License-Identifier: MIT
// Term symbols of atoms and linear molecules.
#include "tasks/ci/terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_terms {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

SymmetryFrame frame_of(const char* geometry, const char* group = "auto") {
  return find_symmetry(parse_geometry(geometry, LengthUnit::angstrom, "test"), group, {}, "test");
}

/// The term of a singlet of an irrep given by name.
std::string term(const SymmetryFrame& frame, double angular_momentum, const char* irrep,
                 double s_squared = 0.0) {
  return term_symbol({angular_momentum, s_squared, frame.group.irrep_number(irrep)}, frame);
}

TEST(TermSymbol, OfLinearMolecules) {
  const SymmetryFrame n2 = frame_of("N 0 0 0; N 0 0 1.1"), co = frame_of("C 0 0 0; O 0 0 1.1");
  EXPECT_EQ(term(n2, 0.0, "Ag"), "1Sigma_g+");
  EXPECT_EQ(term(n2, 0.0, "B1g", 2.0), "3Sigma_g-");
  EXPECT_EQ(term(n2, 0.0, "B1u"), "1Sigma_u+");
  EXPECT_EQ(term(n2, 0.0, "Au"), "1Sigma_u-");
  EXPECT_EQ(term(n2, 4.0, "Ag"), "1Delta_g");
  EXPECT_EQ(term(n2, 4.0, "B1g"), "1Delta_g");
  EXPECT_EQ(term(n2, 1.0, "B2u", 2.0), "3Pi_u");
  EXPECT_EQ(term(n2, 9.0, "B3u"), "1Phi_u");
  EXPECT_EQ(term(co, 1.0, "B1", 0.75), "2Pi");
  EXPECT_EQ(term(co, 0.0, "A2"), "1Sigma-");
  EXPECT_EQ(term(co, 0.0, "A1"), "1Sigma+");
}

TEST(TermSymbol, OfAnotherAxisOrLessSymmetry) {
  // Along x: B3u has the symmetry of x, B1g and B2g are the components of Pi_g.
  const SymmetryFrame along_x = frame_of("N 0 0 0; N 1.1 0 0");
  const bool is_turned = along_x.reoriented;
  EXPECT_EQ(term(along_x, 0.0, is_turned ? "B1u" : "B3u"), "1Sigma_u+");
  EXPECT_EQ(term(frame_of("N 0 0 0; N 0 0 1.1", "C2v"), 0.0, "A1"), "1Sigma+");
  EXPECT_EQ(term(frame_of("N 0 0 0; N 0 0 1.1", "Ci"), 0.0, "Au"), "1Sigma_u");
  EXPECT_EQ(term(frame_of("N 0 0 0; N 0 0 1.1", "C1"), 4.0, "A"), "1Delta");
  EXPECT_EQ(term_symbol({0.0, 0.0, 0}, frame_of("N 0 0 0; N 0 0 1.1")), "1Sigma");  // mixed irreps
}

TEST(TermSymbol, OfAtoms) {
  const SymmetryFrame atom = frame_of("O 0 0 0");
  EXPECT_EQ(term(atom, 2.0, "B1g", 2.0), "3P");
  EXPECT_EQ(term(atom, 6.0, "Ag"), "1D");
  EXPECT_EQ(term(atom, 0.0, "Ag"), "1S");
  EXPECT_EQ(term(atom, 2.0, "B1u", 0.75), "2Po");
  EXPECT_EQ(term(atom, 0.0, "Au", 3.75), "4So");
  EXPECT_EQ(term(frame_of("O 0 0 0", "C2v"), 2.0, "A2", 2.0), "3P");
}

TEST(TermSymbol, SaysWhatIsCertain) {
  const SymmetryFrame co = frame_of("C 0 0 0; O 0 0 1.1");
  EXPECT_EQ(term(co, 1.04, "B1"), "1Pi");
  EXPECT_EQ(term(co, 1.2, "B1"), "1Pi?");
  EXPECT_EQ(term(co, 1.5, "B1"), "");
  EXPECT_EQ(term(co, 1.0, "B1", 0.9), "Pi");  // no spin state
  EXPECT_EQ(term(co, 400.0, "A1"), "");
  EXPECT_EQ(term(co, 0.9, "A2"), "");  // no odd Lambda in A1 and A2
  EXPECT_EQ(term(co, 4.0, "B1"), "");
}

class MoleculeTerms : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  /// Through the result file and back.
  CiResult run(const std::string& input) const {
    CiConfig config = read_ci_config(parse_input(input, "job.inp"));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / "job.h5";
    config.checkpoint_file = folder_ / "job.chk.h5";
    return run_and_read(config);
  }

  test::TemporaryFolder folder_;
};

// The states of (1 pi_g)^2, in the order of Herzberg's Diatomic Molecules.
const std::string oxygen =
    "[molecule]\ngeometry = \"O 0 0 0; O 0 0 1.2\"\nbasis = \"sto-3g\"\nmultiplicity = 3\n"
    "[space]\nexcitation_level = \"full\"\nfrozen_core = 4\n[states]\nms2 = 0\n";

TEST_F(MoleculeTerms, OfOxygen) {
  EXPECT_THAT(run(oxygen + "count = 4\nirrep = \"all\"\n").column(&Root::term),
              ElementsAre("3Sigma_g-", "1Delta_g", "1Delta_g", "1Sigma_g+"));
  const std::string sectors = "irrep = [\"Ag\", \"B1g\"]\nmultiplicity = 1\n";
  const CiResult csf =
      run("[molecule]\ngeometry = \"O 0 0 0; O 0 0 1.2\"\nbasis = \"sto-3g\"\n"
          "multiplicity = 3\n[space]\nbasis = \"csf\"\nexcitation_level = \"full\"\n"
          "frozen_core = 4\n[states]\n" +
          sectors);
  EXPECT_THAT(csf.column(&Root::term), ElementsAre("1Delta_g", "1Delta_g"));
  EXPECT_NEAR(csf.root(0).energy, csf.root(1).energy, 1e-8);  // of orbitals to 1e-8
}

TEST_F(MoleculeTerms, OfCarbon) {
  const CiResult result =
      run("[molecule]\ngeometry = \"C 0 0 0\"\nbasis = \"6-31g\"\nmultiplicity = 3\n"
          "[space]\nexcitation_level = \"full\"\nfrozen_core = 1\n[states]\nms2 = 0\ncount = 9\nirrep = "
          "\"all\"\n");
  EXPECT_THAT(result.column(&Root::term), ElementsAre("3P", "3P", "3P", "1D", "1D", "1D", "1D", "1D", "1S"));
}

// The states are complete, but a frozen half of a pi shell makes two of one.
TEST_F(MoleculeTerms, OfComponentsThatAreApartHaveAWarning) {
  const CiResult result =
      run("[molecule]\ngeometry = \"N 0 0 0; N 0 0 1.1\"\nbasis = \"sto-3g\"\n"
          "[space]\nexcitation_level = \"full\"\nfrozen_core = [1, 2, 3, 4, 5]\n"
          "[states]\nirrep = [\"B2g\", \"B3g\"]\nmultiplicity = 3\n");
  ASSERT_GT(result.root(1).energy - result.root(0).energy, 1e-3);
  EXPECT_THAT(result.warnings,
              testing::Contains(AllOf(HasSubstr("are components of one 3Pi_g term"), HasSubstr("eV apart"))));
}

// Pi orbitals of NO's RHF state are not a pair: what was found is said, what was to be feared no longer.
TEST_F(MoleculeTerms, ThatComeOutApartAreWarnedOfOnce) {
  const CiResult result =
      run("[molecule]\ngeometry = \"N 0 0 0; O 0 0 1.15\"\nbasis = \"sto-3g\"\n"
          "[space]\nfrozen_core = \"auto\"\n[states]\nirrep = [\"B1\", \"B2\"]\n");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("are components of one 2Pi term")));
  EXPECT_THAT(result.warnings, testing::Not(testing::Contains(HasSubstr("components of degenerate states"))));
}

TEST_F(MoleculeTerms, AreNoneElsewhere) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"sto-3g\"\n");
  EXPECT_EQ(result.root(0).term, "");
  EXPECT_TRUE(std::isnan(result.root(0).angular_momentum));
}

}  // namespace test_terms
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// Inputs that were once answered by another calculation than the one meant, or slowly, and what is said of them now.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/result_file.hpp"

namespace cisolve::test {
namespace test_chemist_inputs {

using testing::HasSubstr;
using testing::Not;

class ChemistInputs : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  ProgramResult run(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CISOLVE_TEST_DATA "/chemist/" + name);
    for (const char* word : {"-o", "job.h5", "--device", "cpu"}) arguments.emplace_back(word);
    ProgramResult result = run_program(arguments, folder_.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }

  CiResult result() const { return read_result(folder_.path() / "job.h5", false); }

private:
  const ScratchFolder folder_;
};
using LargeChemistInputs = ChemistInputs;

TEST_F(ChemistInputs, ComponentsOfNitricOxideHaveReferencesAlike) {
  const ProgramResult report = run("no.inp", {});
  const CiResult no = result();
  ASSERT_EQ(no.roots.size(), 2U);
  EXPECT_NEAR(no.root(0).energy, -129.5645926, 1e-6);
  EXPECT_NEAR(no.root(1).energy, -129.5594721, 1e-6);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(no.root(k).term, "2Pi");
    EXPECT_GT(no.root(k).reference_weight, 0.89);
  }
  // ROHF orbitals of one component are not those of the other; that this is why they are apart is said, once.
  EXPECT_EQ(std::ranges::count_if(no.warnings,
                                  [](const std::string& w) { return w.find("apart") != std::string::npos; }),
            1);
}

TEST_F(ChemistInputs, TheActiveSpaceOfLithiumFluorideStaysTheSame) {
  const ProgramResult report =
      run("lif.inp", {"--set", "scan.values=[2.5, 3.0, 3.5]", "--set", "space.excitation_level=0"});
  EXPECT_THAT(report.out, HasSubstr("point 2: the CAS is followed from point 1: it has 2b1"));
}

TEST_F(LargeChemistInputs, AnActiveSpaceWithoutThePiStarOrbitalIsWarnedOf) {
  const auto lacks = HasSubstr("no determinant of the CAS in 1b3u 3b1u");
  EXPECT_THAT(run("eth_x.inp", {"--check"}).out, lacks);
  EXPECT_THAT(run("eth_x.inp", {"--check", "--set", "space.reference.orbitals=[\"1b3u\", \"1b2g\"]"}).out,
              Not(HasSubstr("no determinant of the CAS")));
}

TEST_F(LargeChemistInputs, BenzeneIsAThinSliceOfItsStrings) {
  run("benzene_cisd.inp", {});
  const CiResult benzene = result();
  EXPECT_EQ(benzene.sectors[0].space.dimension, 93628);
  EXPECT_EQ(benzene.sectors[0].hamiltonian.storage, "direct");
  // PySCF 2.14; the digits of its basis set change the SCF by 4e-8.
  EXPECT_NEAR(benzene.root(0).energy, -231.0895255, 2e-7);
}

}  // namespace test_chemist_inputs
}  // namespace cisolve::test

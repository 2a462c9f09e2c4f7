// SPDX-License-Identifier: MIT
#include "cisolve/molecule/scf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "cisolve/core/error.hpp"
#include "molecule/molecules.hpp"

namespace cisolve {
namespace {

using test::TestMolecule;
using testing::HasSubstr;

struct ScfCase {
  const char* name;
  const char* geometry;
  const char* basis;
  int charge, multiplicity;
  bool unrestricted;
  double energy;  ///< PySCF 2.14, with the basis of basis_set_exchange
  double s_squared;
  const char* group;
};

std::ostream& operator<<(std::ostream& out, const ScfCase& c) { return out << c.name; }

class ScfEnergies : public testing::TestWithParam<ScfCase> {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

TEST_P(ScfEnergies, AgreeWithPyscf) {
  const ScfCase& c = GetParam();
  const TestMolecule molecule(c.geometry, c.basis);
  EXPECT_EQ(molecule.frame.group.name(), c.group);
  ScfConfig config = molecule.electrons(c.charge, c.multiplicity);
  config.unrestricted = c.unrestricted;
  const ScfResult result = run_scf(molecule.view(), config, [](const ScfIteration& i) {
    if (std::getenv("SHOW"))
      std::printf("%3d %18.10f %10.2e %10.2e\n", i.number, i.energy, i.change, i.gradient);
  });
  for (const auto& w : result.warnings) std::printf("%s\n", w.c_str());
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(result.energy, c.energy, 1e-8);
  EXPECT_NEAR(result.s_squared, c.s_squared, 1e-6);
}

constexpr const char* benzene =
    "C 0 1.39 0; C 1.20377 0.695 0; C 1.20377 -0.695 0; C 0 -1.39 0; C -1.20377 -0.695 0; C -1.20377 0.695 0;"
    "H 0 2.47 0; H 2.13908 1.235 0; H 2.13908 -1.235 0; H 0 -2.47 0; H -2.13908 -1.235 0; H -2.13908 1.235 0";

INSTANTIATE_TEST_SUITE_P(
    Molecules, ScfEnergies,
    testing::Values(
        ScfCase{"h2", "H 0 0 -0.37; H 0 0 0.37", "sto-3g", 0, 1, false, -1.1167593073964255, 0, "D2h"},
        ScfCase{"water", test::water, "6-31g", 0, 1, false, -75.98397341684893, 0, "C2v"},
        ScfCase{"water", test::water, "6-31g*", 0, 1, false, -76.01050389386688, 0, "C2v"},
        ScfCase{"n2", "N 0 0 -0.54885; N 0 0 0.54885", "cc-pvdz", 0, 1, false, -108.9541280137445, 0, "D2h"},
        ScfCase{"o2", "O 0 0 -0.60375; O 0 0 0.60375", "sto-3g", 0, 3, false, -147.6321669906823, 2, "D2h"},
        ScfCase{"oh", "O 0 0 -0.48485; H 0 0 0.48485", "6-31g", 0, 2, false, -75.36184838040762, 0.75, "C2v"},
        ScfCase{"be", "Be 0 0 0", "6-31g", 0, 1, false, -14.566764033509642, 0, "D2h"},
        ScfCase{"beh2", "Be 0 0 0; H 0 1.2750 1.3750; H 0 -1.2750 1.3750", "6-31g", 0, 1, false,
                -15.599187939552312, 0, "C2v"},
        ScfCase{"ch2", "C 0 0 0; H 0 0.9915684 0.4216366; H 0 -0.9915684 0.4216366", "6-31g", 0, 3, false,
                -38.906864238552394, 2, "C2v"},
        ScfCase{"beh", "Be 0 0 -0.6713; H 0 0 0.6713", "6-31g", 0, 2, true, -15.142982202162061, 0.75, "C2v"},
        ScfCase{"benzene", benzene, "6-31g*", 0, 1, false, -230.7, 0, "D2h"}));

}  // namespace
}  // namespace cisolve

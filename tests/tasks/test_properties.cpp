// SPDX-License-Identifier: MIT
// Properties of roots against PySCF 2.14 (CISD and FCI density matrices) in the same geometry and basis.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/write_integrals.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace {

constexpr double tolerance = 1e-5;

class MoleculeProperties : public testing::Test {
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

double size_of(const double* vector) { return std::hypot(vector[0], vector[1], vector[2]); }

void expect_near(const std::vector<double>& found, std::size_t first, const std::vector<double>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found[first + k], expected[k], tolerance) << k;
}

/// A cation without symmetry but its plane, turned into its frame; two frozen orbitals.
TEST_F(MoleculeProperties, OfAnIonAgreeWithPyscf) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0.1 0.2 -0.4; H 0.3 0.5 0.48; F -0.8 0.2 0.9\"\ncharge = 2\nbasis = "
          "\"6-31g\"\n"
          "[space]\nfrozen_core = \"auto\"\n[states]\ncount = 5\nirrep = \"all\"\n");
  ASSERT_TRUE(result.properties.has_value());
  const CiResult::Properties& p = *result.properties;
  ASSERT_NEAR(result.states.energy[0], -173.36172936, 1e-7);
  ASSERT_NEAR(result.states.energy[4], -173.22641134, 1e-7);
  const double dipole = std::hypot(0.92692398, 0.11648708), transition = std::hypot(0.20727981, 0.36028900);
  EXPECT_NEAR(size_of(p.dipole.data()), dipole, tolerance);
  EXPECT_NEAR(size_of(p.transition_dipole.data() + 3 * 4), transition, tolerance);
  const double gap = result.states.energy[4] - result.states.energy[0];
  EXPECT_NEAR(p.oscillator_strength[4], 2.0 / 3.0 * gap * transition * transition, tolerance);
  EXPECT_NEAR(p.oscillator_strength[4 * 5], -p.oscillator_strength[4], 1e-15);
  EXPECT_NEAR(p.oscillator_strength[1], 0.0, 1e-12);  // to a triplet
  expect_near(
      p.natural_occupations, 0,
      {1.9946439, 1.99173743, 1.98591552, 1.98201236, 1.84669044, 1.83078331, 0.17720189, 0.15449703});
  expect_near(p.mulliken_charges, 0, {0.80638117, 0.62815835, 0.56546047});
}

TEST_F(MoleculeProperties, OfARadicalAgreeWithPyscf) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0 0 -0.48485; H 0 0 0.48485\"\nbasis = \"sto-3g\"\ndoubly_occupied = "
          "[3, 0, 1]\n"
          "singly_occupied = [0, 1]\n[space]\nexcitation_level = \"full\"\n");
  ASSERT_NEAR(result.states.energy[0], -74.3871341545, 1e-7);
  expect_near(result.properties->dipole, 0, {0.0, 0.0, 0.46145683});
  expect_near(result.properties->natural_occupations, 0,
              {1.99999943, 1.99930263, 1.99867836, 1.97212183, 1.0, 0.02989775});
  expect_near(result.properties->mulliken_charges, 0, {-0.14808896, 0.14808896});
}

const std::string water =
    "[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"sto-3g\"\n"
    "[solver]\ntolerance = 1e-8\n";

/// The same states, whatever they are expanded in.
TEST_F(MoleculeProperties, OverCsfsAreThoseOverDeterminants) {
  for (const std::string multiplicity : {"1", "3"}) {
    SCOPED_TRACE("multiplicity " + multiplicity);
    const std::string states = water + "[states]\ncount = 3\nirrep = \"A1\"\nmultiplicity = " + multiplicity +
                               "\n[space]\nexcitation_level = \"full\"\n";
    const CiResult expected = run(states);
    const CiResult found = run(states + "basis = \"csf\"\n");
    ASSERT_EQ(found.space.basis, "csf");
    ASSERT_LT(found.space.dimension, expected.space.dimension);
    ASSERT_TRUE(found.properties.has_value());
    ASSERT_EQ(found.properties->dipole.size(), 9u);
    expect_near(found.states.energy, 0, expected.states.energy);
    expect_near(found.properties->dipole, 0, expected.properties->dipole);
    expect_near(found.properties->oscillator_strength, 0, expected.properties->oscillator_strength);
    expect_near(found.properties->natural_occupations, 0, expected.properties->natural_occupations);
    expect_near(found.properties->mulliken_charges, 0, expected.properties->mulliken_charges);
  }
}

/// Each root keeps what a run of its sector alone gives; nothing is said of transitions between sectors.
TEST_F(MoleculeProperties, OfSeveralSectorsAreThoseOfEach) {
  const auto states = [](const std::string& irrep, const std::string& multiplicity) {
    return water + "[states]\ncount = 2\nirrep = " + irrep + "\nmultiplicity = " + multiplicity + "\n";
  };
  const CiResult all = run(states("[\"A1\", \"B1\"]", "[1, 3]"));
  ASSERT_EQ(all.sectors.size(), 4u);
  ASSERT_TRUE(all.properties.has_value());
  const std::size_t n = all.states.energy.size();
  ASSERT_EQ(n, 8u);
  for (int s = 1; s <= 4; ++s) {
    SCOPED_TRACE("sector " + std::to_string(s));
    const CiResult one = run(states(s <= 2 ? "\"A1\"" : "\"B1\"", s % 2 == 1 ? "1" : "3"));
    std::vector<std::size_t> at;  // the roots of the sector among all
    for (std::size_t i = 0; i < n; ++i) {
      if (all.states.sector[i] == s) at.push_back(i);
    }
    ASSERT_EQ(at.size(), one.states.energy.size());
    for (std::size_t k = 0; k < at.size(); ++k) {
      EXPECT_NEAR(all.states.energy[at[k]], one.states.energy[k], 1e-9);
      for (std::size_t x = 0; x < 3; ++x) {
        EXPECT_NEAR(all.properties->dipole[3 * at[k] + x], one.properties->dipole[3 * k + x], tolerance);
      }
      for (std::size_t l = 0; l < at.size(); ++l) {
        EXPECT_NEAR(all.properties->oscillator_strength[at[k] * n + at[l]],
                    one.properties->oscillator_strength[k * at.size() + l], tolerance);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      const bool same = all.states.sector[i] == s;
      EXPECT_EQ(std::isnan(all.properties->oscillator_strength[at[0] * n + i]), !same);
      EXPECT_EQ(std::isnan(all.properties->transition_dipole[3 * (at[0] * n + i)]), !same);
    }
  }
}

/// The spin asked for: states.multiplicity, else the molecule's.
TEST_F(MoleculeProperties, StatesHaveTheSpinOfTheMoleculeUnlessAskedOtherwise) {
  const std::string oxygen =
      "[molecule]\ngeometry = \"O 0 0 0; O 0 0 1.2\"\nbasis = \"sto-3g\"\nmultiplicity = 3\n"
      "[space]\nbasis = \"csf\"\n";
  const CiResult triplet = run(oxygen);
  EXPECT_NEAR(triplet.states.s_squared[0], 2.0, 1e-8);
  EXPECT_NEAR(run(oxygen + "[states]\nmultiplicity = 1\n").states.s_squared[0], 0.0, 1e-8);
  EXPECT_EQ(triplet.molecule->multiplicity, 3);
}

TEST_F(MoleculeProperties, CanBeLeftOut) {
  EXPECT_FALSE(run("[molecule]\ngeometry = \"H 0 0 0; H 0 0 0.74\"\nbasis = \"sto-3g\"\n[output]\nproperties "
                   "= false\n")
                   .properties.has_value());
}

/// An optional test: PySCF reads the FCIDUMP that we write and finds our CISD energy.
TEST_F(MoleculeProperties, PyscfFindsTheSameEnergyFromTheWrittenFcidump) {
  const char* named = std::getenv("CISOLVE_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (std::system((python + " -c 'import pyscf' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no Python with PySCF; CISOLVE_TEST_PYTHON names one";
  }
  const std::string input =
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"6-31g\"\n"
      "[space]\nfrozen_core = \"auto\"\n[solver]\ntolerance = 1e-8\n";
  const CiResult result = run(input);
  CiConfig config = read_ci_config(parse_input(input, "job.inp"));
  std::ostringstream report;
  write_integrals(config, folder_ / "h2o.fcidump", {}, report);
  std::ofstream(folder_ / "check.py") << R"(import sys
from pyscf import ci
from pyscf.tools import fcidump
mf = fcidump.to_scf(sys.argv[1], molpro_orbsym=True, verbose=0)
mf.conv_tol = 1e-12
mf.kernel()
cisd = ci.CISD(mf)
cisd.conv_tol = 1e-12
cisd.kernel()
assert abs(cisd.e_tot - float(sys.argv[2])) < 1e-8, (cisd.e_tot, sys.argv[2])
)";
  char energy[40];
  std::snprintf(energy, sizeof energy, "%.12f", result.states.energy[0]);
  const std::string command = "OMP_NUM_THREADS=1 " + python + " " + (folder_ / "check.py").string() + " " +
                              (folder_ / "h2o.fcidump").string() + " " + energy;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace cisolve

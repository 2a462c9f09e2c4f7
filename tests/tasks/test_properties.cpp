// SPDX-License-Identifier: MIT
// Properties of roots against PySCF 2.14 (CISD and FCI density matrices) in the same geometry and basis.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_properties {

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

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], tolerance) << k;
}

/// The energy of a full CI changes with a field as its dipole says (Hellmann and Feynman).
TEST_F(MoleculeProperties, DipoleIsTheDerivativeByAField) {
  constexpr double step = 4e-4;  // to the fourth power it is below the tolerance
  const auto at = [&](double field) {
    return run("[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"sto-3g\"\nsymmetry = "
               "\"C2v\"\nfield = [0, 0, " +
               std::to_string(field) +
               "]\n[space]\nexcitation_level = \"full\"\n[solver]\ntolerance = 1e-9\n")
        .root(0);
  };
  const double dipole = at(0.0).dipole.at(2);
  ASSERT_GT(std::abs(dipole), 1.0);
  const auto slope = [&](double h) { return (at(h).energy - at(-h).energy) / (2.0 * h); };
  EXPECT_NEAR((4.0 * slope(step) - slope(2.0 * step)) / 3.0, -dipole, 2e-7);
}

class LargeMoleculeProperties : public MoleculeProperties {};

/// Full CI with a frozen core among point charges: pyscf.qmmm.
TEST_F(LargeMoleculeProperties, EnergiesAmongPointChargesAgreeWithPyscf) {
  const CiResult result = run(
      "[molecule]\ngeometry = \"O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692\"\nbasis = \"6-31G\"\n"
      "charges = [[0, 0, 3.0, 0.4], [1.5, 2.5, -1.0, -0.3]]\n[space]\nexcitation_level = \"full\"\n"
      "frozen_core = 1\n[states]\ncount = 2\nmultiplicity = 1\n");
  EXPECT_NEAR(result.root(0).energy, -76.13768433601933, 1e-7);
  EXPECT_NEAR(result.root(1).energy, -75.81128310527508, 1e-7);
}

/// A cation without symmetry but its plane, turned into its frame; two frozen orbitals.
TEST_F(MoleculeProperties, OfAnIonAgreeWithPyscf) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0.1 0.2 -0.4; H 0.3 0.5 0.48; F -0.8 0.2 0.9\"\ncharge = 2\nbasis = "
          "\"6-31g\"\n"
          "[space]\nfrozen_core = \"auto\"\n[states]\ncount = 5\nirrep = \"all\"\n");
  const Root &p = result.root(0), &last = result.root(4);
  ASSERT_NEAR(p.energy, -173.36172936, 1e-7);
  ASSERT_NEAR(last.energy, -173.22641134, 1e-7);
  const double dipole = std::hypot(0.92692398, 0.11648708), transition = std::hypot(0.20727981, 0.36028900);
  EXPECT_NEAR(size_of(p.dipole.data()), dipole, tolerance);
  EXPECT_NEAR(size_of(p.transition_dipole.data() + 3 * 4), transition, tolerance);
  const double gap = last.energy - p.energy;
  EXPECT_NEAR(p.oscillator_strength[4], 2.0 / 3.0 * gap * transition * transition, tolerance);
  EXPECT_NEAR(last.oscillator_strength[0], -p.oscillator_strength[4], 1e-15);
  EXPECT_NEAR(p.oscillator_strength[1], 0.0, 1e-12);  // to a triplet
  expect_near(p.natural_occupations, {1.9946439, 1.99173743, 1.98591552, 1.98201236, 1.84669044, 1.83078331,
                                      0.17720189, 0.15449703});
  expect_near(p.mulliken_charges, {0.80638117, 0.62815835, 0.56546047});
}

TEST_F(MoleculeProperties, OfARadicalAgreeWithPyscf) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0 0 -0.48485; H 0 0 0.48485\"\nbasis = \"sto-3g\"\ndoubly_occupied = "
          "[3, 0, 1]\n"
          "singly_occupied = [0, 1]\n[space]\nexcitation_level = \"full\"\n");
  ASSERT_NEAR(result.root(0).energy, -74.3871341545, 1e-7);
  expect_near(result.root(0).dipole, {0.0, 0.0, 0.46145683});
  expect_near(result.root(0).natural_occupations,
              {1.99999943, 1.99930263, 1.99867836, 1.97212183, 1.0, 0.02989775});
  expect_near(result.root(0).mulliken_charges, {-0.14808896, 0.14808896});
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
    ASSERT_EQ(found.sectors[0].space.basis, "csf");
    ASSERT_LT(found.sectors[0].space.dimension, expected.sectors[0].space.dimension);
    ASSERT_EQ(found.roots.size(), 3u);
    expect_near(found.column(&Root::energy), expected.column(&Root::energy));
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_EQ(found.root(k).dipole.size(), 3u);
      ASSERT_EQ(found.root(k).oscillator_strength.size(), 3u);
      for (auto member :
           {&Root::dipole, &Root::oscillator_strength, &Root::natural_occupations, &Root::mulliken_charges}) {
        expect_near(found.root(k).*member, expected.root(k).*member);
      }
    }
  }
}

/// Each root keeps what a run of its sector alone gives.
TEST_F(MoleculeProperties, OfSeveralSectorsAreThoseOfEach) {
  const auto states = [](const std::string& irrep, const std::string& multiplicity) {
    return water + "[states]\ncount = 2\nirrep = " + irrep + "\nmultiplicity = " + multiplicity + "\n";
  };
  const CiResult all = run(states("[\"A1\", \"B1\"]", "[1, 3]"));
  ASSERT_EQ(all.sectors.size(), 4u);
  const std::size_t n = all.roots.size();
  ASSERT_EQ(n, 8u);
  for (std::size_t s = 0; s < 4; ++s) {
    SCOPED_TRACE("sector " + std::to_string(s + 1));
    const CiResult one = run(states(s <= 1 ? "\"A1\"" : "\"B1\"", s % 2 == 0 ? "1" : "3"));
    std::vector<std::size_t> at;  // the roots of the sector among all
    for (std::size_t i = 0; i < n; ++i) {
      if (all.roots[i].sector == s) at.push_back(i);
    }
    ASSERT_EQ(at.size(), one.roots.size());
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Root& root = all.root(at[k]);
      EXPECT_NEAR(root.energy, one.root(k).energy, 1e-9);
      expect_near(root.dipole, one.root(k).dipole);
      expect_near(root.quadrupole, one.root(k).quadrupole);
      ASSERT_EQ(root.oscillator_strength.size(), n);
      for (std::size_t l = 0; l < at.size(); ++l)
        EXPECT_NEAR(root.oscillator_strength[at[l]], one.root(k).oscillator_strength[l], tolerance);
    }
  }
}

struct Transition {
  std::size_t from, to, axis;
  double size, strength;
};

/// CASCI(8,8) of water: PySCF 2.14, fci.direct_spin1_symm with fix_spin_, trans_rdm1, int1e_r and int1e_rr about the
/// centre of nuclear charge.
TEST_F(MoleculeProperties, BetweenIrrepsAgreeWithPyscf) {
  const CiResult result =
      run("[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"6-31g\"\n"
          "[space]\nfrozen_core = 1\nfrozen_virtual = 4\nexcitation_level = \"full\"\n[solver]\ntolerance = "
          "1e-8\n"
          "[states]\ncount = 2\nirrep = [\"A1\", \"B1\", \"B2\"]\nmultiplicity = [1, 3]\n");
  ASSERT_EQ(result.roots.size(), 12u);
  const double energies[] = {-76.0247237400, -75.7142192708, -75.6934082244, -75.6508767901,
                             -75.6160852737, -75.5724041024, -75.5287475050};
  for (std::size_t k = 0; k < std::size(energies); ++k) EXPECT_NEAR(result.root(k).energy, energies[k], 1e-7);
  const Transition transitions[] = {{1, 3, 0, 0.26446335, 0.01544833},
                                    {1, 5, 2, 0.6319484, 0.10879557},
                                    {1, 7, 1, 0.67237526, 0.14948343},
                                    {2, 4, 0, 0.16992679, 0.00121935},
                                    {3, 5, 0, 0.1551719, 0.0012412},
                                    {4, 6, 1, 1.7142393, 0.15373408},
                                    {5, 7, 1, 1.734259, 0.17512121},
                                    {2, 6, 0, 0.0, 0.0},
                                    {3, 7, 0, 0.0, 0.0}};
  for (const auto& [from, to, axis, size, strength] : transitions) {
    SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
    const Root &lower = result.root(from - 1), &upper = result.root(to - 1);
    for (std::size_t x = 0; x < 3; ++x) {
      EXPECT_NEAR(std::abs(lower.transition_dipole[3 * (to - 1) + x]), x == axis ? size : 0.0, tolerance);
      EXPECT_EQ(lower.transition_dipole[3 * (to - 1) + x], upper.transition_dipole[3 * (from - 1) + x]);
    }
    EXPECT_NEAR(lower.oscillator_strength[to - 1], strength, tolerance);
    EXPECT_EQ(upper.oscillator_strength[from - 1], -lower.oscillator_strength[to - 1]);
  }
  for (std::size_t i = 0; i < result.roots.size(); ++i) {
    for (std::size_t j = 0; j < result.roots.size(); ++j) {
      EXPECT_TRUE(std::isfinite(result.root(i).oscillator_strength[j]));
      if (std::abs(result.root(i).s_squared - result.root(j).s_squared) < 1.0) continue;
      EXPECT_EQ(result.root(i).oscillator_strength[j], 0.0);
      for (std::size_t x = 0; x < 3; ++x) EXPECT_EQ(result.root(i).transition_dipole[3 * j + x], 0.0);
    }
  }
  expect_near(result.root(0).quadrupole, {-5.41553176, 0.0, 0.0, -3.332679, 0.0, -4.67358291});
  expect_near(result.root(1).quadrupole, {-5.58252771, 0.0, 0.0, -7.09120382, 0.0, -7.32736859});
  expect_near(result.root(0).spin_populations, {0.0, 0.0, 0.0});
  expect_near(result.root(1).spin_populations, {0.79546877, 0.60226562, 0.60226562});
  expect_near({result.root(0).unpaired_electrons, result.root(0).odd_electrons}, {0.07447856, 0.14807658});
  expect_near({result.root(1).unpaired_electrons, result.root(1).odd_electrons}, {2.03116195, 2.06779141});
}

/// Over the basis functions: N^T n N is the density of the active electrons, C^T D C, whichever orbitals are frozen.
TEST_F(MoleculeProperties, NaturalOrbitalsOverFunctionsMakeTheDensity) {
  const CiResult result = run(water +
                              "[space]\nfrozen_core = 1\nfrozen_virtual = 1\n[states]\ncount = 2\n[output]\n"
                              "density = \"one\"\nnatural_orbitals = 2\n");
  ASSERT_EQ(result.natural_orbitals.size(), 1u);
  const CiResult::NaturalOrbitals& natural = result.natural_orbitals[0];
  const std::size_t n = natural.occupations.size();
  const std::size_t functions = static_cast<std::size_t>(result.molecule->num_functions);
  ASSERT_EQ(n, 5u);
  ASSERT_EQ(natural.coefficients.size(), n * functions);
  const double* one = result.density->one.data() + 2 * n * n;  // of root 2
  const auto coefficient = [&](std::size_t p, std::size_t m) {
    const auto orbital = static_cast<std::size_t>(result.system.active_orbitals[p] - 1);
    return result.molecule->coefficients[orbital * functions + m];
  };
  for (std::size_t m = 0; m < functions; ++m) {
    for (std::size_t l = 0; l < functions; ++l) {
      double found = 0.0, expected = 0.0;
      for (std::size_t p = 0; p < n; ++p) {
        found += natural.coefficients[p * functions + m] * natural.occupations[p] *
                 natural.coefficients[p * functions + l];
        for (std::size_t q = 0; q < n; ++q)
          expected += coefficient(p, m) * (one[n * p + q] + one[n * n + n * p + q]) * coefficient(q, l);
      }
      EXPECT_NEAR(found, expected, 1e-10);
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    const auto row = std::span(natural.coefficients).subspan(p * functions, functions);
    EXPECT_GT(*std::ranges::max_element(row), -*std::ranges::min_element(row) * (1.0 - 1e-5));
  }
}

/// The spin asked for: states.multiplicity, else the molecule's.
TEST_F(MoleculeProperties, StatesHaveTheSpinOfTheMoleculeUnlessAskedOtherwise) {
  const std::string oxygen =
      "[molecule]\ngeometry = \"O 0 0 0; O 0 0 1.2\"\nbasis = \"sto-3g\"\nmultiplicity = 3\n"
      "[space]\nbasis = \"csf\"\n";
  const CiResult triplet = run(oxygen);
  EXPECT_NEAR(triplet.root(0).s_squared, 2.0, 1e-8);
  EXPECT_NEAR(run(oxygen + "[states]\nmultiplicity = 1\n").root(0).s_squared, 0.0, 1e-8);
  EXPECT_EQ(triplet.molecule->multiplicity, 3);
}

TEST_F(MoleculeProperties, CanBeLeftOut) {
  EXPECT_TRUE(run("[molecule]\ngeometry = \"H 0 0 0; H 0 0 0.74\"\nbasis = \"sto-3g\"\n[output]\nproperties "
                  "= false\n")
                  .root(0)
                  .dipole.empty());
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
  std::snprintf(energy, sizeof energy, "%.12f", result.root(0).energy);
  const std::string command = "OMP_NUM_THREADS=1 " + python + " " + (folder_ / "check.py").string() + " " +
                              (folder_ / "h2o.fcidump").string() + " " + energy;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace test_properties
}  // namespace cisolve

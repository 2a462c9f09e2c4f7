// SPDX-License-Identifier: MIT
// At level 0 orbitals that no determinant occupies are left out, before their integrals are made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_left_out {

using testing::HasSubstr;

class LeftOutRecords : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  CiConfig config(const std::string& text) const {
    CiConfig c = read_ci_config(parse_input(text, "job.inp"));
    c.device = DeviceChoice::cpu;
    c.output_file = folder_ / "job.h5";
    c.checkpoint_file = folder_ / "job.chk.h5";
    return c;
  }

  CiResult run(const std::string& text) {
    const CiConfig c = config(text);
    report_.str("");
    EXPECT_EQ(run_ci(c, {}, {}, report_), RunOutcome::converged) << report_.str();
    return read_result(c.output_file, true);
  }

  test::TemporaryFolder folder_;
  std::ostringstream report_;
};

// PySCF 2.14, scf.RHF and mcscf.CASCI(4, 4), of orbitals 4, 5, 6 and another where they are given (sort_mo); aug-cc-pVTZ of
// basis_set_exchange 0.12, 92 functions. It converts angstrom by CODATA 2010: up to 3e-11 of the repulsion of the nuclei.
constexpr double energy_tolerance = 1e-8;
const std::string water =
    "[molecule]\ngeometry = \"O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692\"\nbasis = "
    "\"aug-cc-pVTZ\"\n"
    "[solver]\ntolerance = 1e-8\n[space]\n";
constexpr int all = 92;

/// References that are searched for, an active space, and one whose orbital is far up: what is left out changes no energy.
TEST_F(LeftOutRecords, ChangesNoEnergy) {
  struct Case {
    std::string space;
    int kept;
    double energy;
  };
  const std::string level = "excitation_level = 0\n";
  for (const Case& one :
       {Case{"", 64, -76.0605728783}, Case{"reference = [\"22222\"]\n", 64, -76.0605728783},
        Case{"reference = { electrons = 4, orbitals = 4 }\n", 64, -76.0605789128},
        Case{"reference = { electrons = 4, orbitals = [4, 5, 6, 60] }\n", 64, -76.0606294675},
        Case{"reference = { electrons = 4, orbitals = [4, 5, 6, 80] }\n", 80, -76.0607755790},
        Case{"reference = { electrons = 4, orbitals = [3, 4, 5, 79] }\nfrozen_core = 1\n", 79,
             -76.0607755790}}) {
    const CiResult result = run(water + level + one.space);
    const auto core = static_cast<int>(result.system.core_orbitals.size());
    EXPECT_EQ(result.system.n_orbitals, one.kept) << one.space;
    EXPECT_EQ(result.system.n_frozen_virtual, all - core - one.kept) << one.space;
    EXPECT_EQ(std::ssize(result.system.left_out_orbitals), all - core - one.kept) << one.space;
    EXPECT_NEAR(result.root(0).energy, one.energy, energy_tolerance) << one.space;
    EXPECT_THAT(report_.str(), HasSubstr(fmt::format("0 virtual; {} left out", all - core - one.kept)));
  }
}

TEST_F(LeftOutRecords, IsNothingWhereOrbitalsCanBeOccupied) {
  const std::string molecule = water.substr(0, water.find("[solver]")) + "[space]\n";
  const auto orbitals = [&](const std::string& space) {
    return prepare_job(config(molecule + space)).num_orbitals();
  };
  EXPECT_EQ(orbitals("excitation_level = 1\n"), all);
  EXPECT_EQ(orbitals("excitation_level = 0\nreference = [\"22222" + std::string(all - 5, '0') + "\"]\n"), all)
      << "each orbital is named";
  EXPECT_EQ(orbitals("excitation_level = 0\nfrozen_virtual = 30\n"), all - 30) << "fewer than 64";
  EXPECT_EQ(orbitals("excitation_level = 0\nfrozen_virtual = 10\n"), 64);
}

/// Who wants the integrals gets them.
TEST_F(LeftOutRecords, IsWrittenNevertheless) {
  CiConfig c = config(water + "excitation_level = 0\nfrozen_virtual = 20\n");
  write_integrals(c, folder_ / "water.fcidump", {}, report_);
  EXPECT_EQ(read_fcidump(folder_ / "water.fcidump").integrals.num_orbitals, all - 20);
}

/// References and a guess from such a result, for a space over more orbitals.
TEST_F(LeftOutRecords, ResultsAreReadWhereAllOrbitalsAre) {
  for (const std::string basis : {"determinant", "csf"}) {
    const std::string function = "basis = \"" + basis + "\"\n";
    const CiResult cas =
        run(water + function + "excitation_level = 0\nreference = { electrons = 2, orbitals = 2 }\n");
    std::filesystem::rename(folder_ / "job.h5", folder_ / "cas.h5");
    const std::string file = "{ file = \"" + (folder_ / "cas.h5").string() + "\", weight = 0.9 }\n";
    const CiResult singles =
        run(water + function + "excitation_level = 1\nfrozen_virtual = 10\nreference = " + file);
    EXPECT_EQ(singles.system.n_orbitals, all - 10);
    EXPECT_NEAR(singles.root(0).energy, -76.0605728783, energy_tolerance) << "Brillouin";
    EXPECT_LT(cas.root(0).energy, singles.root(0).energy);
  }
}

}  // namespace test_left_out
}  // namespace cisolve

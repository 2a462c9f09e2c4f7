// SPDX-License-Identifier: MIT
// CI over complex integrals, of spatial orbitals and of spinors: tests/data/complex/energies.json.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "cisolve/tasks/export/exports.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_complex {

using testing::AllOf;
using testing::HasSubstr;

// The solver's 1e-7 makes energies right to its square over gaps; those of Kramers pairs in the files differ by 1e-11.
constexpr double energy_tolerance = 1e-9;

struct Case {
  std::string name, notation, storage;
  DeviceChoice device = DeviceChoice::cpu;
};

CiConfig config_of(const std::string& name, const std::string& notation,
                   const std::filesystem::path& folder) {
  CiConfig c;
  c.integrals_file =
      std::filesystem::path(CISOLVE_TEST_DATA) / "complex" / (name + "." + notation + ".fcidump.gz");
  c.tolerance = 1e-7;
  c.device = DeviceChoice::cpu;
  c.output_file = folder / "complex.h5";
  c.checkpoint_file = folder / "complex.chk.h5";
  return c;
}

CiResult run(const CiConfig& config) {
  std::ostringstream report;
  run_ci(config, {}, {}, report);
  return read_result(config.output_file, true);
}

/// Normalised, orthogonal, and the largest coefficient real and positive.
void expect_vectors(const CiResult& result) {
  const CiResult::Sector& sector = result.sectors[0];
  ASSERT_TRUE(sector.vectors != nullptr);
  ASSERT_EQ(sector.vectors->rows(), 2 * sector.space.dimension);
  const std::size_t n = sector.space.dimension;
  std::vector<std::vector<double>> vectors(sector.roots.size(), std::vector<double>(2 * n));
  for (std::size_t k = 0; k < vectors.size(); ++k) sector.vectors->read(static_cast<int>(k), 0, vectors[k]);
  const auto at = [&](std::size_t k, std::size_t i) {
    return std::complex<double>(vectors[k][2 * i], vectors[k][2 * i + 1]);
  };
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      std::complex<double> overlap = 0.0;
      for (std::size_t i = 0; i < n; ++i) overlap += std::conj(at(l, i)) * at(k, i);
      EXPECT_NEAR(std::abs(overlap - (k == l ? 1.0 : 0.0)), 0.0, 1e-7) << k << ' ' << l;
    }
    std::size_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::abs(at(k, i)) > std::abs(at(k, largest)) * (1.0 + 1e-6)) largest = i;
    }
    EXPECT_GT(at(k, largest).real(), 0.0);
    EXPECT_NEAR(at(k, largest).imag(), 0.0, 1e-5);
  }
}

void expect_case(const Case& given) {
  const test::TemporaryFolder folder;
  const nlohmann::json energies = read_json("complex/energies.json");
  const auto& cases = energies["cases"];
  const auto& one = *std::ranges::find_if(cases, [&](const auto& c) { return c["name"] == given.name; });
  const bool spinors = one["orbitals"].get<std::string>().starts_with("spinors");
  CiConfig config = config_of(given.name, given.notation, folder.path());
  config.storage = given.storage;
  config.device = given.device;
  config.max_iterations = 200;  // orbitals turned at random make a poor diagonal
  for (const std::string kind : {"fci", "cisd"}) {
    if (!one.contains(kind)) continue;
    SCOPED_TRACE(kind);
    config.excitation_level = kind == "fci" ? full_excitation : 2;
    config.count = static_cast<int>(one[kind]["energies"].size());
    const CiResult result = run(config);
    EXPECT_EQ(result.sectors[0].space.dimension, one[kind]["dimension"]);
    EXPECT_EQ(result.system.orbitals, spinors ? "spinors" : "restricted");
    ASSERT_GE(std::ssize(result.roots), config.count);
    for (int k = 0; k < config.count; ++k) {
      EXPECT_NEAR(result.root(k).energy, one[kind]["energies"][k], energy_tolerance) << "root " << k + 1;
      if (spinors) {
        EXPECT_TRUE(std::isnan(result.root(k).s_squared));
      } else {
        const double nearest = std::round(0.5 * (std::sqrt(1.0 + 4.0 * result.root(k).s_squared) - 1.0));
        EXPECT_NEAR(result.root(k).s_squared, nearest * (nearest + 1.0), 1e-6) << "H has no spin in it";
      }
    }
    expect_vectors(result);
  }
}

std::vector<Case> all_cases(DeviceChoice device) {
  std::vector<Case> cases;
  for (const std::string name : {"h2o_rotated", "h2o_field", "sh_x2c", "h2s_x2c"}) {
    cases.push_back({name, "columns", "csr", device});
    cases.push_back({name, "parentheses", "hybrid", device});
  }
  cases.push_back({"sh_x2c", "columns", "coded", device});
  return cases;
}

const auto name_of = [](const auto& param) { return param.param.name + "_" + param.param.storage; };

class ComplexCi : public testing::TestWithParam<Case> {};
TEST_P(ComplexCi, EnergiesAreThoseOfBruteForce) { expect_case(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Records, ComplexCi, testing::ValuesIn(all_cases(DeviceChoice::cpu)), name_of);

class GpuComplexCi : public testing::TestWithParam<Case> {};
TEST_P(GpuComplexCi, EnergiesAreThoseOfBruteForce) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  expect_case(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Records, GpuComplexCi, testing::ValuesIn(all_cases(DeviceChoice::cuda)), name_of);

class ComplexJobs : public testing::Test {
protected:
  CiConfig config(const std::string& name) const { return config_of(name, "columns", folder_.path()); }

  std::string refusal(const CiConfig& config) const {
    try {
      run(config);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  test::TemporaryFolder folder_;
};

TEST_F(ComplexJobs, AKilledSearchGoesOn) {
  CiConfig c = config("sh_x2c");
  c.excitation_level = full_excitation;
  c.count = 4;
  const CiResult whole = run(c);
  const auto iterations = std::ssize(whole.sectors[0].solver.history);
  ASSERT_GT(iterations, 3);
  c.max_iterations = 3;
  std::ostringstream report;
  run_ci(c, {}, {}, report);
  c.max_iterations = 100;
  run_ci(c, {.restart = true}, {}, report);
  const CiResult after = read_result(c.output_file, true);
  EXPECT_LE(std::ssize(after.sectors[0].solver.history), iterations + 2);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(after.root(k).energy, whole.root(k).energy, energy_tolerance);
}

/// Two spinors that are always occupied, by hand: the energies of determinants with them in are the same.
TEST_F(ComplexJobs, FrozenSpinorsAreFoldedIn) {
  CiConfig c = config("h2s_x2c");
  c.excitation_level = 0;
  const CiResult all = run(c);
  c.frozen_core = 2;
  const CiResult frozen = run(c);
  EXPECT_EQ(frozen.system.n_electrons, 6);
  EXPECT_EQ(frozen.system.n_orbitals, 10);
  EXPECT_NEAR(frozen.root(0).energy, all.root(0).energy, 1e-10);
  c.excitation_level = 2;
  CiConfig limited = config("h2s_x2c");
  limited.excitation_level = 2;
  limited.max_holes = OccupationLimit{{1, 2}, 0};
  EXPECT_NEAR(run(c).root(0).energy, run(limited).root(0).energy, energy_tolerance);
}

/// Full spinors below a CAS hold one electron each; single excitations from all of it, frozen ones aside, are full CI.
TEST_F(ComplexJobs, ACasOfSpinors) {
  CiConfig c = config("h2s_x2c");
  c.excitation_level = 0;
  CasReference cas;
  cas.electrons = 4;
  cas.num_orbitals = 8;
  c.reference = cas;
  const CiResult complete = run(c);
  EXPECT_EQ(complete.sectors[0].space.dimension, 70);
  c.reference = {};
  c.excitation_level = full_excitation;
  c.frozen_core = 4;
  const CiResult frozen = run(c);
  EXPECT_EQ(frozen.sectors[0].space.dimension, 70);
  EXPECT_NEAR(complete.root(0).energy, frozen.root(0).energy, 1e-10);
  cas.electrons = 3;
  cas.num_orbitals = 6;
  c.reference = cas;
  c.frozen_core = 0;
  c.excitation_level = 1;
  EXPECT_EQ(run(c).sectors[0].space.dimension, 210);
}

TEST_F(ComplexJobs, FilesSayThatVectorsAreComplex) {
  const CiConfig c = config("sh_x2c");
  run(c);
  const Hdf5File file = Hdf5File::open(c.output_file);
  const Hdf5Group states = file.root().open_group("states");
  EXPECT_EQ(states.read_attribute<std::int32_t>("complex"), 1);
  EXPECT_EQ(states.open_dataset<double>("vector").read_attribute<std::int32_t>("complex"), 1);
}

/// Vectors of a point don't go on to the next one.
TEST_F(ComplexJobs, PointsOfAScanBeginAnew) {
  const auto file = CISOLVE_TEST_DATA + std::string("/complex/h2o_field.columns.fcidump.gz");
  const auto input = folder_.path() / "job.inp";
  const ScanConfig scan = read_scan_config(parse_input(
      fmt::format(
          "[integrals]\n[space]\nexcitation_level = 2\n[scan]\nfiles = [\"{0}\", \"{0}\"]\n[output]\nfile = "
          "\"{1}/job.h5\"\ncheckpoint = \"{1}/job.chk.h5\"\n",
          file, folder_.path().string()),
      input.string()));
  std::ostringstream report;
  EXPECT_EQ(run_scan(scan, {}, {}, report), RunOutcome::converged);
  const ScanResult result = read_scan(folder_.path() / "job.h5");
  ASSERT_EQ(result.points.size(), 2);
  const CiResult first = read_scan_point(folder_.path() / "job.h5", 1, false);
  const CiResult second = read_scan_point(folder_.path() / "job.h5", 2, false);
  EXPECT_NEAR(second.root(0).energy, first.root(0).energy, 1e-12);
}

TEST_F(ComplexJobs, NothingIsWrittenForOtherPrograms) {
  const auto sentence_of = [](const auto& task) -> std::string {
    try {
      task();
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing refused";
  };
  for (const std::string name : {"h2o_field", "sh_x2c"}) {
    const CiConfig c = config(name);
    run(c);
    std::ostringstream report;
    for (const std::string ending : {"txt", "fcidump", "trexio"}) {
      const auto file = c.output_file.parent_path() / ("x." + ending);
      EXPECT_THAT(sentence_of([&] { export_result(c.output_file, file, {}, report); }), HasSubstr("complex"));
      EXPECT_FALSE(std::filesystem::exists(file));
    }
    const auto file = c.output_file.parent_path() / "x.fcidump";
    EXPECT_THAT(sentence_of([&] { write_integrals(c, file, {}, report); }), HasSubstr("complex"));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST_F(ComplexJobs, WhatNeedsRealCoefficientsIsRefused) {
  const auto refused = [&](const std::string& name, const auto& change) {
    CiConfig c = config(name);
    change(c);
    return refusal(c);
  };
  EXPECT_THAT(refused("h2o_field", [](CiConfig& c) { c.basis = BasisChoice::csf; }),
              AllOf(HasSubstr("space.basis"), HasSubstr("complex")));
  EXPECT_THAT(refused("h2o_field", [](CiConfig& c) { c.multiplicities = {1}; }),
              HasSubstr("states.multiplicity"));
  EXPECT_THAT(refused("sh_x2c", [](CiConfig& c) { c.ms2 = 1; }), HasSubstr("spinors have no spin"));
  EXPECT_THAT(refused("sh_x2c", [](CiConfig& c) { c.density = DensityOutput::one; }),
              HasSubstr("output.density"));
  EXPECT_THAT(refused("sh_x2c", [](CiConfig& c) { c.storage = "direct"; }), HasSubstr("real integrals"));
  EXPECT_THAT(refused("h2o_field", [](CiConfig& c) { c.also = {"x.trexio"}; }), HasSubstr("output.also"));
  EXPECT_THAT(refused("sh_x2c", [](CiConfig& c) { c.electrons = 11; }), HasSubstr("do not fit 10 spinors"));
  EXPECT_THAT(refused("sh_x2c", [](CiConfig& c) { c.frozen_core = 7; }),
              HasSubstr("7 frozen spinors leave none"));
}

}  // namespace test_complex
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// +Q, guesses from other spaces, followed states and references from files, in whole runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "cisolve/analysis/size_correction.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/hamiltonian_of_job.hpp"
#include "tasks/reference_records.hpp"
#include "tasks/result_vectors.hpp"

namespace cisolve {
namespace test_corrections {

using test::HamiltonianOfJob;
using test::TemporaryFolder;
using test::vectors_of;
using testing::ElementsAre;
using testing::HasSubstr;

CiConfig water(const TemporaryFolder& folder, const std::string& output = "out.h5") {
  CiConfig c;
  c.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g_mr.fcidump.gz";
  c.point_group = "C2v";
  c.irreps = {"A1"};
  c.device = DeviceChoice::cpu;
  c.output_file = folder.path() / output;
  c.checkpoint_file = folder.path() / (output + ".chk.h5");
  return c;
}

std::string refusal(const CiConfig& config) {
  try {
    run_and_read(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// From the vectors of the file and the matrix elements alone.
void expect_corrections(const CiConfig& config, const CiResult& result) {
  const HamiltonianOfJob job(config);
  const std::size_t references = result.sectors[0].space.reference_dimension;
  std::vector<std::int64_t> rows(references);
  std::iota(rows.begin(), rows.end(), 0);
  const Matrix block = dense_block(job.job.active->integrals, *make_space(job.job.selection), rows);
  const std::size_t n = result.sectors[0].space.dimension;
  const std::vector<double> vectors = vectors_of(result.sectors[0]);
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    double weight = 0.0, energy = 0.0;
    for (std::size_t i = 0; i < references; ++i) {
      const double c = vectors[k * n + i];
      weight += c * c;
      for (std::size_t j = 0; j < references; ++j) {
        energy += c * block(static_cast<int>(i), static_cast<int>(j)) * vectors[k * n + j];
      }
    }
    EXPECT_NEAR(result.root(k).reference_weight, weight, 1e-12);
    const SizeCorrection q =
        size_correction(weight, result.root(k).energy, energy / weight, result.system.n_electrons);
    if (weight < 0.5) {
      EXPECT_TRUE(std::isnan(result.root(k).davidson_q));
      continue;
    }
    EXPECT_NEAR(result.root(k).davidson_q, q.davidson, 1e-11);
    EXPECT_NEAR(result.root(k).renormalised_q, q.renormalised, 1e-11);
    EXPECT_NEAR(result.root(k).pople_q, q.pople, 1e-11);
    EXPECT_LT(result.root(k).davidson_q, -1e-4);
  }
}

TEST(Corrections, OfASingleReference) {
  const TemporaryFolder folder;
  const CiConfig config = water(folder);
  const CiResult result = run_and_read(config);
  ASSERT_EQ(result.sectors[0].space.reference_dimension, 1);
  expect_corrections(config, result);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Corrections, OfSeveralReferencesAndOfAStateOutsideThem) {
  const TemporaryFolder folder;
  CiConfig config = water(folder);
  config.reference = CasReference{4, 4, {}};
  expect_corrections(config, run_and_read(config));
  config.reference = AufbauReference{};
  config.count = 2;  // the second is an excited state that the reference is no part of
  const CiResult result = run_and_read(config);
  expect_corrections(config, result);
  EXPECT_TRUE(std::isnan(result.root(1).pople_q));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("root 2 has less than half of its weight in the references")));
  std::ostringstream report;
  print_findings(report, result);
  EXPECT_THAT(report.str(), HasSubstr("-  the references have less than half of the weight"));
}

TEST(Corrections, AreZeroWhereNothingIsMissing) {
  const TemporaryFolder folder;
  CiConfig config = water(folder);
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump";
  config.excitation_level = full_excitation;
  const CiResult result = run_and_read(config);
  EXPECT_EQ(result.root(0).davidson_q, 0.0);
  EXPECT_EQ(result.root(0).pople_q, 0.0);
}

TEST(FileReference, LeadingConfigurationsMakeTheReferences) {
  const TemporaryFolder folder;
  CiConfig first = water(folder, "first.h5");
  first.reference = CasReference{4, 4, {}};
  const CiResult cas = run_and_read(first);
  CiConfig second = water(folder);
  second.reference = FileReference{first.output_file, 0.01, {}};
  const CiResult result = run_and_read(second);
  // The determinants of weight 0.01 and more, by hand.
  std::vector<std::string> heavy;
  for (const auto& leading : cas.root(0).leading) heavy.push_back(leading.occupation);
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_EQ(result.sectors[0].space.reference_dimension, 1);
  EXPECT_EQ(result.sectors[0].space.reference, heavy[0]);
  // Lower down there are more, all arrangements of their open shells among them.
  second.reference = FileReference{first.output_file, 0.002, {}};
  const CiResult more = run_and_read(second);
  EXPECT_GT(more.sectors[0].space.reference_dimension, 1);
  EXPECT_LT(more.root(0).energy, result.root(0).energy);
  // Another Ms: configurations of too few open shells drop out.
  second.multiplicities = {3};
  second.irreps = {"all"};
  EXPECT_EQ(run_and_read(second).system.ms2, 2);

  second.reference = FileReference{first.output_file, 1.0, {}};
  EXPECT_THAT(refusal(second), HasSubstr("no configuration of weight 1"));
  second.frozen_virtual = 1;
  EXPECT_THAT(refusal(second), HasSubstr("has 13 active orbitals, this job has 12"));
}

TEST(FileReference, TakesTheRootsThatAreNamed) {
  const TemporaryFolder folder;
  CiConfig first = water(folder, "first.h5");
  first.irreps = {"A1", "B1"};
  first.ms2 = 0;
  const CiResult both = run_and_read(first);
  ASSERT_EQ(both.roots.size(), 2U);
  ASSERT_EQ(both.roots[0].sector, 0U);
  ASSERT_EQ(both.roots[1].sector, 1U);
  CiConfig second = water(folder);
  second.irreps.clear();  // that of the first reference
  const auto irrep_from = [&](const std::vector<int>& roots) {
    second.reference = FileReference{first.output_file, 0.5, roots};
    return run_and_read(second).sectors[0].space.irrep;
  };
  EXPECT_EQ(irrep_from({1}), 1);
  EXPECT_EQ(irrep_from({2}), 2);
  second.reference = FileReference{first.output_file, 0.5, {3}};
  EXPECT_THAT(refusal(second),
              testing::AllOf(HasSubstr("space.reference.roots: root 3"), HasSubstr("has 2")));
}

TEST(Guess, ThatDoesNotServeASectorLeavesItToTheModelSpace) {
  const TemporaryFolder folder;
  CiConfig single = water(folder, "a1.h5");
  single.tolerance = 1e-8;
  run_and_read(single);
  CiConfig both = water(folder, "both.h5");
  both.irreps = {"A1", "B1"};
  const CiResult alone = run_and_read(both);
  both.guess = single.output_file;
  const CiResult guessed = run_and_read(both);
  ASSERT_EQ(guessed.roots.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(guessed.root(k).energy, alone.root(k).energy, 1e-10);
  EXPECT_LT(guessed.sectors[0].solver.history.size(), alone.sectors[0].solver.history.size());
  EXPECT_THAT(guessed.warnings,
              testing::Contains(testing::AllOf(HasSubstr("no root of"), HasSubstr("irrep B1"))));

  // Following needs states in every sector, and none serves the last two: both are said before any work.
  std::ostringstream report;
  const auto refused = [&](const CiConfig& config) -> std::string {
    report.str("");
    try {
      run_ci(config, {}, {}, report);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  both.follow = true;
  EXPECT_THAT(refused(both), testing::AllOf(HasSubstr("solver.follow"), HasSubstr("irrep B1")));
  EXPECT_THAT(report.str(), testing::Not(HasSubstr("Sector 1")));
  both.follow = false;
  both.irreps = {"B2", "B1"};
  EXPECT_THAT(refused(both), testing::AllOf(HasSubstr("irrep B2; irrep B1"), HasSubstr("it holds irrep A1")));
  EXPECT_THAT(report.str(), testing::Not(HasSubstr("Sector 1")));
}

TEST(Guess, FromAnotherSpaceOrLevelIsProjected) {
  const TemporaryFolder folder;
  CiConfig level3 = water(folder, "level3.h5");
  level3.excitation_level = 3;
  const CiResult fresh = run_and_read(level3);
  CiConfig level2 = water(folder, "level2.h5");
  const CiResult small = run_and_read(level2);
  level3.guess = level2.output_file;
  const CiResult up = run_and_read(level3);
  EXPECT_NEAR(up.root(0).energy, fresh.root(0).energy, 1e-10);
  EXPECT_LT(up.sectors[0].solver.num_applications, fresh.sectors[0].solver.num_applications);
  level2.guess = level3.output_file;
  const CiResult down = run_and_read(level2);
  EXPECT_NEAR(down.root(0).energy, small.root(0).energy, 1e-10);
  CiConfig frozen = water(folder);
  frozen.frozen_core = 1;
  frozen.guess = level3.output_file;
  EXPECT_THAT(refusal(frozen), testing::AllOf(HasSubstr("solver.guess"), HasSubstr("13 active orbitals")));
  CiConfig other = water(folder);
  other.frozen_core = std::vector<int>{1};
  other.guess = (run_and_read(other), other.output_file);
  CiConfig shifted = water(folder, "shifted.h5");
  shifted.frozen_virtual = 1;
  shifted.guess = other.guess;
  EXPECT_THAT(refusal(shifted), HasSubstr("froze other orbitals"));
  CiConfig wrong_irrep = water(folder, "b1.h5");
  wrong_irrep.irreps = {"B1"};
  wrong_irrep.guess = level3.output_file;
  EXPECT_THAT(refusal(wrong_irrep), HasSubstr("no root of"));
}

TEST(Follow, KeepsTheStateOfTheGuess) {
  const TemporaryFolder folder;
  CiConfig all = water(folder, "all.h5");
  all.count = 3;
  all.ms2 = 0;
  const CiResult lowest = run_and_read(all);
  // The triplet alone, as the state to follow.
  CiConfig triplet = water(folder, "triplet.h5");
  triplet.multiplicities = {3};
  triplet.ms2 = 0;
  triplet.reference = FirstOrbitalsReference{};
  const CiResult guess = run_and_read(triplet);
  CiConfig follow = water(folder, "follow.h5");
  follow.ms2 = 0;
  follow.guess = triplet.output_file;
  follow.follow = true;
  follow.excitation_level = 3;
  const CiResult found = run_and_read(follow);
  ASSERT_EQ(found.roots.size(), 1U);
  EXPECT_NEAR(found.root(0).s_squared, 2.0, 1e-6);
  EXPECT_LT(found.root(0).energy, guess.root(0).energy);
  triplet.excitation_level = 3;
  EXPECT_NEAR(found.root(0).energy, run_and_read(triplet).root(0).energy, 1e-9);
  follow.count = 2;
  follow.guess = folder.path() / "follow.h5";
  follow.output_file = folder.path() / "two.h5";
  EXPECT_THAT(refusal(follow), HasSubstr("2 roots are asked for, but 1 of"));
}

}  // namespace test_corrections
}  // namespace cisolve

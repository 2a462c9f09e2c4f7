// SPDX-License-Identifier: MIT
// What a FLAPW run does with its keys: how many states, which algorithm and solver, what is warned of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/engine.hpp"
#include "cisolve/problem/resources.hpp"
#include "tasks/flapw/check_elements.hpp"
#include "tasks/flapw/plan.hpp"
#include "tasks/flapw/system.hpp"
#include "tasks/flapw_job.hpp"

namespace cisolve {
namespace test_flapw_run {

using test::FlapwJob;
using test::StoredPoint;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string synthetic =
    "[flapw]\nroots = 6\n[synthetic]\natoms = 5\nlmax = 2\nwaves = 70\ntypes = 2\n[output]\nmatrices = "
    "true\n";

/// A [synthetic] input of which a matrix that comes from two blocks of atoms is made.
const std::string many_atoms =
    "[flapw]\nroots = 3\n[synthetic]\natoms = 40\nlmax = 5\nwaves = 30\ntypes = 4\n[output]\nmatrices = "
    "true\n";

std::string refusal(FlapwJob& job) {
  try {
    job.run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(FlapwRun, WithoutRootsGivesMatricesAlone) {
  FlapwJob job(synthetic, {"flapw.roots=0", "flapw.interstitial=false"});
  const FlapwResult result = test::run_to_end(job);
  const StoredPoint stored(job.file(), 1);
  EXPECT_EQ(result.points[0].status, "matrices");
  EXPECT_THAT(stored.energies, IsEmpty());
  EXPECT_THAT(stored.vectors, IsEmpty());
  EXPECT_EQ(stored.h.size(), 4900U);
  // No eigenvalue that what lies between the spheres could be missed in.
  for (const std::string& warning : result.warnings) EXPECT_THAT(warning, Not(HasSubstr("muffin tins")));
}

TEST(FlapwRun, RootsAreTheLowestOfAll) {
  FlapwJob some(synthetic), all(synthetic, {"flapw.roots=all"});
  test::run_to_end(some);
  test::run_to_end(all);
  const StoredPoint few(some.file(), 1), many(all.file(), 1);
  ASSERT_EQ(few.energies.size(), 6U);
  ASSERT_EQ(many.energies.size(), 70U);
  EXPECT_TRUE(std::is_sorted(many.energies.begin(), many.energies.end()));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(few.energies[i], many.energies[i], 1e-12);
}

TEST(FlapwRun, MoreRootsThanWavesAreAllOfThem) {
  FlapwJob job(synthetic, {"flapw.roots=100"});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_EQ(result.points[0].states.count(), 70);
  EXPECT_THAT(result.warnings,
              testing::Contains(HasSubstr("k-point 1: 100 roots were asked for, but there are 70")));
  EXPECT_THAT(job.report(), HasSubstr("100 roots were asked for"));
}

TEST(FlapwRun, SeveralGpusAreRefusedWhereThereAreNone) {
  FlapwJob job(synthetic, {"run.gpus=2", "run.device=cpu"});
  EXPECT_THAT(refusal(job), HasSubstr("run.gpus: 2 were asked for, but run.device is \"cpu\""));
  job.set({"run.gpus=64", "run.device=auto"});
  EXPECT_THAT(refusal(job), HasSubstr("run.gpus: 64 were asked for, but "));
}

// Coefficients of a file would be filled for each device, so that one is faster.
TEST(FlapwRun, WhatDevicesShareIsMadeOnThem) {
  const auto shared = [](const FlapwJob& job) {
    const FlapwConfig config = job.config();
    return plan_flapw(config, FlapwSystem(config), 1).shared_flops;
  };
  const double once = shared(FlapwJob(synthetic));
  EXPECT_GT(once, 0.0);
  EXPECT_EQ(shared(FlapwJob(synthetic, {"flapw.repeat=3"})), 3.0 * once);
  EXPECT_GT(shared(FlapwJob(test::cosine_crystal())), 0.0);
  EXPECT_GT(shared(FlapwJob(test::flapw_of_file("two_atoms_radial.h5"))), 0.0);
  EXPECT_EQ(shared(FlapwJob(test::flapw_of_file("three_k.h5"))), 0.0);
}

TEST(FlapwRun, IsPlannedForDevicesThatAreNotThere) {
  if (!is_built_for_devices()) GTEST_SKIP() << "built without CUDA";
  FlapwJob job(synthetic, {"run.gpus=2", "run.device=cuda"});
  std::ostringstream plan;
  check_flapw(job.config(), plan, {.device_memory = std::int64_t{8} << 30}, {});
  EXPECT_THAT(plan.str(), HasSubstr("2 x "));
  EXPECT_THAT(plan.str(), HasSubstr("The job fits"));
}

TEST(FlapwRun, MuffinTinsAloneAreWarnedOf) {
  FlapwJob job(synthetic, {"flapw.interstitial=false"});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_FALSE(result.interstitial);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("muffin tins alone")));
  // A file of coefficients that has nothing between the spheres is warned of unasked.
  FlapwJob of_file(test::flapw_of_file("tile_borders.h5"), {"flapw.roots=3"});
  of_file.run();
  EXPECT_THAT(of_file.result().warnings, testing::Contains(HasSubstr("muffin tins alone")));
}

TEST(FlapwRun, DroppedDirectionsAreWarnedOf) {
  FlapwJob job(test::flapw_of_file("singular_overlap.h5"), {"flapw.roots=all"});
  const FlapwResult result = test::run_to_end(job);
  EXPECT_EQ(result.points[0].states.overlap.dropped, 7);
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("7 of 25 directions were dropped")));
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("there are 18 states, fewer than")));
}

TEST(FlapwRun, LmaxBelowTheCutoffIsWarnedOf) {
  std::string input = test::cosine_crystal();
  input.replace(input.find("lmax = 8, lmax_nonspherical = 6"), 31, "lmax = 4, lmax_nonspherical = 4");
  FlapwJob job(input);
  // 3.2 /bohr times 1.4 bohr
  EXPECT_THAT(test::run_to_end(job).warnings,
              testing::Contains(testing::AllOf(HasSubstr("type X"), HasSubstr("4.5, more than lmax = 4"),
                                               HasSubstr("lmax = 5 would do"))));
}

TEST(FlapwRun, ElementsAreCheckedByTheirDefinition) {
  for (const char* algorithm : {"split", "merged", "hsdla"}) {
    FlapwJob job(test::cosine_crystal(), {std::string("flapw.algorithm=") + algorithm, "flapw.check=100"});
    const FlapwResult result = test::run_to_end(job);
    EXPECT_EQ(result.points[0].checked, 100);
    EXPECT_LT(result.points[0].check_error_h, 1e-13);
    EXPECT_LT(result.points[0].check_error_s, 1e-13);
    EXPECT_GT(result.points[0].check_error_s, 0.0);
  }
  FlapwJob none(test::cosine_crystal(), {"flapw.check=0"});
  EXPECT_EQ(test::run_to_end(none).points[0].checked, 0);
  EXPECT_THAT(none.report(), Not(HasSubstr("checked elements")));
}

TEST(FlapwRun, CheckedElementsShowAnError) {
  const FlapwJob good(synthetic), other(synthetic, {"synthetic.seed=2"});
  const FlapwConfig config = good.config(), other_config = other.config();
  const FlapwSystem system(config), other_system(other_config);
  const auto engine = lapw::make_host_engine();
  const auto point = system.point(0), other_point = other_system.point(0);
  engine->generate(point->problem, generation_options(config, system), {});
  const ElementCheck passed = check_elements(*engine, point->problem, 8);
  EXPECT_EQ(passed.count, 8);
  EXPECT_TRUE(passed.is_good());
  EXPECT_FALSE(check_elements(*engine, other_point->problem, 8).is_good());
}

TEST(FlapwRun, StatesFulfilTheirEquationWithTheMatricesOfTheFile) {
  for (const char* solver : {"direct", "davidson"}) {
    FlapwJob job(test::cosine_crystal(), {std::string("flapw.solver=") + solver, "output.matrices=true"});
    const FlapwResult result = test::run_to_end(job);
    EXPECT_EQ(result.points[0].states.iterations > 0, solver == std::string("davidson"));
    for (int k = 1; k <= 2; ++k) {
      const StoredPoint stored(job.file(), k);
      const std::size_t n = stored.n;
      ASSERT_EQ(stored.energies.size(), 8U);
      ASSERT_EQ(stored.vectors.size(), 8 * n);
      for (std::size_t state = 0; state < 8; ++state) {
        const std::complex<double>* c = stored.vectors.data() + state * n;
        std::vector<std::complex<double>> hc = test::product(stored.h, c, n);
        const std::vector<std::complex<double>> sc = test::product(stored.s, c, n);
        std::complex<double> in_metric;
        for (std::size_t i = 0; i < n; ++i) {
          in_metric += std::conj(c[i]) * sc[i];
          hc[i] -= stored.energies[state] * sc[i];
        }
        EXPECT_NEAR(std::abs(in_metric - 1.0), 0.0, 1e-12);
        EXPECT_LE(test::norm_of(hc), 1e-8) << solver;
        EXPECT_NEAR(test::norm_of(hc), stored.residuals[state], 1e-13) << solver;
      }
    }
  }
}

TEST(FlapwRun, StopsShortOfConvergenceWithItsOwnStatus) {
  FlapwJob job(test::cosine_crystal(), {"flapw.solver=davidson", "flapw.max_iterations=1"});
  EXPECT_EQ(job.run(), RunOutcome::not_converged);
  const FlapwResult result = job.result();
  EXPECT_EQ(result.points[0].status, "not converged");
  EXPECT_EQ(result.points[0].states.iterations, 1);
  EXPECT_FALSE(result.points[0].states.all_converged());
  EXPECT_THAT(job.report(), HasSubstr("1 iteration, not converged"));
  EXPECT_THAT(job.report(), HasSubstr("NOT CONVERGED: k-points 1, 2. "));
}

TEST(FlapwRun, RepeatsToTheLastBit) {
  for (const std::string& input : {synthetic, test::cosine_crystal() + "[output]\nmatrices = true\n"}) {
    FlapwJob first(input), second(input), thrice(input, {"flapw.repeat=3"});
    test::run_to_end(first);
    test::run_to_end(second);
    EXPECT_EQ(test::run_to_end(thrice).points[0].lines.size(), first.result().points[0].lines.size());
    const StoredPoint a(first.file(), 1);
    for (const FlapwJob* other : {&second, &thrice}) {
      const StoredPoint b(other->file(), 1);
      EXPECT_EQ(a.h, b.h);
      EXPECT_EQ(a.s, b.s);
      EXPECT_EQ(a.energies, b.energies);
      EXPECT_EQ(a.vectors, b.vectors);
    }
  }
}

TEST(FlapwRun, TimesOfRepetitionsAreMedians) {
  const auto times = [](double a, double b) {
    return std::vector<lapw::LineRecord>{{"one", a, 1.0}, {"two", b, 2.0}};
  };
  const std::vector<lapw::LineRecord> median =
      median_lines({times(9.0, 1.0), times(1.0, 2.0), times(2.0, 30.0)});
  EXPECT_EQ(median[0].seconds, 2.0);
  EXPECT_EQ(median[1].seconds, 2.0);
  EXPECT_EQ(median[1].name, "two");
  EXPECT_EQ(median[1].flops, 2.0);
}

TEST(FlapwRun, StoredCoefficientsGiveWhatStreamedOnesDo) {
  for (const char* algorithm : {"merged", "hsdla"}) {
    const std::string choice = std::string("flapw.algorithm=") + algorithm;
    FlapwJob streamed(many_atoms, {choice}), stored(many_atoms, {choice, "flapw.coefficients=stored"});
    EXPECT_GT(test::run_to_end(streamed).points[0].blocks, 1) << algorithm;
    EXPECT_EQ(test::run_to_end(stored).points[0].blocks, 1) << algorithm;
    const StoredPoint a(streamed.file(), 1), b(stored.file(), 1);
    EXPECT_LT(test::distance(a.h, b.h), 1e-13 * test::norm_of(a.h));
    EXPECT_LT(test::distance(a.s, b.s), 1e-13 * test::norm_of(a.s));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.energies.at(i), b.energies.at(i), 1e-12);
  }
}

TEST(FlapwRun, SplitNeedsRadialFunctions) {
  FlapwJob job(synthetic, {"flapw.algorithm=split"});
  EXPECT_THAT(refusal(job), testing::AllOf(HasSubstr("flapw.algorithm"), HasSubstr("merged")));
  EXPECT_FALSE(std::filesystem::exists(job.file()));
}

TEST(FlapwRun, ACutoffBelowEveryWaveIsRefused) {
  FlapwJob job(test::cosine_crystal(), {"crystal.k_max=0.1"});
  EXPECT_THAT(refusal(job),
              testing::AllOf(HasSubstr("crystal.k_max"), HasSubstr("0.1 /bohr"), HasSubstr("k-point 1")));
  EXPECT_FALSE(std::filesystem::exists(job.file()));
}

TEST(FlapwRun, WhatDoesNotFitIsRefusedBeforeItIsMade) {
  FlapwJob job("[flapw]\n[synthetic]\natoms = 2\nlmax = 2\nwaves = 20000\n", {"run.memory=1 GiB"});
  try {
    job.run();
    ADD_FAILURE() << "20,000 waves, twice 6 GiB, were taken";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("run.memory"), HasSubstr("20,000 plane waves"),
                                             HasSubstr("1.00 GiB")));
  }
  EXPECT_FALSE(std::filesystem::exists(job.file()));
}

TEST(FlapwRun, CheckSaysWhatItTakesAndWritesNothing) {
  const FlapwJob job(test::cosine_crystal(), {"output.matrices=true"});
  std::ostringstream plan;
  check_flapw(job.config(), plan, {}, {});
  // The largest k-point is the second: 123 waves, and 162 functions in two spheres.
  for (const char* part : {"with most plane waves: 2", "123", "162", "hsdla", "merged", "split", "(chosen)",
                           "direct", "ZGEMM", "flops", "nothing was run"})
    EXPECT_THAT(plan.str(), HasSubstr(part));
  // 16 K_ns N^2 / 2 and what T takes: merged over both spheres, split over those of the potential's 49 functions.
  EXPECT_THAT(plan.str(),
              HasSubstr(fmt::format("{:.3e}", 16.0 * 162 * 123 * 123 + 2 * 32.0 * 81 * 81 * 123)));
  // Split also has the pass over pairs of plane waves: for each type 12 operations for each l, and 14.
  const double pass = 0.5 * 123 * 124 * 2 * (12 * 9 + 14);
  EXPECT_THAT(plan.str(),
              HasSubstr(fmt::format("{:.3e}", 8.0 * 98 * 123 * 123 + 2 * 32.0 * 49 * 49 * 123 + pass)));
  EXPECT_EQ(job.folder().size(), 0U);
}

TEST(FlapwRun, CheckOfCoefficientsHasNoSplit) {
  const FlapwJob job(synthetic);
  std::ostringstream plan;
  check_flapw(job.config(), plan, {}, {});
  EXPECT_THAT(plan.str(), Not(HasSubstr("split")));
  EXPECT_THAT(plan.str(), HasSubstr("of 5 atoms"));
}

}  // namespace test_flapw_run
}  // namespace cisolve

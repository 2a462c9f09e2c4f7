// SPDX-License-Identifier: MIT
// [selection], from input to result file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_selection {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double energy_limit = 1e-9;

class Selection : public ::testing::Test {
protected:
  /// Of a file of integrals, with what the rest of the input says.
  Input input(const std::string& file, const std::string& rest, const std::string& memory = "auto") const {
    return parse_input(fmt::format("[integrals]\nfile = \"{}/{}\"\n[run]\ndevice = \"cpu\"\nmemory = "
                                   "\"{}\"\n[output]\nfile = \"{}\"\n"
                                   "checkpoint = \"{}\"\ncheckpoint_interval = 1000\ndensity = \"{}\"\n{}",
                                   CISOLVE_TEST_DATA, file, memory, result_file().string(),
                                   checkpoint_file().string(), memory == "auto" ? "two" : "none", rest),
                       (folder_.path() / "job.inp").string());
  }
  std::filesystem::path result_file() const { return folder_.path() / "job.h5"; }
  std::filesystem::path checkpoint_file() const { return folder_.path() / "job.chk.h5"; }

  /// Runs it, and reads what it wrote.
  CiResult run(const Input& input, const RunOptions& options = {}) {
    std::ostringstream report;
    EXPECT_EQ(run_ci(read_ci_config(input), options, {}, report), RunOutcome::converged);
    report_ = report.str();
    return read_result(result_file(), true);
  }

  /// Runs it until so many passes are done.
  void interrupt(const Input& input, int passes) {
    std::stop_source stop;
    RunControl control;
    control.stop = stop.get_token();
    control.take_checkpoint_request = [&] {
      if (--passes == 0) stop.request_stop();
      return false;
    };
    std::ostringstream report;
    EXPECT_EQ(run_ci(read_ci_config(input), {}, control, report), RunOutcome::interrupted);
    EXPECT_TRUE(std::filesystem::exists(checkpoint_file()));
  }

  std::string refusal(const std::string& file, const std::string& rest) const {
    try {
      std::ostringstream report;
      run_ci(read_ci_config(input(file, rest)), {}, {}, report);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  test::TemporaryFolder folder_;
  std::string report_;
};

/// Sums over determinants in dozens of orbitals.
class SelectionLarge : public Selection {};

TEST_F(Selection, WritesWhatItFound) {
  const nlohmann::json data = read_json("selected/selected_ref.json");
  const auto& molecule =
      *std::ranges::find_if(data["cases"], [](const auto& c) { return c["fcidump"] == "c2_631g_fc"; });
  const auto& record = molecule["selections"][1];
  const CiResult result = run(input("c2_631g_fc.fcidump.gz",
                                    "[states]\ncount = 2\n[selection]\ncriterion = \"heat-bath\"\n"
                                    "epsilon = 0.007\n"));
  ASSERT_EQ(result.roots.size(), 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const Root& root = result.root(k);
    EXPECT_NEAR(root.energy, record["final"]["energy"][k].get<double>(), energy_limit);
    EXPECT_NEAR(root.second_order, record["final"]["pt2"][k].get<double>(), energy_limit);
    EXPECT_NEAR(root.variance, record["final"]["variance"][k].get<double>(), energy_limit);
    EXPECT_NEAR(root.s_squared, record["final"]["s2"][k].get<double>(), 1e-7);
    EXPECT_EQ(root.second_order_error, 0.0);
    ASSERT_TRUE(root.certificate);
    EXPECT_TRUE(root.certificate->passed);
  }
  const CiResult::Sector& sector = result.sectors[0];
  ASSERT_TRUE(sector.selection);
  EXPECT_EQ(sector.selection->criterion, "heat-bath");
  EXPECT_EQ(sector.selection->determinants.size(), record["steps"].size());
  EXPECT_EQ(sector.selection->determinants.back(), record["final"]["determinants"]);
  EXPECT_EQ(sector.selection->externals.back(), record["final"]["externals"]);
  EXPECT_EQ(sector.space.dimension, record["final"]["determinants"]);
  EXPECT_EQ(std::ssize(sector.space.alpha), sector.space.dimension);
  EXPECT_FALSE(sector.space.spin_complete);
  EXPECT_EQ(sector.hamiltonian.storage, "symmetric");
  std::ostringstream again;
  print_report(again, result);
  for (const std::string& text : {report_, again.str()})
    EXPECT_THAT(text, AllOf(HasSubstr("nothing is left above the last threshold"),
                            HasSubstr("-0.02776079     exact")));
  EXPECT_TRUE(verify_result(result_file(), again));
}

TEST_F(Selection, ResolvedInputGivesTheSame) {
  const Input given = input("h2o_631g.fcidump.gz", "[selection]\n");
  const CiConfig config = read_ci_config(given);
  EXPECT_EQ(config.excitation_level, 0);
  EXPECT_FALSE(config.spin_complete);
  EXPECT_EQ(config.selection->correction, 1e-3);
  const CiConfig again = read_ci_config(parse_input(config.resolved_text, given.source_name));
  EXPECT_EQ(again.resolved_text, config.resolved_text);
  EXPECT_EQ(again.excitation_level, 0);
  EXPECT_FALSE(again.spin_complete);
  EXPECT_TRUE(read_ci_config(input("h2o_631g.fcidump.gz", "[states]\nmultiplicity = 1\n[selection]\n"))
                  .spin_complete);
  EXPECT_FALSE(read_ci_config(input("h2o_631g.fcidump.gz", "")).selection);
}

TEST_F(Selection, EndsByEachRule) {
  const auto selection = [&](const std::string& keys) {
    return *run(input("h2o_631g.fcidump.gz", "[selection]\n" + keys)).sectors[0].selection;
  };
  const CiResult::Selection by_number = selection("determinants = 300\ngrowth = 3\n");
  EXPECT_GE(by_number.determinants.back(), 300);
  EXPECT_LE(by_number.determinants.back(), 305) << "ties";
  EXPECT_EQ(by_number.end, "there are as many determinants as asked for");
  const std::size_t steps = by_number.determinants.size() - 1;
  const double all_steps = 300.0 / static_cast<double>(by_number.determinants.front());
  EXPECT_EQ(static_cast<double>(steps), std::ceil(std::log(all_steps) / std::log(3.0) - 0.01)) << "few";
  for (std::size_t k = 0; k < steps; ++k) {
    EXPECT_NEAR(
        static_cast<double>(by_number.determinants[k + 1]) / static_cast<double>(by_number.determinants[k]),
        std::pow(all_steps, 1.0 / static_cast<double>(steps)), 0.2)
        << "equal factors";
  }
  const CiResult::Selection by_correction = selection("correction = 5e-3\n");
  EXPECT_LE(std::abs(by_correction.second_order.back()), 5e-3);
  EXPECT_GT(std::abs(by_correction.second_order[by_correction.second_order.size() - 2]), 5e-3);
  const CiResult::Selection by_change = selection("correction_change = 1e-3\n");
  const std::size_t last = by_change.energy.size() - 1;
  const auto total = [&](std::size_t pass) { return by_change.energy[pass] + by_change.second_order[pass]; };
  EXPECT_LE(std::abs(total(last) - total(last - 1)), 1e-3);
  EXPECT_GT(std::abs(total(last - 1) - total(last - 2)), 1e-3);
  const CiResult::Selection heat_bath = selection("criterion = \"heat-bath\"\ncorrection = 5e-3\n");
  EXPECT_LE(std::abs(heat_bath.second_order.back()), 5e-3);
  EXPECT_GT(heat_bath.stage, 0);
  const CiResult::Selection amplitude =
      selection("criterion = \"amplitude\"\ncore = 50\ndeterminants = 300\n");
  EXPECT_GE(amplitude.determinants.back(), 300);
  EXPECT_LE(amplitude.determinants.back(), 310) << "ties";
  const CiResult::Selection all =
      *run(input("h2o_sto3g.fcidump", "[selection]\nepsilon = 0\n")).sectors[0].selection;
  EXPECT_EQ(all.second_order.back(), 0.0);
  EXPECT_EQ(all.determinants.back(), 133);
}

TEST_F(Selection, SingletsAndTripletsAreOfTheirSpin) {
  const CiResult result =
      run(input("c2_631g_fc.fcidump.gz",
                "[states]\nmultiplicity = [1, 3]\nms2 = 0\n[selection]\ndeterminants = 400\n"));
  ASSERT_EQ(result.sectors.size(), 2);
  for (const CiResult::Sector& sector : result.sectors) {
    ASSERT_EQ(sector.roots.size(), 1);
    EXPECT_TRUE(sector.space.spin_complete);
    EXPECT_NEAR(sector.roots[0].s_squared, sector.multiplicity == 1 ? 0.0 : 2.0, 1e-8);
    ASSERT_TRUE(sector.selection);
    EXPECT_NEAR(sector.selection->energy.back(), sector.roots[0].energy, 1e-9);
  }
}

TEST_F(Selection, ExtrapolatesToFullCi) {
  const double exact = [&] {
    return run(input("h2o_631g.fcidump.gz", "[space]\nexcitation_level = \"full\"\n")).root(0).energy;
  }();
  const Root root = run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 6000\n")).root(0);
  EXPECT_LT(std::abs(root.extrapolated_energy - exact), root.extrapolated_error);
  EXPECT_LT(std::abs(root.extrapolated_energy - exact), 1e-4);
}

TEST_F(Selection, SamplesWithinItsErrorBar) {
  const std::string keys = "[selection]\ncriterion = \"heat-bath\"\nepsilon = 3e-3\n";
  const Root exact = run(input("h2o_631g.fcidump.gz", keys)).root(0);
  const std::string sampling = "perturbation = \"semistochastic\"\nperturbation_error = 2e-5\nseed = 3\n";
  const Root sampled = run(input("h2o_631g.fcidump.gz", keys + sampling)).root(0);
  EXPECT_GT(sampled.second_order_error, 0.0);
  EXPECT_LE(sampled.second_order_error, 2e-5);
  EXPECT_LT(std::abs(sampled.second_order - exact.second_order), 4.0 * sampled.second_order_error);
  const ThreadScope scope(1);
  EXPECT_EQ(run(input("h2o_631g.fcidump.gz", keys + sampling)).root(0).second_order, sampled.second_order);
}

TEST_F(Selection, RestartGoesOnWhereItStopped) {
  for (const std::string keys :
       {"determinants = 2000\n", "criterion = \"heat-bath\"\nepsilon = [1e-2, 3e-3, 2e-3]\n",
        "criterion = \"amplitude\"\ncore = 100\ndeterminants = 800\n"}) {
    const Input job = input("c2_631g_fc.fcidump.gz", "[states]\ncount = 2\n[selection]\n" + keys);
    const CiResult whole = run(job);
    const CiResult::Selection& expected = *whole.sectors[0].selection;
    interrupt(job, 4);
    const Checkpoint checkpoint = read_checkpoint(checkpoint_file());
    ASSERT_TRUE(checkpoint.header.selection);
    EXPECT_EQ(std::ssize(checkpoint.header.selection->list.alpha), checkpoint.header.dimension);
    const CiResult rest = run(job, {.restart = true});
    const CiResult::Selection& found = *rest.sectors[0].selection;
    EXPECT_EQ(found.determinants, expected.determinants);
    EXPECT_EQ(found.end, expected.end);
    for (std::size_t k = 0; k < whole.roots.size(); ++k) {
      EXPECT_NEAR(rest.root(k).energy, whole.root(k).energy, energy_limit);
      EXPECT_NEAR(rest.root(k).second_order, whole.root(k).second_order, energy_limit);
      EXPECT_NEAR(rest.root(k).extrapolated_energy, whole.root(k).extrapolated_energy, 1e-7);
    }
  }
}

TEST_F(Selection, RestartGoesOnFromAResult) {
  run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 200\n"));
  const CiResult longer =
      run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 800\n"), {.restart = true});
  EXPECT_GE(longer.sectors[0].space.dimension, 800);
  const CiResult whole = run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 800\n"));
  EXPECT_NEAR(longer.root(0).energy, whole.root(0).energy, 1e-4) << "by another path of sizes";
}

TEST_F(Selection, RestartDoesNotGrowWhatHasEnded) {
  for (const std::string keys :
       {"correction_change = 2e-3\n", "correction = 1e-2\n", "determinants = 150\n"}) {
    const Input job = input("h2o_631g.fcidump.gz", "[selection]\n" + keys);
    const std::int64_t size = run(job).sectors[0].space.dimension;
    EXPECT_EQ(run(job, {.restart = true}).sectors[0].space.dimension, size) << keys;
  }
  run(input("c2_631g_fc.fcidump.gz", "[selection]\ndeterminants = 200\n"));
  const CiResult closed =
      run(input("c2_631g_fc.fcidump.gz", "[space]\nspin_complete = true\n[selection]\ndeterminants = 400\n"),
          {.restart = true});
  EXPECT_TRUE(closed.sectors[0].space.spin_complete);
  EXPECT_NEAR(closed.root(0).s_squared, 0.0, 1e-8);
}

/// Davidson completes a degenerate set that the number of roots would cut.
TEST_F(Selection, FollowsADegenerateSet) {
  const CiResult result =
      run(input("hubbard6.fcidump",
                "[space]\nreference = { electrons = 2, orbitals = 2 }\n[states]\ncount = 3\n"
                "[selection]\nepsilon = 1e-4\n"));
  EXPECT_GE(result.roots.size(), 3);
  for (std::size_t k = 1; k < result.roots.size(); ++k)
    EXPECT_LE(result.root(k - 1).energy, result.root(k).energy);
}

TEST_F(Selection, RecordsTheListThatThereIsWhereMemoryEnds) {
  const CiResult result = run(input("n2_ccpvdz_fc.fcidump.gz",
                                    "[selection]\ncriterion = \"amplitude\"\ncore = 20\ngrowth = 3\n"
                                    "perturbation = \"none\"\ndeterminants = 1000000\n",
                                    "12 MiB"));
  EXPECT_EQ(result.sectors[0].selection->determinants.back(), result.sectors[0].space.dimension);
  EXPECT_THAT(result.warnings, ::testing::Contains(HasSubstr("no memory for more")));
}

TEST_F(Selection, SaysThatNoStateHasTheSpin) {
  EXPECT_THAT(
      refusal("h2o_sto3g.fcidump",
              "[space]\nreference = [\"2222200\"]\n[states]\nmultiplicity = 3\nms2 = 0\n[selection]\n"),
      HasSubstr("no state of multiplicity 3"));
}

TEST_F(Selection, ListIsTheReferenceOfAnotherJob) {
  const CiResult selected = run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 200\n"));
  const auto kept = folder_.path() / "selected.h5";
  std::filesystem::rename(result_file(), kept);
  const std::string space = fmt::format(
      "[space]\nreference = {{ file = \"{}\", weight = 0 }}\nexcitation_level = 0\n"
      "spin_complete = false\n",
      kept.string());
  const CiResult again = run(input("h2o_631g.fcidump.gz", space));
  EXPECT_EQ(again.sectors[0].space.dimension, selected.sectors[0].space.dimension);
  EXPECT_NEAR(again.root(0).energy, selected.root(0).energy, energy_limit);
  const CiResult grown = run(input("h2o_631g.fcidump.gz", space + "[selection]\ndeterminants = 400\n"));
  const std::vector<std::int64_t>& sizes = grown.sectors[0].selection->determinants;
  ASSERT_EQ(sizes.size(), 2);
  EXPECT_EQ(sizes[0], selected.sectors[0].space.dimension);
  EXPECT_GE(sizes[1], 400);
}

TEST_F(Selection, StoredFormatsGiveTheSameRoots) {
  const std::string keys = "[selection]\ndeterminants = 300\n";
  const CiResult symmetric = run(input("h2o_631g.fcidump.gz", keys));
  for (const char* storage : {"csr", "coded", "hybrid"}) {
    const CiResult stored =
        run(input("h2o_631g.fcidump.gz", fmt::format("{}[hamiltonian]\nstorage = \"{}\"\n", keys, storage)));
    EXPECT_EQ(stored.sectors[0].hamiltonian.storage, storage);
    EXPECT_NEAR(stored.root(0).energy, symmetric.root(0).energy, energy_limit);
    EXPECT_NEAR(stored.root(0).second_order, symmetric.root(0).second_order, energy_limit);
  }
}

TEST_F(Selection, DensitiesGiveItsEnergy) {
  const CiResult result = run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 300\n"));
  ASSERT_TRUE(result.density);
  EXPECT_NEAR(result.density->energy_error[0], 0.0, 1e-8);
}

TEST_F(Selection, OfUnrestrictedOrbitals) {
  const std::string file = "uhf/oh_sto3g.blocks.fcidump.gz";
  const double exact = run(input(file, "[space]\nexcitation_level = \"full\"\n")).root(0).energy;
  const CiResult result = run(input(file, "[selection]\nepsilon = 0\n"));
  EXPECT_NEAR(result.root(0).energy, exact, 1e-8);
}

TEST_F(SelectionLarge, DoesNotStayInAStateThatIsTheLowestOfAFewDeterminants) {
  const CiResult result = run(input("c2_ccpvdz_fc.fcidump.gz", "[selection]\ndeterminants = 4000\n"));
  const Root& root = result.root(0);
  constexpr double full_ci = -75.7291301;  // hartree; its 1-Delta-g lies 0.07 above
  EXPECT_LT(root.energy, -75.70);
  EXPECT_NEAR(root.extrapolated_energy, full_ci, root.extrapolated_error);
}

/// C2 in 6-31G near the crossing of its 1-Sigma-g+ and 1-Delta-g: by PySCF's full CI -75.568658 and -75.542338 at 1.6 angstrom,
/// -75.539532 and -75.529121 at 1.7.
TEST_F(SelectionLarge, TellsStatesApartThatAreClose) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  const auto carbon = [&](double half, int determinants) {
    return run(
        parse_input(fmt::format("[molecule]\ngeometry = \"C 0 0 {0}; C 0 0 -{0}\"\nbasis = \"6-31g\"\n"
                                "[space]\nfrozen_core = \"auto\"\n[selection]\ndeterminants = {1}\n"
                                "[run]\ndevice = \"cpu\"\n[output]\nfile = \"{2}\"\ncheckpoint = \"{3}\"\n",
                                half, determinants, result_file().string(), checkpoint_file().string()),
                    (folder_.path() / "c2.inp").string()));
  };
  const auto warns = [](const CiResult& result) {
    return std::ranges::any_of(result.warnings, [](const std::string& warning) {
      return warning.find("too little to tell which is lower") != std::string::npos;
    });
  };
  const CiResult clear = carbon(0.8, 1600);
  EXPECT_NEAR(clear.root(0).extrapolated_energy, -75.568658, clear.root(0).extrapolated_error);
  EXPECT_LT(clear.root(0).extrapolated_error, 0.005);
  EXPECT_FALSE(warns(clear));
  EXPECT_TRUE(warns(carbon(0.85, 800)));
  const CiResult longer = carbon(0.85, 8000);
  EXPECT_NEAR(longer.root(0).extrapolated_energy, -75.539532, longer.root(0).extrapolated_error);
  EXPECT_LT(longer.root(0).extrapolated_error, 0.002);
  EXPECT_FALSE(warns(longer));
  EXPECT_EQ(longer.sectors[0].selection->followed, 2000);
}

/// A short list has passes to extrapolate from, too.
TEST_F(Selection, ShortListsAreExtrapolated) {
  const Root root = run(input("h2o_631g.fcidump.gz", "[selection]\ndeterminants = 100\n")).root(0);
  constexpr double full_ci = -76.1208758;  // hartree
  EXPECT_NEAR(root.extrapolated_energy, full_ci, root.extrapolated_error);
}

TEST_F(SelectionLarge, TakesNaturalOrbitalsOfShortLists) {
  const std::string file = "c2_ccpvdz_fc.fcidump.gz", selection = "[selection]\ndeterminants = 3000\n";
  const std::string natural = "[orbitals]\noptimise = \"natural\"\ndeterminants = 1000\n";
  const CiResult before = run(input(file, selection));
  const CiResult after = run(input(file, natural + selection));
  ASSERT_TRUE(after.orbitals);
  EXPECT_EQ(after.orbitals->type, "natural");
  EXPECT_EQ(after.orbitals->history_energy.size(), 1);
  EXPECT_EQ(after.sectors[0].space.dimension, 3000);
  EXPECT_LT(after.root(0).energy, before.root(0).energy - 5e-3);
  EXPECT_LT(std::abs(after.root(0).second_order), 0.8 * std::abs(before.root(0).second_order));
  ASSERT_TRUE(after.root(0).certificate);
  EXPECT_TRUE(after.root(0).certificate->passed);

  std::ostringstream report;
  EXPECT_TRUE(verify_result(result_file(), report)) << report.str();

  interrupt(input(file, natural + selection), 5);
  const CiResult again = run(input(file, natural + selection), {.restart = true});
  EXPECT_NEAR(again.root(0).energy, after.root(0).energy, energy_limit);
  EXPECT_EQ(again.orbitals->coefficients, after.orbitals->coefficients);

  EXPECT_THAT(refusal(file, "[orbitals]\noptimise = \"natural\"\ndeterminants = 1000\n"),
              HasSubstr("orbitals.determinants is for [selection]"));
  EXPECT_THAT(refusal(file,
                      "[space]\nreference = { electrons = 4, orbitals = 4 }\n[orbitals]\noptimise = "
                      "\"casscf\"\n" +
                          selection),
              HasSubstr("short list"));
}

TEST_F(Selection, NaturalOrbitalsAreThoseOfTheAverageOverSectors) {
  const std::string file = "h2o_sto3g.fcidump", states = "[states]\nirrep = [1, 4]\ncount = 2\n";
  const CiResult result =
      run(input(file, states + "[orbitals]\noptimise = \"natural\"\ncycles = 2\ndeterminants = 20\n"
                               "[space]\nexcitation_level = 1\n[selection]\nepsilon = 0\n"));
  EXPECT_EQ(result.orbitals->history_energy.size(), 2);
  const CiResult exact = run(input(file, states + "[space]\nexcitation_level = \"full\"\n"));
  ASSERT_EQ(result.roots.size(), exact.roots.size());
  for (std::size_t k = 0; k < exact.roots.size(); ++k)
    EXPECT_NEAR(result.root(k).energy, exact.root(k).energy, energy_limit) << "full CI knows no orbitals";
}

TEST_F(Selection, RefusesWhatDoesNotGoTogether) {
  const std::string file = "h2o_631g.fcidump.gz";
  const std::pair<const char*, const char*> cases[] = {
      {"[selection]\nepsilon = [1e-3, 2e-3]\n", "thresholds must descend"},
      {"[selection]\nepsilon = []\n", "selection.epsilon"},
      {"[selection]\nepsilon = -1\n", "selection.epsilon"},
      {"[selection]\ncriterion = \"amplitude\"\nepsilon = 1e-3\n", "no threshold of amplitudes"},
      {"[selection]\ncore = 10\n", "for criterion = \"amplitude\""},
      {"[selection]\nperturbation = \"none\"\n", "does not go with criterion = \"perturbation\""},
      {"[selection]\ncriterion = \"heat-bath\"\nperturbation = \"none\"\ncorrection = 1e-3\n",
       "needs the correction"},
      {"[selection]\nepsilon = 1e-3\ngrowth = 3\n", "grow by numbers"},
      {"[selection]\nstage_end = 0.5\n", "is for thresholds"},
      {"[selection]\nperturbation = \"semistochastic\"\n", "sums over all"},
      {"[selection]\nseed = 3\n", "is for perturbation = \"semistochastic\""},
      {"[selection]\ncriterion = \"hci\"\n", "\"heat-bath\""},
      {"[space]\nbasis = \"csf\"\n[selection]\n", "works on determinants"},
      {"[hamiltonian]\nstorage = \"direct\"\n[selection]\n", "makes a list"},
      {"[solver]\nguess = \"a.h5\"\n[selection]\n", "space.reference = { file"},
      {"[states]\nmultiplicity = 1\n[space]\nspin_complete = false\n[selection]\n", "no roots of one spin"},
      {"[space]\nmax_holes = { orbitals = [1], count = 1 }\n[selection]\n", "take it out"},
  };
  for (const auto& [rest, part] : cases) EXPECT_THAT(refusal(file, rest), HasSubstr(part)) << rest;
  EXPECT_THAT(refusal("complex/h2o_field.columns.fcidump.gz", "[selection]\n"), HasSubstr("complex"));
}

TEST_F(Selection, CheckSaysWhatItWillTake) {
  const auto plan = [&](const std::string& rest) {
    const Input job = input("n2_ccpvdz_fc.fcidump.gz", rest);
    std::ostringstream report;
    task_of(job).check(job, report, {}, {});
    return report.str();
  };
  EXPECT_THAT(plan("[selection]\n"),
              AllOf(HasSubstr("1,000,000"), HasSubstr("Matrix of so many"), HasSubstr("The job fits")));
  EXPECT_THAT(plan("[selection]\ndeterminants = 100000000\n"), HasSubstr("the list ends where"));
}

}  // namespace test_selection
}  // namespace cisolve

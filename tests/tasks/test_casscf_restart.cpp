// SPDX-License-Identifier: MIT
// Orbital optimisations that are interrupted, killed or stopped, and go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stop_token>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_casscf_restart {

using testing::HasSubstr;

constexpr double same_energy = 1e-9;  // hartree: gradients below 1e-6 leave 1e-12, residuals less

/// Takes several iterations from the SCF's orbitals.
std::string lithium_hydride(const std::string& orbitals = "", const std::string& states = "",
                            const std::string& distance = "3") {
  return "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 " + distance +
         "\"\nbasis = \"6-31g\"\n[space]\nexcitation_level = 0\nreference = { electrons = 2, orbitals = 5 }\n"
         "[solver]\ntolerance = 1e-9\n[run]\ndevice = \"cpu\"\nthreads = 1\n[states]\nmultiplicity = "
         "1\nirrep = "
         "\"A1\"\n" +
         states + "[orbitals]\noptimise = \"casscf\"\ngradient_tolerance = 1e-6\n" + orbitals;
}

class CasscfRestart : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  CiConfig config(const std::string& text) const {
    CiConfig c = read_ci_config(parse_input(text, "job.inp"));
    c.output_file = folder_ / "job.h5";
    c.checkpoint_file = folder_ / "job.chk.h5";
    return c;
  }

  RunOutcome run(const CiConfig& c, bool restart, const RunControl& control = {}) {
    report_.str("");
    RunOptions options;
    options.restart = restart;
    return run_ci(c, options, control, report_);
  }

  CiResult finished(const std::string& text, bool restart, RunOutcome expected = RunOutcome::converged) {
    const CiConfig c = config(text);
    EXPECT_EQ(run(c, restart), expected) << report_.str();
    return read_result(c.output_file, true);
  }

  /// In a folder of its own.
  static CiResult uninterrupted(const std::string& text) {
    const test::TemporaryFolder folder;
    CiConfig c = read_ci_config(parse_input(text, "job.inp"));
    c.output_file = folder / "job.h5";
    c.checkpoint_file = folder / "job.chk.h5";
    std::ostringstream report;
    EXPECT_EQ(run_ci(c, {}, {}, report), RunOutcome::converged);
    return read_result(c.output_file, true);
  }

  /// Stops when something is asked for the n-th time whether a checkpoint is wanted: after an iteration.
  RunControl stopped_after(int iterations) {
    RunControl control;
    control.stop = stop_.get_token();
    control.take_checkpoint_request = [this, left = iterations]() mutable {
      if (--left == 0) stop_.request_stop();
      return false;
    };
    return control;
  }

  /// @param of_roots  tolerance: of an average, whose roots are not stationary, the gradient's
  void expect_same_end(const CiResult& found, const CiResult& expected, double of_roots = same_energy) {
    EXPECT_TRUE(found.orbitals->converged);
    EXPECT_NEAR(found.orbitals->energy, expected.orbitals->energy, same_energy);
    ASSERT_EQ(found.roots.size(), expected.roots.size());
    for (std::size_t k = 0; k < found.roots.size(); ++k)
      EXPECT_NEAR(found.root(k).energy, expected.root(k).energy, of_roots);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "job.chk.h5"));
  }

  std::string refusal(const std::string& text) {
    try {
      run(config(text), true);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  const test::TemporaryFolder folder_;
  std::ostringstream report_;
  std::stop_source stop_;
};

TEST_F(CasscfRestart, GoesOnFromTheIterationThatWasInterrupted) {
  const CiResult expected = uninterrupted(lithium_hydride());
  ASSERT_GT(expected.orbitals->history_energy.size(), 6U) << "too short to be interrupted";
  EXPECT_EQ(run(config(lithium_hydride()), false, stopped_after(3)), RunOutcome::interrupted);
  EXPECT_THAT(report_.str(), HasSubstr("go on with: cisolve --restart"));
  const Checkpoint checkpoint = read_checkpoint(folder_ / "job.chk.h5");
  ASSERT_TRUE(checkpoint.header.orbitals);
  EXPECT_EQ(checkpoint.header.orbitals->reached.history_energy.size(), 4U);
  EXPECT_FALSE(checkpoint.header.orbitals->reached.converged);
  ASSERT_TRUE(checkpoint.header.orbitals->vectors);
  ASSERT_EQ(checkpoint.header.orbitals->vectors->size(), 1U);

  const CiResult found = finished(lithium_hydride(), true);
  expect_same_end(found, expected);
  EXPECT_THAT(report_.str(), HasSubstr("goes on from"));
  // Its first iterations are those of before; what follows has forgotten the curvature they taught.
  ASSERT_GT(found.orbitals->history_energy.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(found.orbitals->history_energy[k], expected.orbitals->history_energy[k]) << k;
  EXPECT_LE(found.orbitals->history_energy.size(), expected.orbitals->history_energy.size() + 4);
}

TEST_F(CasscfRestart, AKilledRunGoesOnFromTheLastCheckpoint) {
  const CiResult expected = uninterrupted(lithium_hydride());
  CiConfig c = config(lithium_hydride());
  c.checkpoint_interval = 0.0;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RunControl control;
    control.take_checkpoint_request = [left = 4]() mutable {
      if (--left == 0) ::raise(SIGKILL);
      return false;
    };
    std::ostringstream report;
    run_ci(c, {}, control, report);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(read_checkpoint(c.checkpoint_file).header.orbitals->reached.history_energy.size(), 4U);
  expect_same_end(finished(lithium_hydride(), true), expected);
}

TEST_F(CasscfRestart, GoesOnAfterTheMostIterations) {
  const CiResult expected = uninterrupted(lithium_hydride());
  const CiResult stopped =
      finished(lithium_hydride("max_iterations = 2\n"), false, RunOutcome::not_converged);
  EXPECT_FALSE(stopped.orbitals->converged);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "job.chk.h5"));
  const CiResult found = finished(lithium_hydride(), true);
  expect_same_end(found, expected);
  EXPECT_EQ(found.orbitals->history_energy[2], stopped.orbitals->history_energy[2]);
}

/// A report that asks for a stop when the solver of the last CI writes to it.
class StopsInTheLastCi : public std::stringbuf {
public:
  explicit StopsInTheLastCi(std::stop_source& stop) : stop_(stop) {}

protected:
  int sync() override {
    if (str().find("Davidson iterations") != std::string::npos) stop_.request_stop();
    return std::stringbuf::sync();
  }

private:
  std::stop_source& stop_;
};

/// Its checkpoint holds orbitals and vectors over them.
TEST_F(CasscfRestart, GoesOnWithinTheLastCi) {
  std::string text = lithium_hydride("final = \"natural\"\n");  // with which it begins from the model space
  text.replace(text.find("electrons = 2, orbitals = 5"), 27, "electrons = 4, orbitals = 8");
  const CiResult expected = uninterrupted(text);
  StopsInTheLastCi buffer(stop_);
  std::ostream report(&buffer);
  RunControl control;
  control.stop = stop_.get_token();
  ASSERT_EQ(run_ci(config(text), {}, control, report), RunOutcome::interrupted);
  const Checkpoint checkpoint = read_checkpoint(folder_ / "job.chk.h5");
  EXPECT_GT(checkpoint.header.num_vectors, 0);
  EXPECT_TRUE(checkpoint.header.orbitals->reached.converged);
  EXPECT_FALSE(checkpoint.header.orbitals->vectors);
  const CiResult found = finished(text, true);
  expect_same_end(found, expected);
  EXPECT_THAT(report_.str(), HasSubstr("taken from"));
  EXPECT_EQ(found.sectors[0].solver.start, "of the checkpoint");
  EXPECT_EQ(found.orbitals->coefficients, checkpoint.header.orbitals->reached.coefficients);
  EXPECT_EQ(found.system.integrals_hash, checkpoint.header.integrals_hash);
}

TEST_F(CasscfRestart, MoreRootsBeginWithTheOrbitalsFound) {
  const CiResult expected = uninterrupted(lithium_hydride("", "count = 2\n"));
  const CiResult first = finished(lithium_hydride(), false);
  const CiResult found = finished(lithium_hydride("", "count = 2\n"), true);
  expect_same_end(found, expected, 1e-6);
  EXPECT_EQ(found.orbitals->weights, (std::vector<double>{0.5, 0.5}));
  EXPECT_NE(found.orbitals->history_energy.front(), expected.orbitals->history_energy.front());
}

TEST_F(CasscfRestart, RootsOfNoWeightLeaveTheOrbitals) {
  const CiResult first = finished(lithium_hydride(), false);
  const CiResult found = finished(lithium_hydride("weights = [1, 0]\n", "count = 2\n"), true);
  ASSERT_EQ(found.roots.size(), 2U);
  EXPECT_EQ(found.orbitals->coefficients, first.orbitals->coefficients);
  EXPECT_NEAR(found.root(0).energy, first.root(0).energy, same_energy);
  const CiResult expected = uninterrupted(lithium_hydride("weights = [1, 0]\n", "count = 2\n"));
  // Not stationary for this root: it errs like the orbitals, by the gradient that was reached.
  EXPECT_NEAR(found.root(1).energy, expected.root(1).energy, 1e-5);
}

TEST_F(CasscfRestart, TighterTolerancesGoOn) {
  const CiResult expected = uninterrupted(lithium_hydride("final = \"unchanged\"\n"));
  std::string loose = lithium_hydride("final = \"unchanged\"\n");
  const auto at = loose.find("gradient_tolerance = 1e-6");
  loose.replace(at, std::string("gradient_tolerance = 1e-6").size(), "gradient_tolerance = 1e-3");
  const CiResult first = finished(loose, false);
  const CiResult found = finished(lithium_hydride("final = \"unchanged\"\n"), true);
  expect_same_end(found, expected);
  EXPECT_GT(found.orbitals->history_energy.size(), first.orbitals->history_energy.size());
}

TEST_F(CasscfRestart, AScanGoesOnWithinAnOptimisation) {
  const std::string text =
      lithium_hydride("", "") + "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [2.8, 3.0]\n";
  const auto job = [&](const test::TemporaryFolder& folder) {
    return parse_input(
        text, "job.inp",
        {{.key = "output.file", .value = '"' + (folder / "scan.h5").string() + '"', .where = "a"},
         {.key = "output.checkpoint", .value = '"' + (folder / "scan.chk.h5").string() + '"', .where = "b"}});
  };
  const test::TemporaryFolder other;
  const Input alone = job(other), broken = job(folder_);
  ASSERT_EQ(task_of(alone).run(alone, {}, {}, report_), RunOutcome::converged);
  const CiResult expected = read_scan_point(other / "scan.h5", 2, false);
  RunControl control;
  control.verbose = true;
  control.stop = stop_.get_token();
  control.take_checkpoint_request = [this, left = 3]() mutable {
    if (std::filesystem::exists(folder_ / "scan.h5") && --left == 0) stop_.request_stop();
    return false;
  };
  ASSERT_EQ(task_of(broken).run(broken, {}, control, report_), RunOutcome::interrupted);
  EXPECT_TRUE(read_checkpoint(folder_ / "scan.chk.h5").header.orbitals);
  RunOptions options;
  options.restart = true;
  EXPECT_EQ(task_of(broken).run(broken, options, {}, report_), RunOutcome::converged);
  const CiResult found = read_scan_point(folder_ / "scan.h5", 2, false);
  EXPECT_NEAR(found.orbitals->energy, expected.orbitals->energy, same_energy);
  EXPECT_EQ(found.orbitals->history_energy.front(), expected.orbitals->history_energy.front());
}

TEST_F(CasscfRestart, AScanOfOtherOrbitalsIsRefused) {
  const std::string scan = "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [2.8, 3.0]\n";
  const auto outcome = [&](const std::string& text, bool restart) {
    const Input input = parse_input(
        text, "job.inp",
        {{.key = "output.file", .value = '"' + (folder_ / "scan.h5").string() + '"', .where = "a"},
         {.key = "output.checkpoint",
          .value = '"' + (folder_ / "scan.chk.h5").string() + '"',
          .where = "b"}});
    RunOptions options;
    options.restart = restart;
    return task_of(input).run(input, options, {}, report_);
  };
  const auto refused = [&](const std::string& text) -> std::string {
    try {
      outcome(text, true);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string two = "count = 2\n";
  ASSERT_EQ(outcome(lithium_hydride("weights = [0.5, 0.5]\n", two) + scan, false), RunOutcome::converged);
  EXPECT_THAT(refused(lithium_hydride("weights = [0.9, 0.1]\n", two) + scan), HasSubstr("orbitals.weights"));
  EXPECT_THAT(refused(lithium_hydride("weights = [0.5, 0.5]\nfixed = [1]\n", two) + scan),
              HasSubstr("orbitals.fixed"));
  const std::string plain = lithium_hydride("", two);
  EXPECT_THAT(refused(plain.substr(0, plain.find("[orbitals]")) + scan),
              HasSubstr("its orbitals are of [orbitals]"));
  EXPECT_EQ(outcome(lithium_hydride("weights = [0.5, 0.5]\nmax_iterations = 40\n", two) + scan, true),
            RunOutcome::converged);
}

TEST_F(CasscfRestart, RefusesCheckpointsOfOtherJobs) {
  EXPECT_EQ(run(config(lithium_hydride()), false, stopped_after(2)), RunOutcome::interrupted);
  EXPECT_THAT(refusal(lithium_hydride("", "", "3.1")), HasSubstr("belongs to other integrals"));
  std::string triplet = lithium_hydride();
  triplet.replace(triplet.find("multiplicity = 1"), std::string("multiplicity = 1").size(),
                  "multiplicity = 3");
  EXPECT_THAT(refusal(triplet), HasSubstr("belongs to other states"));
  EXPECT_THAT(refusal(lithium_hydride("fixed = [1]\n")), HasSubstr("has turned orbital 1"));
  const std::string plain = lithium_hydride().substr(0, lithium_hydride().find("[orbitals]"));
  EXPECT_THAT(refusal(plain), HasSubstr("has optimised orbitals"));
  std::filesystem::remove(folder_ / "job.chk.h5");
  finished(plain, false);
  EXPECT_THAT(refusal(lithium_hydride()), HasSubstr("has no optimised orbitals"));
}

}  // namespace test_casscf_restart
}  // namespace cisolve

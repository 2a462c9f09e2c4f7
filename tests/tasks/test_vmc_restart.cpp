// SPDX-License-Identifier: MIT
// Variational Monte Carlo gives the same bits on any number of threads, and after any restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stop_token>

#include "tasks/vmc_job.hpp"

namespace cisolve {
namespace test_vmc_restart {

using test::expect_same_bits;
using test::LatticeJob;
using test::refusal_of;
using test::run_to_end;
using test::short_run;
using test::vmc_case;
using test::vmc_input_of;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const RunOptions restart = {.restart = true};

/// 3 blocks of equilibration and 10 of measurement, after 12 iterations with three parameters where that is asked for.
LatticeJob job_of(bool optimised, std::vector<std::string> more = {}) {
  if (optimised) {
    for (const char* one : {"vmc.optimise=[\"delta\", \"mu\", \"jastrow\"]", "vmc.mu=-0.3",
                            "vmc.jastrow=[0.1]", "vmc.spin_jastrow=[-0.2]", "optimisation.iterations=12",
                            "optimisation.sweeps=30", "optimisation.window=3", "optimisation.tolerance=10"})
      more.emplace_back(one);
  }
  return LatticeJob(vmc_input_of(vmc_case("tj10_44_d1.0_exact")), short_run(std::move(more)));
}

std::filesystem::path checkpoint_of(const LatticeJob& job) { return job.folder() / "job.chk.h5"; }

/// Hears at the end of each block and iteration whether there is a request.
struct BlockEnds {
  std::function<bool(int)> is_requested;  ///< a checkpoint; of the number of the end, from 1
  int stop_at = 0;                        ///< 0: never
  int count = 0;
  std::stop_source source = {};

  RunControl control() {
    RunControl control;
    control.stop = source.get_token();
    control.take_checkpoint_request = [this] {
      if (++count == stop_at) source.request_stop();
      return is_requested && is_requested(count);
    };
    return control;
  }
};

RunOutcome run_until(LatticeJob& job, int block_end, const RunOptions& options = {}) {
  BlockEnds ends{.is_requested = {}, .stop_at = block_end};
  return job.run(options, ends.control());
}

class VmcThreads : public testing::TestWithParam<bool> {};

TEST_P(VmcThreads, GiveTheSameBits) {
  LatticeJob one = job_of(GetParam());
  one.run();
  const VmcResult expected = read_vmc(one.file());
  for (const char* threads : {"run.threads=2", "run.threads=7"}) {
    LatticeJob job = job_of(GetParam(), {threads});
    job.run();
    expect_same_bits(read_vmc(job.file()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, VmcThreads, testing::Bool());

class VmcRestart : public testing::TestWithParam<bool> {};

TEST_P(VmcRestart, FromEveryBlockEndGivesTheSameBits) {
  LatticeJob whole = job_of(GetParam());
  BlockEnds ends;
  const RunOutcome outcome = whole.run({}, ends.control());
  const VmcResult expected = read_vmc(whole.file());
  ASSERT_GE(ends.count, 13);
  int interrupted = 0;
  for (int end = 1; end <= ends.count; ++end) {
    SCOPED_TRACE(end);
    LatticeJob job = job_of(GetParam());
    if (run_until(job, end) != RunOutcome::interrupted) continue;  // nothing was left to do
    ++interrupted;
    EXPECT_FALSE(std::filesystem::exists(job.file()));
    EXPECT_THAT(job.report(), HasSubstr("Interrupted; go on with: cisolve --restart"));
    LatticeJob on_two = job_of(GetParam(), {"run.threads=2"});
    std::filesystem::rename(checkpoint_of(job), checkpoint_of(on_two));
    EXPECT_EQ(on_two.run(restart), outcome);
    EXPECT_THAT(on_two.report(), HasSubstr("Going on from"));
    expect_same_bits(read_vmc(on_two.file()), expected);
    EXPECT_FALSE(std::filesystem::exists(checkpoint_of(on_two)));
  }
  EXPECT_EQ(interrupted, ends.count - 1);
}

TEST_P(VmcRestart, StoppedAgainAndAgain) {
  LatticeJob whole = job_of(GetParam()), job = job_of(GetParam());
  const RunOutcome outcome = whole.run();
  RunOutcome found = run_until(job, 1);
  int restarts = 0;
  for (; found == RunOutcome::interrupted; ++restarts) found = run_until(job, 1, restart);
  EXPECT_EQ(found, outcome);
  EXPECT_GE(restarts, 11);
  expect_same_bits(read_vmc(job.file()), read_vmc(whole.file()));
}

/// SIGUSR1: a checkpoint, and on.
TEST_P(VmcRestart, FromACheckpointThatWasAskedFor) {
  LatticeJob job = job_of(GetParam());
  const auto copy = job.folder() / "kept.h5";
  constexpr int asked = 7;
  BlockEnds ends{.is_requested = [&](int end) {
    if (end == asked + 1) std::filesystem::copy_file(checkpoint_of(job), copy);
    return end == asked;
  }};
  const RunOutcome outcome = job.run({}, ends.control());
  const VmcResult expected = read_vmc(job.file());
  LatticeJob again = job_of(GetParam());
  EXPECT_EQ(again.run({.restart = true, .checkpoint = copy}), outcome);
  EXPECT_TRUE(std::filesystem::exists(copy));
  expect_same_bits(read_vmc(again.file()), expected);
}

INSTANTIATE_TEST_SUITE_P(Runs, VmcRestart, testing::Bool());

/// With an interval of 0 there is one after every block.
TEST(VmcCheckpoints, AreWrittenWhenDue) {
  LatticeJob job = job_of(false, {"output.checkpoint_interval=0"});
  int seen = 0;
  RunControl control;
  control.log = [&](LogLevel, std::string_view line) {
    if (line.find("checkpoint written") != std::string_view::npos) ++seen;
  };
  job.run({}, control);
  EXPECT_EQ(seen, 13);
  LatticeJob never = job_of(false);
  seen = 0;
  never.run({}, control);
  EXPECT_EQ(seen, 0);
}

TEST(VmcExtension, EqualsALongerRun) {
  LatticeJob whole = job_of(false, {"vmc.sweeps=400"});
  const VmcResult expected = run_to_end(whole);
  LatticeJob job = job_of(false);
  run_to_end(job);
  LatticeJob longer = job_of(false, {"vmc.sweeps=400"});
  std::filesystem::copy_file(job.file(), longer.file());
  expect_same_bits(run_to_end(longer, restart), expected);
  // Of a file elsewhere, and of an optimised state.
  LatticeJob other = job_of(false, {"vmc.sweeps=400"});
  expect_same_bits(run_to_end(other, {.restart = true, .checkpoint = job.file()}), expected);
  LatticeJob optimised = job_of(true), longer_optimised = job_of(true, {"vmc.sweeps=400"});
  optimised.run();
  longer_optimised.run();
  LatticeJob extended = job_of(true, {"vmc.sweeps=400"});
  extended.run({.restart = true, .checkpoint = optimised.file()});
  expect_same_bits(read_vmc(extended.file()), read_vmc(longer_optimised.file()));
}

TEST(VmcExtension, OfAFinishedRunChangesNothing) {
  LatticeJob job = job_of(false);
  const VmcResult first = run_to_end(job);
  expect_same_bits(run_to_end(job, restart), first);
}

TEST(VmcExtension, ToASmallerError) {
  LatticeJob job = job_of(false, {"vmc.target_error=5e-3", "vmc.sweeps=4000"});
  const VmcResult first = run_to_end(job);
  LatticeJob finer = job_of(false, {"vmc.target_error=2e-3", "vmc.sweeps=4000"});
  LatticeJob whole = job_of(false, {"vmc.target_error=2e-3", "vmc.sweeps=4000"});
  const VmcResult second = run_to_end(finer, {.restart = true, .checkpoint = job.file()});
  EXPECT_GT(second.sweeps, first.sweeps);
  expect_same_bits(second, run_to_end(whole));
}

// --- what is refused

TEST(VmcRefusedRestarts, OfAnotherCalculation) {
  LatticeJob job = job_of(false);
  run_to_end(job);
  const auto refused = [&](LatticeJob other) {
    const std::string message = refusal_of(other, {.restart = true, .checkpoint = job.file()});
    EXPECT_FALSE(std::filesystem::exists(other.file()));
    return message;
  };
  EXPECT_THAT(refused(job_of(false, {"lattice.J=0.4"})),
              AllOf(HasSubstr("is of another calculation"), HasSubstr("there \"lattice.J = 0.3\""),
                    HasSubstr("here \"lattice.J = 0.4\"")));
  EXPECT_THAT(refused(job_of(false, {"vmc.seed=2"})),
              HasSubstr("there \"vmc.seed = 1\", here \"vmc.seed = 2\""));
  EXPECT_THAT(refused(job_of(false, {"vmc.chains=8"})), HasSubstr("vmc.chains = 16"));
  EXPECT_THAT(refused(job_of(false, {"vmc.block=10"})), HasSubstr("vmc.block = 20"));
  EXPECT_THAT(refused(job_of(true)), HasSubstr("vmc.mu"));
  EXPECT_THAT(refused(LatticeJob(vmc_input_of(vmc_case("tj10_33_d1.5_cut100")), short_run())),
              HasSubstr("lattice.electrons"));
}

/// Bonds of a file are not in the input.
TEST(VmcRefusedRestarts, OfOtherBondsInAFile) {
  const test::TemporaryFolder folder;
  const auto bonds = folder / "graph.txt";
  const std::string input =
      "[lattice]\nkind = \"bonds\"\nsites = 5\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 4\nbonds_file = \"" +
      bonds.string() + "\"\n[vmc]\nwavefunction = \"fermi-sea\"\n";
  LatticeJob job(input, short_run());
  std::ofstream(bonds) << "1 2\n2 3\n3 4\n4 5\n";
  const VmcResult first = run_to_end(job);
  expect_same_bits(run_to_end(job, restart), first);
  std::ofstream(bonds) << "1 2\n2 3\n3 4 0.9\n4 5\n";
  EXPECT_THAT(refusal_of(job, restart),
              AllOf(HasSubstr("is of another calculation"), HasSubstr("lattice.bonds_file has other bonds")));
}

TEST(VmcRefusedRestarts, WithoutAnythingToGoOnFrom) {
  LatticeJob job = job_of(false);
  EXPECT_THAT(refusal_of(job, restart),
              AllOf(HasSubstr("neither the checkpoint '"), HasSubstr("job.chk.h5"), HasSubstr("job.h5")));
  EXPECT_THAT(refusal_of(job, {.restart = true, .checkpoint = job.folder() / "none.h5"}),
              HasSubstr("none.h5"));
  EXPECT_THAT(refusal_of(job, {.extend = true}), HasSubstr("--extend adds points to a scan"));
}

TEST(VmcRefusedRestarts, OfAnotherKindOfResult) {
  LatticeJob exact("[lattice]\nkind = \"chain\"\nsize = 6\nmodel = \"t-J\"\nJ = 0.4\nelectrons = 4\n");
  exact.run();
  LatticeJob job = job_of(false);
  EXPECT_THAT(refusal_of(job, {.restart = true, .checkpoint = exact.file()}),
              HasSubstr("is not of variational Monte Carlo"));
  std::ofstream(checkpoint_of(job)) << "not HDF5";
  EXPECT_THAT(refusal_of(job, restart), HasSubstr("job.chk.h5"));
}

class VmcDamage : public testing::Test {
protected:
  /// In the middle of measuring.
  VmcDamage() { EXPECT_EQ(run_until(job_, 13), RunOutcome::interrupted); }

  std::filesystem::path checkpoint() const { return checkpoint_of(job_); }

  /// What a restart says of the checkpoint once it has been changed.
  std::string refusal(const std::function<void(Hdf5Group)>& change) {
    const auto changed = job_.folder() / "changed.h5";
    std::filesystem::copy_file(checkpoint(), changed, std::filesystem::copy_options::overwrite_existing);
    test::change_file(changed, [&](const Hdf5Group& root) { change(root.open_group("vmc")); });
    const std::string message = refusal_of(job_, {.restart = true, .checkpoint = changed});
    EXPECT_FALSE(std::filesystem::exists(job_.file()));
    return message;
  }

  /// The state's attributes written anew.
  std::string refusal_of_attributes(std::int32_t phase, std::int64_t sweeps_done) {
    return refusal([&](Hdf5Group vmc) {
      vmc.move("state", vmc, "old");
      Hdf5Group old = vmc.open_group("old"), state = vmc.create_group("state");
      state.write_attribute("phase", phase);
      state.write_attribute("sweeps_done", sweeps_done);
      state.write_attribute("seconds", old.read_attribute<double>("seconds"));
      state.write_attribute("steps", old.read_attribute<std::int64_t>("steps"));
      for (const std::string& name : old.names()) old.move(name, state, name);
      vmc.remove("old");
    });
  }

  /// An array of the state with another content.
  template <class T>
  std::string refusal_of_array(const std::string& group, const char* name,
                               const std::function<void(std::vector<T>&)>& spoil) {
    return refusal([&](const Hdf5Group& vmc) {
      Hdf5Group parent = vmc.open_group("state");
      if (!group.empty()) parent = parent.open_group(group);
      std::vector<T> values = parent.read<T>(name).values;
      spoil(values);
      parent.remove(name);
      parent.write<T>(name, values, {values.size()}, {.description = "changed"});
    });
  }

  LatticeJob job_ = job_of(true);
};

TEST_F(VmcDamage, OfBytesIsSeen) {
  const auto size = std::filesystem::file_size(checkpoint());
  for (const double share : {0.02, 0.3, 0.7, 0.99}) {
    const auto changed = job_.folder() / "changed.h5";
    std::filesystem::copy_file(checkpoint(), changed, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(changed, static_cast<std::uintmax_t>(share * static_cast<double>(size)));
    EXPECT_THAT(refusal_of(job_, {.restart = true, .checkpoint = changed}), HasSubstr("changed.h5")) << share;
    std::filesystem::copy_file(checkpoint(), changed, std::filesystem::copy_options::overwrite_existing);
    std::fstream stream(changed, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(share * static_cast<double>(size));
    stream.seekg(at);
    const int byte = stream.get();
    stream.seekp(at);
    stream.put(static_cast<char>(byte ^ 16));
    stream.close();
    EXPECT_THAT(refusal_of(job_, {.restart = true, .checkpoint = changed}), HasSubstr("changed.h5")) << share;
  }
}

TEST_F(VmcDamage, OfNumbersIsSeen) {
  EXPECT_THAT(refusal_of_attributes(5, 0), HasSubstr("names no phase"));
  EXPECT_THAT(refusal_of_attributes(0, 3), HasSubstr("has not measured what its sweeps measure"));
  EXPECT_THAT(refusal_of_attributes(1, 1'000'000), HasSubstr("has not measured"));
  EXPECT_THAT(refusal_of_attributes(2, -20), HasSubstr("has not measured"));
  EXPECT_THAT(refusal_of_attributes(2, 2000), HasSubstr("has not measured"));
  EXPECT_THAT(refusal_of_array<double>("", "trial", [](auto& x) { x.pop_back(); }), HasSubstr("trial"));
  EXPECT_THAT(refusal_of_array<double>("", "trial", [](auto& x) { x[0] = -1.0; }), HasSubstr("delta"));
  EXPECT_THAT(refusal_of_array<double>("sums", "kinetic", [](auto& x) { x.pop_back(); }),
              HasSubstr("its sums are not those of its chains"));
  EXPECT_THAT(refusal_of_array<double>("sums", "s_s", [](auto& x) { x.clear(); }), HasSubstr("its sums"));
  EXPECT_THAT(refusal_of_array<std::int32_t>("sums", "stuck", [](auto& x) { x.push_back(0); }),
              HasSubstr("its sums"));
  EXPECT_THAT(refusal_of_array<double>("energies", "values", [](auto& x) { x.pop_back(); }),
              HasSubstr("is damaged"));
  EXPECT_THAT(refusal_of_array<std::int32_t>("chains", "places", [](auto& x) { x[0] = x[1]; }),
              HasSubstr("no configuration"));
  EXPECT_THAT(refusal_of_array<std::int32_t>("chains", "places", [](auto& x) { x[0] = 1000; }),
              HasSubstr("no configuration"));
  EXPECT_THAT(refusal_of_array<std::int32_t>("chains", "rebuild_interval", [](auto& x) { x[0] = 0; }),
              HasSubstr("never recomputed"));
  EXPECT_THAT(refusal_of_array<double>("optimisation", "energy", [](auto& x) { x.pop_back(); }),
              HasSubstr("is damaged"));
  EXPECT_THAT(refusal([](const Hdf5Group& vmc) { vmc.open_group("state").remove("optimisation"); }),
              HasSubstr("its optimisation is not that of its input"));
  EXPECT_THAT(refusal([](Hdf5Group vmc) { vmc.remove("state"); }), HasSubstr("holds nothing to go on from"));
}

}  // namespace test_vmc_restart
}  // namespace cisolve

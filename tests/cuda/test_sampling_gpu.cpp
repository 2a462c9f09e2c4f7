// SPDX-License-Identifier: MIT
// Markov chains on the device against those of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cuda/device_test.hpp"
#include "cuda/sampling/engine.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve::cuda::sampling {
namespace test_sampling_gpu {

using cisolve::test::DeviceTest;
using cisolve::test::DeviceTestWithParam;
using cisolve::test::ReferenceState;

/// A state, and how it is walked with.
struct Case {
  std::string name;
  ReferenceState state;
  WalkConfig config = {};
};

ReferenceState named(const std::string& name) {
  return cisolve::test::reference_state("trajectory.json", name);
}

ReferenceState with(ReferenceState state, std::vector<TrialParameter> varied) {
  state.varied = std::move(varied);
  return state;
}

ReferenceState hubbard(const Cluster& cluster, ElectronNumbers electrons, const TrialParameters& parameters) {
  return {.name = "hubbard",
          .model = make_lattice_model(LatticeHamiltonian::hubbard, cluster, {.t2 = -0.2, .u = 6.0, .v = 0.4}),
          .electrons = electrons,
          .parameters = parameters};
}

/// With a Jastrow factor, all of which is varied too.
ReferenceState with_jastrow(ReferenceState state) {
  state.parameters.jastrow = {0.3, -0.1};
  state.parameters.spin_jastrow = {-0.3, 0.2, 0.1};
  for (int shell = 1; shell <= 2; ++shell) state.varied.emplace_back(TrialParameter::jastrow, shell);
  for (int shell = 1; shell <= 3; ++shell) state.varied.emplace_back(TrialParameter::spin_jastrow, shell);
  return state;
}

std::vector<Case> all_cases() {
  using enum TrialParameter::Kind;
  const TrialParameters pairs_of_hubbard{.delta = 0.8, .mu = -0.3, .gutzwiller = 0.5};
  const Boundary open{.open = true}, antiperiodic{.angle = 1.0};
  return {{"tj10", with(named("tj10_44_cut100_chain0"), {delta, mu}), {.seed = 13213}},
          {"tj10_ghosts", with(named("tj10_44_exact_seed64"), {delta}), {.seed = 1311768467463790320ULL}},
          {"tj10_neighbours", named("tj10_44_neighbours"), {.seed = 7, .neighbour_fraction = 0.5}},
          {"tj26", with(named("tj26_1212_cut100"), {delta, mu, t2}), {.seed = 13213}},
          {"tj26_ghosts", cisolve::test::tilted_pairs(5, 12), {}},
          {"tj82", with(named("tj82_3737_cut100"), {delta, mu}), {.seed = 13213}},
          {"tj122", cisolve::test::tilted_pairs(11, 55), {}},
          {"tj226", with(cisolve::test::tilted_pairs(15, 102), {delta}), {}},
          {"tj10_sea", named("tj10_51_sea"), {.seed = 3}},
          {"hubbard10_sea",
           with(named("hub10_55_g0.5"), {log_gutzwiller}),
           {.seed = 3, .neighbour_fraction = 0.25, .exchange_fraction = 0.25}},
          {"hubbard10_pairs",
           with(named("hub10_44_bcs_g0.5"), {delta, mu, log_gutzwiller}),
           {.seed = 3, .exchange_fraction = 0.25}},
          {"hubbard50_pairs",
           with(hubbard(Cluster::tilted(7), {20, 20}, pairs_of_hubbard), {delta, log_gutzwiller}),
           {.neighbour_fraction = 0.2}},
          {"hubbard12_open_sea",
           hubbard(Cluster::rectangle(3, 4, {open, open}), {5, 3},
                   {.wavefunction = Wavefunction::fermi_sea, .gutzwiller = 0.7}),
           {.neighbour_fraction = 0.3}},
          {"hubbard48_antiperiodic",
           hubbard(Cluster::rectangle(6, 8, {Boundary{}, antiperiodic}), {17, 17}, pairs_of_hubbard),
           {}},
          {"tj26_jastrow", with_jastrow(with(cisolve::test::tilted_pairs(5, 12), {delta})), {}},
          {"tj82_jastrow", with_jastrow(named("tj82_3737_cut100")), {.neighbour_fraction = 0.1}},
          {"tj226_jastrow", with_jastrow(cisolve::test::tilted_pairs(15, 102)), {}},
          {"hubbard50_jastrow",
           with_jastrow(with(hubbard(Cluster::tilted(7), {20, 20}, pairs_of_hubbard), {log_gutzwiller})),
           {}},
          {"hubbard12_open_jastrow",
           with_jastrow(hubbard(Cluster::rectangle(3, 4, {open, open}), {5, 3},
                                {.wavefunction = Wavefunction::fermi_sea, .gutzwiller = 0.7})),
           {.neighbour_fraction = 0.3}}};
}

Case case_named(const std::string& name) {
  for (const Case& one : all_cases()) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no case " + name);
}

std::vector<EngineKind> kinds_of(const ReferenceState& state) {
  std::vector<EngineKind> kinds = {EngineKind::plain};
  if (state.parameters.wavefunction == Wavefunction::fermi_sea) return kinds;
  if (state.model.sites() <= 32) kinds.push_back(EngineKind::small);
  if (state.model.sites() <= 160) kinds.push_back(EngineKind::shared);
  kinds.push_back(EngineKind::delayed);
  return kinds;
}

constexpr std::array<int, 1> first_device = {0};

std::unique_ptr<ChainEngine> device_engine(const Case& of, std::uint32_t first, int chains, EngineKind kind) {
  return make_device_engine(of.state.model, of.state.trial(), of.config, first, chains, first_device,
                            {.kind = kind});
}

/// Of sums over ratios of determinants whose condition is 1e6 or less.
void expect_near(const std::vector<double>& found, const std::vector<double>& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_NEAR(found[k], expected[k], 1e-9 * std::max(1.0, std::abs(expected[k]))) << what << " " << k;
}

void expect_near(const BlockSums& found, const BlockSums& expected) {
  expect_near(found.energy, expected.energy, "energy");
  expect_near(found.kinetic, expected.kinetic, "kinetic");
  expect_near(found.exchange, expected.exchange, "exchange");
  expect_near(found.double_occupancy, expected.double_occupancy, "double occupancy");
  expect_near(found.density, expected.density, "density");
  expect_near(found.kinetic_squared, expected.kinetic_squared, "kinetic squared");
  expect_near(found.exchange_squared, expected.exchange_squared, "exchange squared");
  expect_near(found.double_occupancy_squared, expected.double_occupancy_squared, "double occupancy squared");
  expect_near(found.density_squared, expected.density_squared, "density squared");
  expect_near(found.derivative, expected.derivative, "derivative");
  expect_near(found.derivative_energy, expected.derivative_energy, "derivative energy");
  expect_near(found.derivative_product, expected.derivative_product, "derivative product");
  expect_near(found.n_n, expected.n_n, "n n");
  expect_near(found.sz_sz, expected.sz_sz, "Sz Sz");
  expect_near(found.s_s, expected.s_s, "S S");
  expect_near(found.hop_up, expected.hop_up, "hop up");
  expect_near(found.hop_down, expected.hop_down, "hop down");
  EXPECT_EQ(found.accepted, expected.accepted);
  EXPECT_EQ(found.parameters, expected.parameters);
  EXPECT_EQ(found.displacements, expected.displacements);
  ASSERT_EQ(found.drift.size(), expected.drift.size());
  for (const double drift : found.drift) EXPECT_LT(drift, 1e-7);
}

class SamplingGpu : public DeviceTest {};
class SamplingWalksGpu : public DeviceTestWithParam<std::string> {};

TEST_P(SamplingWalksGpu, AreThoseOfTheHost) {
  const Case of = case_named(GetParam());
  constexpr int chains = 6;
  const int sites = of.state.model.sites(), block = std::max(10, 2500 / sites);
  for (const EngineKind kind : kinds_of(of.state)) {
    SCOPED_TRACE(static_cast<int>(kind));
    const auto host = make_host_engine(of.state.model, of.state.trial(), of.config, 1, chains);
    const auto device = device_engine(of, 1, chains, kind);
    ASSERT_EQ(device->states(), host->states());
    BlockPlan plan{
        .sweeps = block, .energy_interval = 1, .correlation_interval = 7, .with_derivatives = true};
    for (std::int64_t steps = 0; steps < 10000; steps += std::int64_t{block} * sites) {
      SCOPED_TRACE(plan.first_sweep);
      BlockSums found, expected;
      device->advance_block(plan, found);
      host->advance_block(plan, expected);
      ASSERT_EQ(device->states(), host->states());
      expect_near(found, expected);
      plan.first_sweep += block;
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SamplingWalksGpu,
                         testing::Values("tj10", "tj10_ghosts", "tj10_neighbours", "tj26", "tj26_ghosts",
                                         "tj82", "tj122", "tj226", "tj10_sea", "hubbard10_sea",
                                         "hubbard10_pairs", "hubbard50_pairs", "hubbard12_open_sea",
                                         "hubbard48_antiperiodic", "tj26_jastrow", "tj82_jastrow",
                                         "tj226_jastrow", "hubbard50_jastrow", "hubbard12_open_jastrow"),
                         [](const auto& suite) { return suite.param; });

constexpr BlockPlan all_measured = {
    .sweeps = 60, .energy_interval = 2, .correlation_interval = 9, .with_derivatives = true};

BlockPlan after(const BlockPlan& plan) {
  BlockPlan next = plan;
  next.first_sweep += plan.sweeps;
  return next;
}

TEST_F(SamplingGpu, DelayedTablesOfAllRanksWalkAlike) {
  const Case of = case_named("tj82");
  const TrialState trial = of.state.trial();
  BlockSums expected, found;
  const auto plain = device_engine(of, 0, 8, EngineKind::plain);
  plain->advance_block(all_measured, expected);
  for (const int ranks : {4, 8, 16, 32}) {
    for (const int threads : {128, 256}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << threads << " threads");
      const auto engine =
          make_device_engine(of.state.model, trial, of.config, 0, 8, first_device,
                             {.kind = EngineKind::delayed, .ranks = ranks, .threads = threads});
      engine->advance_block(all_measured, found);
      ASSERT_EQ(engine->states(), plain->states());
      expect_near(found, expected);
    }
  }
}

TEST_F(SamplingGpu, ChainsGoOnFromTheirStatesToTheLastBit) {
  for (const Case& of : all_cases()) {
    SCOPED_TRACE(of.name);
    const TrialState trial = of.state.trial();
    const auto engine = device_engine(of, 3, 5, EngineKind::automatic);
    BlockSums first, second, again;
    engine->advance_block(all_measured, first);
    const ChainStates between = engine->states();
    engine->advance_block(after(all_measured), second);
    const auto restarted = make_device_engine(of.state.model, trial, of.config, between, first_device);
    EXPECT_EQ(restarted->states(), between);
    restarted->advance_block(after(all_measured), again);
    EXPECT_EQ(again, second);
    EXPECT_EQ(restarted->states(), engine->states());
    engine->set_states(between);
    EXPECT_EQ(engine->states(), between);
    engine->advance_block(after(all_measured), again);
    EXPECT_EQ(again, second);
  }
}

template <class T>
std::vector<T> part(const std::vector<T>& all, int first, int count, int of) {
  const std::size_t each = all.size() / static_cast<std::size_t>(of);
  return {all.begin() + static_cast<std::ptrdiff_t>(each) * first,
          all.begin() + static_cast<std::ptrdiff_t>(each) * (first + count)};
}

TEST_F(SamplingGpu, ChainsAreFunctionsOfTheirNumbers) {
  // So many that some wait for others.
  for (const auto& [name, chains] : {std::pair{"tj26", 6000},
                                     {"tj82", 1000},
                                     {"tj226", 600},
                                     {"hubbard10_sea", 3000},
                                     {"hubbard50_jastrow", 1000}}) {
    SCOPED_TRACE(name);
    const Case of = case_named(name);
    BlockSums all, few;
    const auto many = device_engine(of, 0, chains, EngineKind::automatic);
    many->advance_block(all_measured, all);
    for (const auto& [first, count] : {std::pair{0, 2}, {chains - 5, 5}, {chains / 2, 3}}) {
      const auto some = device_engine(of, static_cast<std::uint32_t>(first), count, EngineKind::automatic);
      some->advance_block(all_measured, few);
      EXPECT_EQ(some->states().places, part(many->states().places, first, count, chains));
      EXPECT_EQ(few.energy, part(all.energy, first, count, chains));
      EXPECT_EQ(few.derivative_product, part(all.derivative_product, first, count, chains));
      EXPECT_EQ(few.s_s, part(all.s_s, first, count, chains));
      EXPECT_EQ(few.drift, part(all.drift, first, count, chains));
    }
  }
}

TEST_F(SamplingGpu, SeveralDevicesGiveTheSums) {
  const Case of = case_named("tj26");
  const TrialState trial = of.state.trial();
  const auto present = visible_devices();
  std::vector<int> ordinals;
  for (std::size_t k = 0; k < 3; ++k) ordinals.push_back(present[k % present.size()].ordinal);
  const auto one = device_engine(of, 2, 20, EngineKind::automatic);
  const auto several = make_device_engine(of.state.model, trial, of.config, 2, 20, ordinals);
  BlockSums expected, found;
  for (BlockPlan plan = all_measured; plan.first_sweep < 120; plan = after(plan)) {
    one->advance_block(plan, expected);
    several->advance_block(plan, found);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(several->states(), one->states());
  }
  several->set_states(one->states());
  EXPECT_EQ(several->states(), one->states());
}

TEST_F(SamplingGpu, ChainsGoOnWithOtherParameters) {
  for (const char* name : {"tj10_ghosts", "tj82", "tj226", "hubbard10_pairs"}) {
    SCOPED_TRACE(name);
    Case of = case_named(name);
    const auto host = make_host_engine(of.state.model, of.state.trial(), of.config, 0, 12);
    const auto device = device_engine(of, 0, 12, EngineKind::automatic);
    BlockSums expected, found;
    host->advance_block(all_measured, expected);
    device->advance_block(all_measured, found);
    // Another number of ghosts, too.
    of.state.parameters.mu = -1.5;
    of.state.parameters.delta = 0.7;
    host->set_trial(of.state.trial());
    device->set_trial(of.state.trial());
    ASSERT_EQ(device->states(), host->states());
    host->advance_block(after(all_measured), expected);
    device->advance_block(after(all_measured), found);
    EXPECT_EQ(device->states(), host->states());
    expect_near(found, expected);
  }
}

TEST_F(SamplingGpu, ChainsDoNotStayWhereAnotherStateVanishes) {
  ReferenceState state = cisolve::test::tilted_pairs(3, 4);
  state.parameters.mu = -4.5;
  const auto host = make_host_engine(state.model, state.trial(), {}, 0, 64);
  const auto device = make_device_engine(state.model, state.trial(), {}, 0, 64, first_device);
  BlockSums sums;
  host->advance_block({.sweeps = 20}, sums);
  device->advance_block({.sweeps = 20}, sums);
  state.parameters.mu = 0.0;
  host->set_trial(state.trial());
  device->set_trial(state.trial());
  EXPECT_EQ(device->states(), host->states());
}

TEST_F(SamplingGpu, TablesThatDriftAreMadeAnewMoreOften) {
  for (const char* name : {"tj26", "tj82", "tj226"}) {
    Case of = case_named(name);
    of.config.block = 40;
    of.config.drift_tolerance = 1e-300;
    const auto engine = device_engine(of, 0, 2, EngineKind::automatic);
    BlockSums sums;
    engine->advance_block({.sweeps = 40}, sums);
    EXPECT_EQ(engine->states().rebuild_interval, std::vector<int>(2, 20));
    engine->advance_block({.sweeps = 40}, sums);
    EXPECT_EQ(engine->states().rebuild_interval, std::vector<int>(2, 1));
    for (const double drift : sums.drift) EXPECT_LT(drift, 1e-8);
  }
}

TEST_F(SamplingGpu, RefusesStatesOfOthers) {
  const Case of = case_named("tj10");
  const auto engine = device_engine(of, 0, 2, EngineKind::automatic);
  const ChainStates good = engine->states();
  ChainStates twice = good;
  twice.places[1] = twice.places[0];
  EXPECT_THROW(engine->set_states(twice), DimensionError);
  ChainStates others = good;
  others.first_chain = 1;
  EXPECT_THROW(engine->set_states(others), DimensionError);
  EXPECT_THROW(engine->set_trial(cisolve::test::tilted_pairs(3, 3).trial()), DimensionError);
  EXPECT_THROW(device_engine(case_named("tj82"), 0, 2, EngineKind::small), DimensionError);
  EXPECT_THROW(device_engine(case_named("tj226"), 0, 2, EngineKind::shared), DimensionError);
  EXPECT_THROW(device_engine(case_named("tj10_sea"), 0, 2, EngineKind::delayed), DimensionError);
}

TEST_F(SamplingGpu, MemoryOfChainsIsThatOfTheirTables) {
  const ReferenceState state = cisolve::test::tilted_pairs(15, 102);
  EXPECT_NEAR(static_cast<double>(device_bytes_per_chain(state.model, state.trial())), 226.0 * 232 * 8,
              20000);
  EXPECT_GT(device_bytes_of_engine(state.trial(), 1056), 100 << 20);
}

}  // namespace test_sampling_gpu
}  // namespace cisolve::cuda::sampling

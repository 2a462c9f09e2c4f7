// SPDX-License-Identifier: MIT
#include "cisolve/sampling/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve {
namespace test_sampler {

using test::ReferenceState;

/// Sums of two blocks, and the states after them.
struct TwoBlocks {
  BlockSums first = {}, second = {};
  ChainStates states = {};

  bool operator==(const TwoBlocks&) const = default;
};

constexpr BlockPlan all_measured = {
    .sweeps = 20, .energy_interval = 3, .correlation_interval = 7, .with_derivatives = true};

BlockPlan after(const BlockPlan& plan) {
  BlockPlan next = plan;
  next.first_sweep += plan.sweeps;
  return next;
}

TwoBlocks walk(ChainEngine& engine) {
  TwoBlocks blocks;
  engine.advance_block(all_measured, blocks.first);
  engine.advance_block(after(all_measured), blocks.second);
  blocks.states = engine.states();
  return blocks;
}

/// Pairs with ghosts, a sea, and pairs with double occupancies.
std::vector<ReferenceState> some_states() {
  ReferenceState pairs = test::tilted_pairs(5, 12);
  pairs.varied = {TrialParameter::delta, TrialParameter::mu};
  return {pairs, test::reference_state("vmc.json", "tj10_51_sea"),
          test::reference_state("vmc.json", "hub10_44_bcs_g0.5_u6")};
}

TEST(Chains, DoNotDependOnThreads) {
  for (const ReferenceState& state : some_states()) {
    const TrialState trial = state.trial();
    const auto with_threads = [&](int threads) {
      const ThreadScope scope(threads);
      return walk(*make_host_engine(state.model, trial, {}, 0, 20));
    };
    const TwoBlocks one = with_threads(1);
    EXPECT_EQ(one, with_threads(2)) << state.name;
    EXPECT_EQ(one, with_threads(7)) << state.name;
  }
}

template <class T>
std::vector<T> part(const std::vector<T>& all, int first, int count, int of) {
  const std::size_t each = all.size() / static_cast<std::size_t>(of);
  return {all.begin() + static_cast<std::ptrdiff_t>(each) * first,
          all.begin() + static_cast<std::ptrdiff_t>(each) * (first + count)};
}

TEST(Chains, AreFunctionsOfTheirNumbers) {
  const ReferenceState state = some_states()[0];
  const TrialState trial = state.trial();
  const TwoBlocks many = walk(*make_host_engine(state.model, trial, {}, 0, 64));
  const auto expect_part = [&](int first, int count) {
    const TwoBlocks few =
        walk(*make_host_engine(state.model, trial, {}, static_cast<std::uint32_t>(first), count));
    EXPECT_EQ(few.states.places, part(many.states.places, first, count, 64));
    EXPECT_EQ(few.states.counts, part(many.states.counts, first, count, 64));
    EXPECT_EQ(few.second.energy, part(many.second.energy, first, count, 64));
    EXPECT_EQ(few.second.derivative_product, part(many.second.derivative_product, first, count, 64));
    EXPECT_EQ(few.second.s_s, part(many.second.s_s, first, count, 64));
  };
  expect_part(0, 8);
  expect_part(40, 5);
  EXPECT_NE(part(many.first.energy, 0, 1, 64), part(many.first.energy, 1, 1, 64));
}

TEST(Chains, GoOnFromTheirStatesToTheLastBit) {
  for (const ReferenceState& state : some_states()) {
    const TrialState trial = state.trial();
    const auto engine = make_host_engine(state.model, trial, {}, 3, 10);
    const TwoBlocks uninterrupted = walk(*engine);
    const auto before = make_host_engine(state.model, trial, {}, 3, 10);
    BlockSums sums;
    before->advance_block(all_measured, sums);
    EXPECT_EQ(sums, uninterrupted.first);
    const auto restarted = make_host_engine(state.model, trial, {}, before->states());
    restarted->advance_block(after(all_measured), sums);
    EXPECT_EQ(sums, uninterrupted.second);
    EXPECT_EQ(restarted->states(), uninterrupted.states);
  }
}

TEST(Chains, RefuseStatesOfOthers) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  const auto engine = make_host_engine(state.model, trial, {}, 0, 2);
  const ChainStates good = engine->states();
  ChainStates twice = good;
  twice.places[1] = twice.places[0];
  EXPECT_THROW(engine->set_states(twice), DimensionError);
  ChainStates outside = good;
  outside.places[1] = 10;
  EXPECT_THROW(engine->set_states(outside), DimensionError);
  ChainStates others = good;
  others.first_chain = 1;
  EXPECT_THROW(engine->set_states(others), DimensionError);
  EXPECT_THROW(engine->set_trial(test::tilted_pairs(3, 3).trial()), DimensionError);
}

TEST(Chains, GoOnWithOtherParameters) {
  ReferenceState state = test::tilted_pairs(3, 4);
  const auto engine = make_host_engine(state.model, state.trial(), {}, 0, 4);
  BlockSums sums, expected;
  engine->advance_block({.sweeps = 10}, sums);
  // One with fewer singular momenta, so that there are fewer ghosts.
  state.parameters.mu = -1.5;
  state.parameters.delta = 0.7;
  const TrialState other = state.trial();
  const auto anew = make_host_engine(state.model, other, {}, engine->states());
  engine->set_trial(other);
  engine->advance_block({.sweeps = 10}, sums);
  anew->advance_block({.sweeps = 10}, expected);
  EXPECT_EQ(sums, expected);
}

TEST(Chains, DoNotStayWhereAnotherStateVanishes) {
  // With mu below the band there is no pair for certain, and nodes are elsewhere than with a ghost pair.
  ReferenceState state = test::tilted_pairs(3, 4);
  state.parameters.mu = -4.5;
  const auto engine = make_host_engine(state.model, state.trial(), {}, 0, 64);
  BlockSums sums;
  engine->advance_block({.sweeps = 20}, sums);
  const ChainStates before = engine->states();
  state.parameters.mu = 0.0;
  engine->set_trial(state.trial());
  const ChainStates at = engine->states();
  const auto places_of = [](const ChainStates& states, int c) { return part(states.places, c, 1, 64); };
  int moved = 0;
  for (int c = 0; c < 64; ++c) moved += places_of(before, c) != places_of(at, c);
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, 32);
  EXPECT_EQ(at.steps, before.steps);
  engine->advance_block({.sweeps = 20}, sums);
  for (const StepCounts& counts : engine->states().counts) EXPECT_EQ(counts.rejected_as_non_finite, 0);
  for (const std::int64_t accepted : sums.accepted) EXPECT_GT(accepted, 10);
}

TEST(Blocks, MeasureAtMultiplesOfIntervals) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  const auto each = make_host_engine(state.model, trial, {}, 0, 1),
             third = make_host_engine(state.model, trial, {}, 0, 1);
  std::vector<double> all, some;
  for (int block = 0; block < 4; ++block) {
    BlockSums sums;
    each->advance_block({.sweeps = 7, .first_sweep = 7 * block}, sums);
    all.insert(all.end(), sums.energy.begin(), sums.energy.end());
    third->advance_block({.sweeps = 7, .first_sweep = 7 * block, .energy_interval = 3}, sums);
    some.insert(some.end(), sums.energy.begin(), sums.energy.end());
  }
  ASSERT_EQ(all.size(), 28);
  ASSERT_EQ(some.size(), 9);
  // Applying pending changes at other times rounds otherwise.
  for (std::size_t k = 0; k < some.size(); ++k)
    EXPECT_NEAR(some[k], all[3 * k + 2], 1e-9 * std::abs(some[k])) << k;
}

TEST(Blocks, CorrelationsObeyTheirSumRules) {
  const ReferenceState state = test::tilted_pairs(5, 12);
  const auto engine = make_host_engine(state.model, state.trial(), {}, 0, 3);
  BlockSums sums;
  engine->advance_block({.sweeps = 30, .energy_interval = 0, .correlation_interval = 10}, sums);
  ASSERT_EQ(sums.correlations_per_chain, 3);
  ASSERT_EQ(sums.displacements, 26);
  EXPECT_TRUE(sums.energy.empty());
  for (int c = 0; c < 3; ++c) {
    const auto total = [&](const std::vector<double>& sum) {
      return std::accumulate(sum.begin() + 26 * c, sum.begin() + 26 * (c + 1), 0.0) / 3;
    };
    EXPECT_NEAR(total(sums.n_n), 24.0 * 24.0 / 26, 1e-10);
    EXPECT_NEAR(total(sums.sz_sz), 0.0, 1e-10);
    // A singlet: S^2 = 0 in every configuration, <x|S^2|psi> being 0.
    EXPECT_NEAR(total(sums.s_s), 0.0, 1e-7);
    EXPECT_NEAR(sums.hop_up[26 * c], 3.0 * 12 / 26, 1e-12);
    EXPECT_NEAR(sums.s_s[26 * c], 3.0 * 0.75 * 24 / 26, 1e-12);
  }
}

TEST(Blocks, RebuildMoreOftenWhereTablesDrift) {
  const ReferenceState state = test::tilted_pairs(5, 12);
  const auto engine =
      make_host_engine(state.model, state.trial(), {.block = 40, .drift_tolerance = 1e-300}, 0, 2);
  BlockSums sums;
  engine->advance_block({.sweeps = 40}, sums);
  EXPECT_EQ(engine->states().rebuild_interval, std::vector<int>(2, 20));
  // Then after 20, 30, 35, 36 .. sweeps.
  engine->advance_block({.sweeps = 40}, sums);
  EXPECT_EQ(engine->states().rebuild_interval, std::vector<int>(2, 1));
  for (const double drift : sums.drift) EXPECT_LT(drift, 1e-10);
  EXPECT_EQ(sums.accepted.size(), 2);
  EXPECT_GT(sums.accepted[0], 100);
}

TEST(Starts, WithoutAWavefunctionAreGivenUp) {
  ReferenceState state = test::tilted_pairs(3, 4);
  // No start is as well conditioned as that.
  EXPECT_THROW(make_host_engine(state.model, state.trial(), {.start_attempts = 20, .start_rcond = 0.9}, 0, 3),
               InputError);
}

TEST(Starts, RefuseNumbersOutOfRange) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  for (const WalkConfig& config :
       {WalkConfig{.neighbour_fraction = 1.5}, WalkConfig{.exchange_fraction = -0.1}, WalkConfig{.block = 0},
        WalkConfig{.drift_tolerance = std::nan("")}, WalkConfig{.start_attempts = 0}})
    EXPECT_THROW(make_host_engine(state.model, trial, config, 0, 2), InputError);
}

TEST(Memory, OfChainsIsThatOfTheirTables) {
  const ReferenceState state = test::tilted_pairs(15, 102);
  // 226 rows of 232 numbers.
  EXPECT_NEAR(static_cast<double>(host_bytes_per_chain(state.model, state.trial())), 226.0 * 232 * 8, 10000);
  EXPECT_GT(host_bytes_per_thread(state.model, state.trial()), 226 * 226 * 8);
}

}  // namespace test_sampler
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/sampling/philox.hpp"
#include "core/instruction_limit.hpp"
#include "sampling/chain.hpp"
#include "sampling/linear_solver.hpp"
#include "sampling/own_table.hpp"
#include "sampling/plain_walker.hpp"
#include "sampling/reference_state.hpp"
#include "sampling/table_kernels.hpp"

namespace cisolve {
namespace test_tables {

using namespace sampling;
using test::OwnTable;
using test::ReferenceState;

/// All hops and exchanges that are possible.
std::vector<Move> all_moves(const Configuration& at, bool is_t_j) {
  std::vector<Move> moves;
  const auto hops = [&](const SpinPlaces& own, const SpinPlaces& other, bool is_up) {
    for (int e = 0; e < static_cast<int>(own.occupied().size()); ++e) {
      for (int slot = 0; slot < static_cast<int>(own.free().size()); ++slot) {
        if (is_t_j && other.has(own.free()[slot])) continue;
        moves.push_back(is_up ? Move{.kind = MoveKind::hop_up, .up = e, .up_slot = slot}
                              : Move{.kind = MoveKind::hop_down, .down = e, .down_slot = slot});
      }
    }
  };
  hops(at.up, at.down, true);
  hops(at.down, at.up, false);
  for (const int from : at.up.occupied()) {
    for (const int to : at.down.occupied()) {
      if (at.down.has(from) || at.up.has(to)) continue;
      moves.push_back({MoveKind::exchange, at.up.at(from), ~at.up.at(to), at.down.at(to), ~at.down.at(from)});
    }
  }
  return moves;
}

/// Walks, and compares every ratio with determinants made anew while updates are pending, and afterwards.
void expect_ratios_of_determinants(const ReferenceState& state, int rounds, int steps) {
  const TrialState trial = state.trial();
  const WalkRules rules(state.model, trial, {.neighbour_fraction = 0.2, .exchange_fraction = 0.4});
  PlainWalker plain(trial);
  OwnTable table(trial);
  Projection projection(trial);
  Configuration at(state.model.sites(), state.electrons);
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t attempt = 0;
    do draw_start(rules, 5, static_cast<std::uint32_t>(round), attempt++, at);
    while (plain.reciprocal_condition(at) < 1e-8);
    EXPECT_NEAR(table.reciprocal_condition(at) / plain.reciprocal_condition(at), 1.0, 1e-6);
    table.rebuild(at);
    projection.set(at);
    StepCounts counts;
    for (int step = 0; step < steps; ++step)
      take_step(rules, step_words(5, static_cast<std::uint32_t>(round), static_cast<std::uint64_t>(step)), at,
                table, projection, counts);
    EXPECT_GT(counts.accepted(), 0);
    const std::vector<Move> moves = all_moves(at, state.model.is_t_j());
    std::vector<double> pending;
    for (const Move& move : moves) pending.push_back(table.ratio(at, move));
    table.settle(at);
    double largest = 1.0;
    for (const double ratio : pending) largest = std::max(largest, std::abs(ratio));
    // Condition up to 1e8 when drawn, and fewer digits lost on the way than steps can lose.
    const double tolerance = 1e-8 * largest;
    for (std::size_t m = 0; m < moves.size(); m += 1 + moves.size() / 300) {
      const double expected = plain.ratio(at, moves[m]);
      ASSERT_NEAR(pending[m], expected, tolerance);
      ASSERT_NEAR(table.settled_ratio(at, moves[m]), expected, tolerance);
    }
    if (trial.is_sea()) continue;
    plain.settle(at);
    double largest_inverse = 0.0, difference = 0.0;
    for (int q = 0; q < state.electrons.down; ++q) {
      for (int p = 0; p < state.electrons.up; ++p) {
        largest_inverse = std::max(largest_inverse, std::abs(plain.inverse(q, p)));
        difference = std::max(difference, std::abs(plain.inverse(q, p) - table.inverse(q, p)));
      }
    }
    EXPECT_LT(difference, 1e-8 * largest_inverse);
  }
}

TEST(Ratios, AreThoseOfDeterminantsWithGhostPairs) {
  expect_ratios_of_determinants(test::tilted_pairs(3, 4), 10, 60);
  expect_ratios_of_determinants(test::tilted_pairs(5, 12), 3, 300);
  // 13 pairs fill all sites: exchanges alone.
  expect_ratios_of_determinants(test::tilted_pairs(5, 13), 3, 300);
}

TEST(Ratios, AreThoseOfDeterminantsWithACutOff) {
  ReferenceState state = test::tilted_pairs(5, 12);
  state.parameters.pair_cutoff = 100.0;
  expect_ratios_of_determinants(state, 3, 300);
}

TEST(Ratios, AreThoseOfDeterminantsOfManySites) {
  // 65 sites wait for 16 ranks, and their rows are padded.
  ReferenceState state = test::tilted_pairs(8, 29);
  state.parameters.mu = -0.3;
  expect_ratios_of_determinants(state, 1, 700);
}

TEST(Ratios, AreThoseOfDeterminantsWithDoubleOccupancies) {
  for (const char* name : {"hub10_44_bcs_g0.5", "hub10_55_g0.5"})
    expect_ratios_of_determinants(test::reference_state("trajectory.json", name), 10, 60);
}

TEST(Ratios, AreThoseOfDeterminantsOfUnequalSpins) {
  expect_ratios_of_determinants(test::reference_state("trajectory.json", "tj10_51_sea"), 10, 60);
}

TEST(Ratios, AreThoseOfDeterminantsWithAntiperiodicBoundaries) {
  for (const char* name : {"tj10_44_antiperiodic", "tj8chain_33_s", "tj16_77_t2_t3_mixed"})
    expect_ratios_of_determinants(test::reference_state("vmc.json", name), 5, 60);
}

TEST(Ratios, AreTheSameByAllInstructions) {
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::InstructionLimit limit(most);
    SCOPED_TRACE(name_of(most));
    expect_ratios_of_determinants(test::tilted_pairs(5, 12), 1, 200);
    expect_ratios_of_determinants(test::reference_state("trajectory.json", "hub10_55_g0.5"), 1, 60);
  }
}

TEST(Exchange, IsExactWhereAHopOfItHasTheRatioZero) {
  // Exchanges whose first hop alone leads to a node.
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  const WalkRules rules(state.model, trial, {});
  OwnTable table(trial);
  const PlainWalker plain(trial);
  Configuration at(10, state.electrons);
  int found = 0;
  for (std::uint32_t chain = 0; chain < 40; ++chain) {
    draw_start(rules, 11, chain, 0, at);
    if (plain.reciprocal_condition(at) < 1e-6) continue;
    for (const Move& move : all_moves(at, true)) {
      if (move.kind != MoveKind::exchange) continue;
      table.rebuild(at);
      const double hop = table.ratio(at, {.kind = MoveKind::hop_up, .up = move.up, .up_slot = move.up_slot});
      if (std::abs(hop) > 1e-13 || std::abs(table.ratio(at, move)) < 0.1) continue;
      ++found;
      Configuration after = at;
      table.update(at, move);
      after.apply(move);
      EXPECT_LT(table.rebuild_with_drift(after), 1e-10);
    }
  }
  EXPECT_GT(found, 3);
}

TEST(Table, DriftsLittleInTenThousandSteps) {
  for (const auto& [length, pairs] : {std::pair(3, 4), std::pair(5, 12), std::pair(9, 37)}) {
    const ReferenceState state = test::tilted_pairs(length, pairs);
    const TrialState trial = state.trial();
    const WalkRules rules(state.model, trial, {});
    OwnTable table(trial);
    Projection projection(trial);
    Configuration at(state.model.sites(), state.electrons);
    draw_start(rules, 3, 0, 0, at);
    table.rebuild(at);
    StepCounts counts;
    for (std::uint64_t step = 0; step < 10000; ++step)
      take_step(rules, step_words(3, 0, step), at, table, projection, counts);
    EXPECT_GT(counts.accepted(), 900);
    // 3e-12 at most was met at L = 9.
    EXPECT_LT(table.rebuild_with_drift(at), 1e-9) << length;
  }
}

TEST(Table, WithoutNumbersHasAnInfiniteDrift) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  OwnTable table(trial);
  Configuration at(10, state.electrons);
  draw_start(WalkRules(state.model, trial, {}), 3, 0, 0, at);
  table.rebuild(at);
  table.tables[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(table.rebuild_with_drift(at), std::numeric_limits<double>::infinity());
  EXPECT_LT(table.rebuild_with_drift(at), 1e-15);
}

TEST(LinearSolver, SolvesWhatFillsNoBlock) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  LinearSolver solver(70);
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::InstructionLimit limit(most);
    for (const int order : {1, 2, 7, 15, 16, 17, 31, 33, 48, 70}) {
      const std::ptrdiff_t columns = padded(order + 3);
      std::vector<double> m(order * order);
      Array<double> x(order * columns);
      for (double& value : m) value = normal(random);
      for (double& value : x) value = normal(random);
      m[0] = 0.0;  // a pivot that has to be swapped, where there are two rows
      if (order == 1) m[0] = 2.0;
      const std::vector<double> b(x.begin(), x.end());
      for (int i = 0; i < order; ++i) std::copy_n(m.data() + i * order, order, solver.row(i));
      solver.factorise(order);
      solver.solve(x.data(), columns, columns);
      for (int i = 0; i < order; ++i) {
        for (int j = 0; j < columns; ++j) {
          double sum = 0.0;
          for (int k = 0; k < order; ++k) sum += m[i * order + k] * x[k * columns + j];
          // Rounding of order 70 times the growth of the factors, with |X| below 1e3.
          ASSERT_NEAR(sum, b[i * columns + j], 1e-10) << order;
        }
      }
    }
  }
}

TEST(DrawWords, AreThoseOfPhilox) {
  constexpr int count = 40;
  std::array<std::vector<std::uint32_t>, 4> words;
  for (auto& word : words) word.resize(48);
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::InstructionLimit limit(most);
    // Also where the step's high word changes.
    for (const std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{1} << 20, (std::uint64_t{1} << 32) - 11}) {
      const StepStream stream{.seed = 0x123456789ABCDEF0,
                              .first = first,
                              .chain = 77,
                              .count = count,
                              .words = {words[0].data(), words[1].data(), words[2].data(), words[3].data()}};
      table_kernels().draw_words(stream);
      for (int i = 0; i < count; ++i) {
        const StepWords expected =
            step_words(stream.seed, stream.chain, first + static_cast<std::uint64_t>(i));
        EXPECT_EQ(words[0][i], expected.w0);
        EXPECT_EQ(words[1][i], expected.w1);
        EXPECT_EQ(words[2][i], expected.w2);
        EXPECT_EQ(words[3][i], expected.w3);
      }
    }
  }
}

}  // namespace test_tables
}  // namespace cisolve

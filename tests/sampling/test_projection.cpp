// SPDX-License-Identifier: MIT
#include "sampling/projection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "cisolve/core/error.hpp"
#include "sampling/basis.hpp"
#include "sampling/chain.hpp"

namespace cisolve {
namespace test_projection {

using namespace sampling;
using test::ReferenceState;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr TrialParameters sea = {.wavefunction = Wavefunction::fermi_sea};

TrialParameters with(TrialParameters parameters, double gutzwiller, std::vector<double> density,
                     std::vector<double> spin) {
  parameters.gutzwiller = gutzwiller;
  parameters.jastrow = std::move(density);
  parameters.spin_jastrow = std::move(spin);
  return parameters;
}

/// A graph of two rings of three sites that a bond joins, and a site that none does.
LatticeModel two_rings() {
  LatticeModel graph{.cluster = Cluster::graph(7)};
  for (const auto& [i, j] :
       std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}})
    graph.bonds.push_back({{i, j}, 1.0 + 0.1 * i, 0.0, 0.0});
  return graph;
}

/// All states that the tests walk with.
std::vector<ReferenceState> states() {
  const Boundary open{.open = true};
  const auto hubbard = [](const Cluster& cluster) {
    return make_lattice_model(LatticeHamiltonian::hubbard, cluster, {.u = 4.0});
  };
  return {{.name = "t-J, 26 sites",
           .model = make_lattice_model(LatticeHamiltonian::t_j, Cluster::tilted(5), {.j = 0.3}),
           .electrons = {12, 12},
           .parameters = with({.delta = 1.0}, 1.0, {0.3, -0.1}, {-0.4, 0.2, 0.1})},
          {.name = "Hubbard, cylinder",
           .model = hubbard(Cluster::rectangle(4, 3, {Boundary{}, open})),
           .electrons = {5, 3},
           .parameters = with(sea, 0.6, {-0.3, 0.2}, {})},
          {.name = "Hubbard, spins alone",
           .model = hubbard(Cluster::chain(8)),
           .electrons = {3, 3},
           .parameters = with(sea, 1.0, {}, {0.5, -0.7})},
          {.name = "Hubbard, graph",
           .model = two_rings(),
           .electrons = {3, 2},
           .parameters = with(sea, 0.8, {-0.4, 0.3, 0.2}, {0.2})}};
}

/// A walker whose determinants are all 1, so that the projection alone decides.
struct NoDeterminants {
  double ratio(const Configuration&, const Move&) const { return 1.0; }
  void update(const Configuration&, const Move&) {}
  void rebuild(const Configuration&) {}
};

TEST(Projection, FollowsAWalkAsItsDefinitionSays) {
  for (const ReferenceState& state : states()) {
    SCOPED_TRACE(state.name);
    const TrialState trial{
        .parameters = state.parameters,
        .electrons = state.electrons,
        .sites = state.model.sites(),
        .jastrow = make_jastrow_factor(state.model, state.parameters.jastrow, state.parameters.spin_jastrow)};
    const WalkRules rules(state.model, trial, {.neighbour_fraction = 0.2, .exchange_fraction = 0.4});
    Projection projection(trial);
    Configuration at(state.model.sites(), state.electrons);
    draw_start(rules, 3, 0, 0, at);
    projection.set(at);
    NoDeterminants walker;
    StepCounts counts;
    std::array<int, 4> compared = {};
    for (std::uint64_t step = 0; step < 2000; ++step) {
      const StepWords words = step_words(3, 0, step);
      if (const Move move = propose(rules, at, words.w0, words.w1); move.kind != MoveKind::null) {
        Configuration after = at;
        after.apply(move);
        const double expected =
            std::exp(test::log_projection(state, after) - test::log_projection(state, at));
        // Each of up to a thousand moves rounds a field once.
        ASSERT_NEAR(projection.ratio(at, move), expected, 1e-11 * expected) << "step " << step;
        ++compared[static_cast<int>(move.kind)];
      }
      take_step(rules, words, at, walker, projection, counts);
    }
    EXPECT_GT(counts.hops_accepted, 50);
    EXPECT_GT(counts.exchanges_accepted, 50);
    for (const auto kind : {MoveKind::hop_up, MoveKind::hop_down, MoveKind::exchange})
      EXPECT_GT(compared[static_cast<int>(kind)], 50);
  }
}

TEST(Projection, IsOneWithoutFactors) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  EXPECT_TRUE(trial.jastrow.is_empty());
  EXPECT_EQ(Projection::bytes(trial), 0);
  Projection projection(trial);
  Configuration at(10, state.electrons);
  draw_start(WalkRules(state.model, trial, {}), 1, 0, 0, at);
  projection.set(at);
  EXPECT_EQ(projection.ratio(at, {.kind = MoveKind::hop_up, .up = 0, .up_slot = 0}), 1.0);
}

TEST(JastrowFactor, OfAllShellsButOneIsTheGutzwillerFactor) {
  // sum over all pairs of (n - 1)(n - 1) is a constant less the number of doubly occupied sites.
  ReferenceState state = states()[2];
  const PairShells shells = pair_shells(state.model);
  ASSERT_EQ(most_jastrow_shells(shells), shells.count() - 1);
  state.parameters = with(sea, 0.7, {}, {});
  ReferenceState other = state;
  const double log_g = std::log(0.7);
  other.parameters =
      with(sea, 1.0, std::vector<double>(static_cast<std::size_t>(shells.count()), -log_g), {});
  double difference = std::numeric_limits<double>::quiet_NaN(), spread = 0.0;
  test::for_each_configuration(state, [&](const Configuration& at) {
    const double here = test::log_projection(state, at) - test::log_projection(other, at);
    if (std::isnan(difference)) difference = here;
    spread = std::max(spread, std::abs(here - difference));
  });
  EXPECT_LT(spread, 1e-12);
}

std::string refusal(const LatticeModel& model, const std::vector<double>& density,
                    const std::vector<double>& spin) {
  try {
    static_cast<void>(make_jastrow_factor(model, density, spin));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JastrowFactor, RefusesWhatCannotBe) {
  const LatticeModel chain = make_lattice_model(LatticeHamiltonian::hubbard, Cluster::chain(6), {.u = 4.0});
  EXPECT_EQ(refusal(chain, {0.1, 0.2}, {0.1}), "");
  EXPECT_THAT(refusal(chain, {0.1, 0.2, 0.3}, {}), HasSubstr("jastrow has 3 numbers, but only 2 shells"));
  EXPECT_THAT(refusal(chain, {}, {0.1, 0.2, 0.3}), HasSubstr("spin_jastrow has 3 numbers"));
  EXPECT_THAT(refusal(chain, {std::numeric_limits<double>::infinity()}, {}), HasSubstr("jastrow has inf"));
  const TrialParameters parameters = with(sea, 1.0, {0.1}, {});
  const std::vector<TrialParameter> varied = {{TrialParameter::jastrow, 2}};
  try {
    static_cast<void>(make_trial_state(chain, {3, 3}, parameters, varied));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("jastrow_2 can't be optimised"));
  }
}

}  // namespace test_projection
}  // namespace cisolve

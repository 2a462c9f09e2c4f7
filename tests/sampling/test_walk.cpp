// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sampling/chain.hpp"
#include "sampling/measurements.hpp"
#include "sampling/own_table.hpp"
#include "sampling/plain_walker.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve {
namespace test_walk {

using namespace sampling;
using nlohmann::json;
using test::ReferenceState;

/// Walks the reference walked, from `at` on.
template <class Walker>
class WalkAlong {
public:
  WalkAlong(const ReferenceState& reference, const TrialState& trial, Walker& walker)
      : json_(reference.json), seed_(json_["seed"]), chain_(json_["chain"]),
        rules_(reference.model, trial,
               {.neighbour_fraction = json_.value("neighbour_fraction", 0.0),
                .exchange_fraction = json_.value("exchange_fraction", 0.0)}),
        energy_(reference.model), at_(reference.model.sites(), reference.electrons), walker_(walker),
        projection_(trial) {
    const auto attempts = json_["attempts"].get<std::uint32_t>();
    for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
      draw_start(rules_, seed_, chain_, attempt, at_);
      EXPECT_EQ(walker_.reciprocal_condition(at_) >= WalkConfig{}.start_rcond, attempt + 1 == attempts);
    }
    EXPECT_EQ(at_.up.occupied(), json_["start"]["up"].get<std::vector<int>>());
    EXPECT_EQ(at_.down.occupied(), json_["start"]["down"].get<std::vector<int>>());
    walker_.rebuild(at_);
    projection_.set(at_);
  }

  void walk() {
    const int sweeps = json_["sweeps_run"];
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int i = 0; i < rules_.sites; ++i, ++step_) take_one();
      if (sweep < static_cast<int>(json_["sweeps"].size())) expect_energy(json_["sweeps"][sweep]);
      if (testing::Test::HasFailure()) return;
    }
    const json& end = json_["end"];
    EXPECT_EQ(at_.up.occupied(), end["up"].get<std::vector<int>>());
    EXPECT_EQ(at_.down.occupied(), end["down"].get<std::vector<int>>());
    EXPECT_EQ(at_.up.free(), end["free_up"].get<std::vector<int>>());
    EXPECT_EQ(at_.down.free(), end["free_down"].get<std::vector<int>>());
    EXPECT_EQ(counts_.accepted(), json_["accepted"]);
    EXPECT_EQ(counts_.hops_accepted, json_["hops"]);
    EXPECT_EQ(counts_.exchanges_accepted, json_["exchanges"]);
    EXPECT_EQ(counts_.null, json_["null"]);
    EXPECT_EQ(step_, json_["total_steps"]);
    EXPECT_EQ(counts_.rejected_as_non_finite, 0);
  }

private:
  void take_one() {
    const Configuration before = at_;
    const Projection projection_before = projection_;
    const StepRecord record =
        take_step(rules_, step_words(seed_, chain_, step_), at_, walker_, projection_, counts_);
    if (step_ >= json_["steps"].size()) return;
    const json& expected = json_["steps"][step_];
    SCOPED_TRACE(testing::Message() << "step " << step_);
    EXPECT_EQ(record.u, expected["u"]);
    EXPECT_EQ(record.is_accepted, expected["accepted"].get<bool>());
    const Move& move = record.move;
    const char* kinds[] = {"null", "hop", "hop", "exchange"};
    ASSERT_EQ(kinds[static_cast<int>(move.kind)], expected["kind"]);
    if (move.kind == MoveKind::null) return;
    const bool is_up = expected["spin"] == "up";
    const int electron = is_up ? move.up : move.down, slot = is_up ? move.up_slot : move.down_slot;
    const SpinPlaces& own = is_up ? before.up : before.down;
    EXPECT_EQ(electron, expected["electron"]);
    EXPECT_EQ(is_up ? move.down : move.up, expected["other"]);
    EXPECT_EQ(own.occupied()[electron], expected["from"]);
    EXPECT_EQ(own.free()[slot], expected["to"]);
    // Both are ratios of determinants of condition 1e6 or less; the reference has the projection in it.
    const double ratio = record.ratio * projection_before.ratio(before, move);
    EXPECT_NEAR(ratio, expected["ratio"], 1e-9 * std::max(1.0, std::abs(ratio)));
  }

  void expect_energy(const json& expected) {
    walker_.settle(at_);
    const LocalEnergy local = energy_.measure(at_, walker_, projection_);
    SCOPED_TRACE(testing::Message() << "sweep " << expected["sweep"]);
    EXPECT_EQ(counts_.accepted(), expected["accepted"]);
    // Sums of as many ratios, some large.
    const double kinetic = expected["kinetic"], rest = expected["rest"];
    EXPECT_NEAR(local.kinetic, kinetic, 1e-10 * std::max(1.0, std::abs(kinetic)));
    EXPECT_NEAR(local.total(energy_.u()) - local.kinetic, rest, 1e-10 * std::max(1.0, std::abs(rest)));
  }

  const json& json_;
  std::uint64_t seed_;
  std::uint32_t chain_;
  WalkRules rules_;
  EnergyTerms energy_;
  Configuration at_;
  Walker& walker_;
  Projection projection_;
  StepCounts counts_;
  std::uint64_t step_ = 0;
};

class Trajectory : public testing::TestWithParam<std::string> {};

TEST_P(Trajectory, IsThatOfTheReferenceByDeterminants) {
  const ReferenceState reference = test::reference_state("trajectory.json", GetParam());
  const TrialState trial = reference.trial();
  PlainWalker walker(trial);
  WalkAlong(reference, trial, walker).walk();
}

TEST_P(Trajectory, IsThatOfTheReferenceByTheTable) {
  const ReferenceState reference = test::reference_state("trajectory.json", GetParam());
  const TrialState trial = reference.trial();
  test::OwnTable walker(trial);
  WalkAlong(reference, trial, walker).walk();
}

INSTANTIATE_TEST_SUITE_P(Walks, Trajectory,
                         testing::Values("tj10_44_cut100_chain0", "tj10_44_cut100_chain1",
                                         "tj10_44_exact_seed64", "tj10_44_neighbours", "tj26_1212_cut100",
                                         "tj82_3737_cut100", "tj10_51_sea", "hub10_55_g0.5",
                                         "hub10_44_bcs_g0.5"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

/// Gives ratios that were told before, in order.
struct ToldRatios {
  std::vector<double> ratios;
  std::size_t told = 0;
  int rebuilds = 0, updates = 0;

  double ratio(const Configuration&, const Move&) { return ratios.at(told++); }
  void update(const Configuration&, const Move&) { ++updates; }
  void rebuild(const Configuration&) { ++rebuilds; }
};

/// One step of ten sites with ten electrons whose u is 0, so that all but a ratio of 0 is accepted.
StepCounts step_with(ToldRatios& walker) {
  const ReferenceState state = test::tilted_pairs(3, 4);
  const TrialState trial = state.trial();
  const WalkRules rules(state.model, trial, {});
  Configuration at(10, state.electrons);
  draw_start(rules, 1, 0, 0, at);
  Projection projection(trial);
  StepCounts counts;
  take_step(rules, {.w0 = 12345, .w1 = 99999}, at, walker, projection, counts);
  return counts;
}

TEST(Step, OfASmallRatioMakesTheTableAnew) {
  ToldRatios small{.ratios = {1e-7}};
  const StepCounts counts = step_with(small);
  EXPECT_EQ(counts.accepted(), 1);
  EXPECT_EQ(counts.recomputations, 1);
  EXPECT_EQ(small.rebuilds, 1);
  EXPECT_EQ(small.updates, 0);
}

TEST(Step, WithoutANumberMakesTheTableAnew) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ToldRatios walker{.ratios = {nan, 0.5}};
  const StepCounts counts = step_with(walker);
  EXPECT_EQ(counts.accepted(), 1);
  EXPECT_EQ(counts.rejected_as_non_finite, 0);
  EXPECT_EQ(walker.rebuilds, 1);
  EXPECT_EQ(walker.updates, 1);
}

TEST(Step, WithoutANumberEvenThenIsRejected) {
  const double infinity = std::numeric_limits<double>::infinity();
  ToldRatios walker{.ratios = {infinity, infinity}};
  const StepCounts counts = step_with(walker);
  EXPECT_EQ(counts.accepted(), 0);
  EXPECT_EQ(counts.rejected_as_non_finite, 1);
  EXPECT_EQ(walker.rebuilds, 1);
}

TEST(Step, GoesNowhereWhereNoSiteIsFree) {
  // All sites have an up electron, which can't move.
  const ReferenceState state{.model = make_lattice_model(LatticeHamiltonian::hubbard, Cluster::chain(6), {}),
                             .electrons = {6, 3},
                             .parameters = {.wavefunction = Wavefunction::fermi_sea}};
  const TrialState trial = state.trial();
  const WalkRules rules(state.model, trial, {});
  Configuration at(6, state.electrons);
  draw_start(rules, 1, 0, 0, at);
  EXPECT_EQ(at.double_occupancies, 3);
  for (std::uint32_t w1 = 0; w1 < 4000000000U; w1 += 500000000U)
    EXPECT_EQ(propose(rules, at, 0, w1).kind, MoveKind::null);
}

}  // namespace test_walk
}  // namespace cisolve

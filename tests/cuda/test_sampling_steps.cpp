// SPDX-License-Identifier: MIT
// What kernels of Markov chains do, by one thread of the host, against the chains of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/sampling/measure.hpp"
#include "cuda/sampling_on_host.hpp"
#include "sampling/chain.hpp"
#include "sampling/derivatives.hpp"
#include "sampling/measurements.hpp"
#include "sampling/own_table.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve::cuda::sampling {
namespace test_sampling_steps {

using cisolve::sampling::Configuration;
using cisolve::sampling::CorrelationTerms;
using cisolve::sampling::DerivativeTerms;
using cisolve::sampling::EnergyTerms;
using cisolve::sampling::Projection;
using cisolve::test::ReferenceState;
using test::HostPlaces;
using test::HostSetup;
using test::one;
using test::OwnWalker;

/// A chain of the host, and the same as a kernel walks.
/// @tparam Places  with fields where the state has a Jastrow factor
template <class Walker, class Places = PlacesView>
class TwoWalks {
public:
  TwoWalks(const ReferenceState& reference, const WalkConfig& config, std::uint32_t chain, int ranks)
      : trial_(reference.trial()), setup_(reference, trial_, config), chain_(chain), energy_(reference.model),
        correlations_(reference.model), derivatives_(trial_),
        at_(reference.model.sites(), reference.electrons), host_(trial_), projection_(trial_),
        own_(setup_.walk, ranks) {
    for (std::uint32_t attempt = 0;; ++attempt) {
      draw_start(setup_.rules, config.seed, chain, attempt, at_);
      const double condition = host_.reciprocal_condition(at_);
      expect_condition(condition);
      if (condition >= config.start_rcond) break;
    }
    host_.rebuild(at_);
    projection_.set(at_);
    places_ = std::make_unique<HostPlaces>(at_, setup_.walk.sites);
    make_fields(one, setup_.walk, at());
    own_.remake(setup_, places_->view);
    expect_same_table();
  }

  void walk(int sweeps) {
    for (int sweep = 1; sweep <= sweeps && !testing::Test::HasFailure(); ++sweep) {
      SCOPED_TRACE(testing::Message() << "sweep " << sweep);
      const std::uint64_t end = step_ + static_cast<std::uint64_t>(setup_.walk.sites);
      for (std::uint64_t n = step_; n < end; ++n)
        take_step(setup_.rules, cisolve::sampling::step_words(setup_.walk.seed, chain_, n), at_, host_,
                  projection_, counts_);
      while (step_ < end) take_round(end);
      ASSERT_TRUE(*places_ == HostPlaces(at_, setup_.walk.sites));
      expect_same_energy();
      if (sweep % 10 == 0) expect_same_correlations();
      if (sweep % 25 == 0) {
        const double mine = own_.remake(setup_, places_->view);
        EXPECT_LT(mine, 1e-8);
        host_.rebuild(at_);
        expect_same_table();
      }
    }
    EXPECT_EQ(counts_.hops_proposed, steps_of_kind_[1]);
    EXPECT_EQ(counts_.exchanges_proposed, steps_of_kind_[2]);
    EXPECT_EQ(counts_.null, steps_of_kind_[0]);
    EXPECT_GT(counts_.accepted(), 0);
  }

private:
  const Places& at() const { return places_->view; }

  /// A round of a warp: 32 steps as if none were taken, up to the first that is.
  void take_round(std::uint64_t end) {
    const int left = static_cast<int>(std::min<std::uint64_t>(end - step_, 32));
    Event event;
    int last = left - 1;
    for (int lane = left - 1; lane >= 0; --lane) {
      const PhiloxBlock words =
          step_words(setup_.walk.seed, chain_, step_ + static_cast<std::uint64_t>(lane));
      const Move move = propose(setup_.walk, places_->view, words[0], words[1]);
      if (move.kind == MoveKind::null) continue;
      const Ratios ratios = own_.walker.ratios(setup_.walk, move);
      const double u = unit_interval(words[2], words[3]);
      const EventKind kind = judge(setup_.walk, at(), move, ratios.value, u);
      if (kind == EventKind::rejected) continue;
      event = {kind, move, u, ratios};
      last = lane;
    }
    for (int lane = 0; lane <= last; ++lane) {
      const PhiloxBlock words =
          step_words(setup_.walk.seed, chain_, step_ + static_cast<std::uint64_t>(lane));
      const MoveKind kind = propose(setup_.walk, places_->view, words[0], words[1]).kind;
      ++steps_of_kind_[kind == MoveKind::null ? 0 : kind == MoveKind::exchange ? 2 : 1];
    }
    step_ += static_cast<std::uint64_t>(last + 1);
    if (event.kind == EventKind::none) return;
    ASSERT_EQ(event.kind, EventKind::accepted);
    move_fields(one, setup_.walk, at(), event.move);
    if (std::abs(event.ratios.value) < smallest_safe_ratio) {
      apply(setup_.walk, places_->view, event.move);
      own_.remake(setup_, places_->view);
    } else {
      own_.walker.update(one, setup_.walk, event);
      apply(setup_.walk, places_->view, event.move);
    }
  }

  void expect_condition(double condition) {
    const HostPlaces places(at_, setup_.walk.sites);
    double reductions[64], mine = 1.0;
    const auto take = [&](const auto& source) {
      mine = std::min(mine, reciprocal_condition(one, source, setup_.scratch, reductions));
    };
    if (!setup_.walk.is_sea) {
      take(PairSource{setup_.walk, setup_.trial, places.view});
    } else {
      if (setup_.walk.up > 0) take(SeaSource{setup_.walk, setup_.trial, places.view.up, setup_.walk.up});
      if (setup_.walk.down > 0)
        take(SeaSource{setup_.walk, setup_.trial, places.view.down, setup_.walk.down});
    }
    // Both have the digits that the condition leaves.
    EXPECT_NEAR(mine, condition, 1e-14 + 1e-8 * condition);
  }

  void expect_same_table() {
    host_.settle(at_);
    double largest = 0.0, difference = 0.0;
    const auto compare = [&](const Move& move) {
      const double expected = host_.settled_ratio(at_, move);
      largest = std::max(largest, std::abs(expected));
      difference = std::max(difference, std::abs(own_.walker.ratio(setup_.walk, move) - expected));
    };
    for (int p = 0; p < setup_.walk.up; ++p) {
      for (int s = 0; s < setup_.walk.sites - setup_.walk.up; ++s)
        compare(make_move(MoveKind::hop_up, p, s, -1, -1));
    }
    for (int q = 0; q < setup_.walk.down; ++q) {
      for (int s = 0; s < setup_.walk.sites - setup_.walk.down; ++s)
        compare(make_move(MoveKind::hop_down, -1, -1, q, s));
    }
    EXPECT_LT(difference, 1e-8 * largest);
  }

  void expect_same_energy() {
    host_.settle(at_);
    const auto expected = energy_.measure(at_, host_, projection_);
    double reductions[64];
    const EnergyParts parts = local_energy(one, setup_.walk, setup_.bonds, at(), own_.walker, reductions);
    expect_near(parts.kinetic, expected.kinetic);
    expect_near(parts.exchange, expected.exchange);
    EXPECT_NEAR(parts.density, expected.density, 1e-10);
    std::vector<double> derivatives(trial_.varied.size());
    derivatives_.measure(at_, host_, derivatives.data());
    own_.walker.settle(one);
    for (std::size_t a = 0; a < derivatives.size(); ++a)
      expect_near(log_derivative(one, setup_.walk, setup_.trial, at(), own_.walker,
                                 setup_.trial.parameters[a], at_.double_occupancies, reductions),
                  derivatives[a]);
  }

  void expect_same_correlations() {
    host_.settle(at_);
    own_.walker.settle(one);
    const auto places = static_cast<std::size_t>(setup_.correlations.places);
    std::vector<double> mine(5 * places, 0.0), expected(5 * places, 0.0);
    add_correlations(one, setup_.walk, setup_.correlations, at(), own_.walker, mine.data(),
                     setup_.correlations.places);
    double* to = expected.data();
    correlations_.measure(at_, host_, projection_,
                          {to, to + places, to + 2 * places, to + 3 * places, to + 4 * places});
    for (std::size_t k = 0; k < mine.size(); ++k) expect_near(mine[k], expected[k]);
  }

  static void expect_near(double mine, double expected) {
    EXPECT_NEAR(mine, expected, 1e-9 * std::max(1.0, std::abs(expected)));
  }

  TrialState trial_;
  HostSetup setup_;
  std::uint32_t chain_;
  EnergyTerms energy_;
  CorrelationTerms correlations_;
  DerivativeTerms derivatives_;
  Configuration at_;
  cisolve::test::OwnTable host_;
  Projection projection_;
  OwnWalker<Walker> own_;
  std::unique_ptr<HostPlaces> places_;
  StepCounts counts_;
  std::int64_t steps_of_kind_[3] = {};
  std::uint64_t step_ = 0;
};

WalkConfig config_of(const ReferenceState& reference) {
  const nlohmann::json& json = reference.json;
  WalkConfig config;
  config.seed = json["seed"];
  config.neighbour_fraction = json.value("neighbour_fraction", 0.0);
  config.exchange_fraction = json.value("exchange_fraction", 0.0);
  return config;
}

class SamplingSteps : public testing::TestWithParam<std::string> {};

TEST_P(SamplingSteps, AreThoseOfTheHost) {
  ReferenceState reference = cisolve::test::reference_state("trajectory.json", GetParam());
  const WalkConfig config = config_of(reference);
  const int sweeps = reference.model.sites() > 50 ? 25 : 200;
  if (reference.parameters.wavefunction == Wavefunction::fermi_sea) {
    if (!reference.model.is_t_j()) reference.varied = {TrialParameter::log_gutzwiller};
    return TwoWalks<SeaWalker<EagerTable<1>>>(reference, config, 0, 0).walk(sweeps);
  }
  reference.varied = {TrialParameter::delta, TrialParameter::mu};
  TwoWalks<PairWalker<EagerTable<1>>>(reference, config, 0, 0).walk(sweeps);
  TwoWalks<PairWalker<EagerTable<3>>>(reference, config, 1, 0).walk(sweeps);
  for (const int ranks : {4, 8, 16}) {
    SCOPED_TRACE(ranks);
    TwoWalks<PairWalker<DelayedTable>>(reference, config, 2, ranks).walk(sweeps);
  }
}

INSTANTIATE_TEST_SUITE_P(Walks, SamplingSteps,
                         testing::Values("tj10_44_cut100_chain0", "tj10_44_exact_seed64",
                                         "tj10_44_neighbours", "tj26_1212_cut100", "tj82_3737_cut100",
                                         "tj10_51_sea", "hub10_55_g0.5", "hub10_44_bcs_g0.5"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(SamplingStepsOfManySites, AreThoseOfTheHost) {
  ReferenceState reference = cisolve::test::tilted_pairs(15, 102);
  reference.varied = {TrialParameter::delta};
  TwoWalks<PairWalker<DelayedTable>>(reference, {}, 0, 16).walk(6);
}

TEST(SamplingStepsOfAGraph, AreThoseOfTheHost) {
  ReferenceState reference{
      .model = make_lattice_model(LatticeHamiltonian::hubbard,
                                  Cluster::rectangle(3, 4, {Boundary{.open = true}, Boundary{.open = true}}),
                                  {.u = 4.0, .v = 0.5}),
      .electrons = {5, 3},
      .parameters = {.wavefunction = Wavefunction::fermi_sea, .gutzwiller = 0.7}};
  TwoWalks<SeaWalker<EagerTable<1>>>(reference, {.neighbour_fraction = 0.3}, 0, 0).walk(100);
}

TEST(SamplingStepsWithAJastrowFactor, AreThoseOfTheHost) {
  ReferenceState pairs = cisolve::test::reference_state("trajectory.json", "tj26_1212_cut100");
  pairs.parameters.jastrow = {0.3, -0.1};
  pairs.parameters.spin_jastrow = {-0.4, 0.2, 0.1};
  pairs.varied = {TrialParameter::delta, {TrialParameter::jastrow, 2}, {TrialParameter::spin_jastrow, 1}};
  TwoWalks<PairWalker<EagerTable<1>>, PlacesWithFields>(pairs, {}, 0, 0).walk(100);
  TwoWalks<PairWalker<DelayedTable>, PlacesWithFields>(pairs, {.neighbour_fraction = 0.2}, 1, 8).walk(100);

  ReferenceState of_hubbard = cisolve::test::reference_state("hub10_44_bcs_jastrow");
  TwoWalks<PairWalker<EagerTable<1>>, PlacesWithFields>(of_hubbard, {}, 0, 0).walk(100);
  ReferenceState sea = cisolve::test::reference_state("hub7open_43_jastrow");
  TwoWalks<SeaWalker<EagerTable<1>>, PlacesWithFields>(sea, {.neighbour_fraction = 0.3}, 0, 0).walk(200);
}

TEST(SamplingMatrixLanes, AreThoseOfM8n8k4) {
  int times_a[8][4] = {}, times_b[4][8] = {}, times_d[8][8] = {};
  for (int lane = 0; lane < 32; ++lane) {
    const MatrixLane at{lane};
    ++times_a[at.a_row()][at.a_depth()];
    ++times_b[at.b_depth()][at.b_column()];
    for (int v = 0; v < 2; ++v) ++times_d[at.d_row()][at.d_column() + v];
    // PTX ISA, "Matrix fragments for mma.m8n8k4 with .f64 floating point type".
    const int group = lane >> 2, in_group = lane % 4;
    EXPECT_EQ(at.a_row(), group);
    EXPECT_EQ(at.a_depth(), in_group);
    EXPECT_EQ(at.b_depth(), in_group);
    EXPECT_EQ(at.b_column(), group);
    EXPECT_EQ(at.d_row(), group);
    EXPECT_EQ(at.d_column(), in_group * 2);
  }
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(times_a[i][k], 1);
      EXPECT_EQ(times_b[k][i], 1);
    }
    for (int j = 0; j < 8; ++j) EXPECT_EQ(times_d[i][j], 1);
  }
}

TEST(SamplingDelayedTable, HasItsRanksInDifferentBanks) {
  for (const int order : {10, 26, 82, 170, 226, 227, 232, 240}) {
    const int stride = DelayedTable::stride_for(order);
    EXPECT_GE(stride, ScratchPool::padded(order));
    std::array<bool, 16> seen = {};
    // Half a warp reads 16 doubles at once.
    for (int lane = 0; lane < 16; ++lane) {
      const MatrixLane at{lane};
      seen[static_cast<std::size_t>(at.b_depth() * stride + at.b_column()) % 16] = true;
    }
    EXPECT_EQ(std::ranges::count(seen, true), 16);
  }
}

}  // namespace test_sampling_steps
}  // namespace cisolve::cuda::sampling

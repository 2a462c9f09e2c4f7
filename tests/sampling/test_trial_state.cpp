// SPDX-License-Identifier: MIT
#include "cisolve/sampling/trial_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sampling/sampler.hpp"

namespace cisolve {
namespace test_trial_state {

using testing::AllOf;
using testing::HasSubstr;

constexpr TrialParameters sea = {.wavefunction = Wavefunction::fermi_sea};

LatticeModel t_j(const Cluster& cluster) {
  return make_lattice_model(LatticeHamiltonian::t_j, cluster, {.j = 0.3});
}

LatticeModel hubbard(const Cluster& cluster) {
  return make_lattice_model(LatticeHamiltonian::hubbard, cluster, {.u = 4.0});
}

std::string refusal(const LatticeModel& model, ElectronNumbers electrons, const TrialParameters& parameters,
                    const std::vector<TrialParameter>& varied = {}) {
  try {
    make_trial_state(model, electrons, parameters, varied);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TrialState, RefusesUnequalNumbersWithPairs) {
  const LatticeModel model = t_j(Cluster::tilted(5));
  EXPECT_THAT(refusal(model, {12, 11}, {}),
              AllOf(HasSubstr("23 electrons; take 22 or 24"), HasSubstr("wavefunction = \"fermi-sea\"")));
  EXPECT_THAT(refusal(model, {12, 10}, {}), HasSubstr("12 up and 10 down; take 11 of each"));
  EXPECT_EQ(refusal(model, {12, 12}, {}), "");
}

TEST(TrialState, RefusesPairsWithoutMomenta) {
  LatticeModel graph{.cluster = Cluster::graph(4)};
  graph.bonds.push_back({{0, 1}, 1.0, 0.0, 0.0});
  EXPECT_THAT(refusal(graph, {1, 1}, {}), HasSubstr("list of bonds"));
  const Boundary open{.open = true};
  EXPECT_THAT(refusal(t_j(Cluster::rectangle(4, 4, {Boundary{}, open})), {7, 7}, {}),
              HasSubstr("no boundary is open"));
  EXPECT_THAT(refusal(t_j(Cluster::chain(8)), {3, 3}, {}), HasSubstr("pairing \"d\" needs two dimensions"));
  EXPECT_EQ(
      refusal(t_j(Cluster::chain(8, {.angle = 1.0})), {3, 3}, {.pairing = Pairing::extended_s, .mu = -0.5}),
      "");
}

TEST(TrialState, RefusesAMomentumWithNeitherGapNorEnergy) {
  // 4 x 4 at mu = 0: (pi/2, pi/2).
  EXPECT_THAT(refusal(t_j(Cluster::rectangle(4, 4)), {7, 7}, {}),
              AllOf(HasSubstr("(0.5, 0.5) pi"), HasSubstr("change mu, boundary or lattice")));
}

TEST(TrialState, RefusesMoreGhostPairsThanPairs) {
  // On the diagonal of 4 x 4 at mu = 1 lie k = 0 and those of (pi/2, pi/2), (3 pi/2, pi/2) and their negatives.
  EXPECT_THAT(refusal(t_j(Cluster::rectangle(4, 4)), {2, 2}, {.mu = 1.0}),
              AllOf(HasSubstr("5 momenta"), HasSubstr("2 pairs")));
  EXPECT_EQ(refusal(t_j(Cluster::rectangle(4, 4)), {2, 2}, {.mu = 1.0, .pair_cutoff = 100.0}), "");
  EXPECT_EQ(refusal(t_j(Cluster::rectangle(4, 4)), {5, 5}, {.mu = 1.0}), "");
}

TEST(TrialState, RefusesAStateThatVanishes) {
  // The gap of 2 x 2 sites is zero at (0, 0) and (pi, pi), and the latter has a positive energy: three momenta are left.
  EXPECT_THAT(refusal(hubbard(Cluster::rectangle(2, 2)), {4, 4}, {.mu = 0.5}),
              AllOf(HasSubstr("vanishes"), HasSubstr("4 pairs"), HasSubstr("3 momenta")));
  EXPECT_EQ(refusal(hubbard(Cluster::rectangle(2, 2)), {3, 3}, {.mu = 0.5}), "");
}

TEST(TrialState, RefusesAnOpenShell) {
  // The band of 4 x 4 has energies -4 (1), -2 (4), 0 (6).
  EXPECT_THAT(refusal(hubbard(Cluster::rectangle(4, 4)), {7, 5}, sea),
              AllOf(HasSubstr("7 electrons"), HasSubstr("nearest closed shells have 5 and 11"),
                    HasSubstr("0.000000")));
  EXPECT_EQ(refusal(hubbard(Cluster::rectangle(4, 4)), {11, 5}, sea), "");
  EXPECT_EQ(refusal(hubbard(Cluster::rectangle(4, 4)), {16, 0}, sea), "");
}

TEST(TrialState, RefusesNumbersOutOfRange) {
  const LatticeModel model = hubbard(Cluster::tilted(3));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal(model, {4, 4}, {.delta = 0.0}), HasSubstr("fermi-sea"));
  EXPECT_THAT(refusal(model, {4, 4}, {.delta = nan}), HasSubstr("delta is nan"));
  EXPECT_THAT(refusal(model, {4, 4}, {.mu = nan}), HasSubstr("mu is nan"));
  EXPECT_THAT(refusal(model, {4, 4}, {.gutzwiller = 0.0}), HasSubstr("gutzwiller is 0"));
  EXPECT_THAT(refusal(model, {4, 4}, {.pair_cutoff = -1.0}), HasSubstr("pair_cutoff is -1"));
  EXPECT_THAT(refusal(t_j(Cluster::tilted(3)), {4, 4}, {.gutzwiller = 0.5}),
              HasSubstr("goes with Hubbard's model"));
}

TEST(TrialState, RefusesElectronsThatDoNotFit) {
  EXPECT_THAT(refusal(t_j(Cluster::tilted(3)), {6, 6}, {}), HasSubstr("may hold 10 in all"));
  EXPECT_THAT(refusal(hubbard(Cluster::tilted(3)), {11, 1}, sea), HasSubstr("may hold 20 in all"));
  EXPECT_THAT(refusal(hubbard(Cluster::tilted(3)), {0, 0}, sea), HasSubstr("at least one"));
}

TEST(TrialState, RefusesComplexPhases) {
  const Boundary twisted{.angle = 0.5};
  EXPECT_THAT(refusal(hubbard(Cluster::tilted(3, {twisted, Boundary{}})), {4, 4}, {}), HasSubstr("real"));
}

TEST(TrialState, RefusesToVaryWhatItDoesNotDependOn) {
  EXPECT_THAT(refusal(t_j(Cluster::tilted(3)), {4, 4}, {}, {TrialParameter::log_gutzwiller}),
              HasSubstr("t-J"));
  EXPECT_THAT(refusal(hubbard(Cluster::tilted(3)), {5, 5}, sea, {TrialParameter::mu}),
              HasSubstr("mu can't be optimised"));
}

TEST(PairFunction, IsTheSumOverMomenta) {
  // A rectangle whose sides have different boundaries: phi carries their signs.
  const Cluster cluster = Cluster::rectangle(4, 3, {Boundary{.angle = 1.0}, Boundary{}});
  const TrialParameters parameters{.delta = 0.8, .mu = -0.3, .t2 = -0.2, .t3 = 0.1, .pair_cutoff = 50.0};
  const std::vector<TrialParameter> varied = {TrialParameter::delta, TrialParameter::mu, TrialParameter::t2,
                                              TrialParameter::t3};
  const LatticeModel model = t_j(cluster);
  const TrialState state = make_trial_state(model, {4, 4}, parameters, varied);
  const auto phi = [&](int i, int j) {
    const LatticeVector a = cluster.position(i), b = cluster.position(j);
    double sum = 0.0;
    for (const auto& k : cluster.momenta()) {
      const double kx = std::numbers::pi * k[0], ky = std::numbers::pi * k[1];
      const double xi = -2 * (std::cos(kx) + std::cos(ky)) - 4 * parameters.t2 * std::cos(kx) * std::cos(ky) -
                        2 * parameters.t3 * (std::cos(2 * kx) + std::cos(2 * ky)) - parameters.mu;
      const double gap = 0.5 * parameters.delta * (std::cos(kx) - std::cos(ky));
      double phi_k = gap / (xi + std::sqrt(xi * xi + gap * gap));
      if (std::abs(gap) < 1e-12) phi_k = xi < 0 ? 50.0 : 0.0;
      sum += phi_k * std::cos(kx * (a.x - b.x) + ky * (a.y - b.y));
    }
    return sum / cluster.sites();
  };
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) EXPECT_NEAR(state.phi(i, j), phi(i, j), 1e-12);
  }
  // Derivatives against differences of second order.
  for (std::size_t a = 0; a < varied.size(); ++a) {
    constexpr double h = 1e-5;
    TrialParameters above = parameters, below = parameters;
    set_parameter(above, varied[a], parameter_of(parameters, varied[a]) + h);
    set_parameter(below, varied[a], parameter_of(parameters, varied[a]) - h);
    const TrialState up = make_trial_state(model, {4, 4}, above),
                     down = make_trial_state(model, {4, 4}, below);
    for (std::size_t d = 0; d < state.phi.value.size(); ++d)
      EXPECT_NEAR(state.phi_derivatives[a][d], (up.phi.value[d] - down.phi.value[d]) / (2 * h), 1e-8)
          << name_of(varied[a]);
  }
}

TEST(GhostPairs, AreOnePerSingularMomentumOfEachSign) {
  // Ten sites: k = 0 alone. 26 sites with mu = 3: all on the diagonal.
  const TrialState ten = make_trial_state(t_j(Cluster::tilted(3)), {4, 4}, {});
  ASSERT_EQ(ten.num_ghosts(), 1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ten.ghost(0)[i], 1.0);
  ASSERT_EQ(ten.singular.size(), 1);
  EXPECT_TRUE(ten.singular[0].is_own_negative);
  // Of 4 x 4 at mu = 1: k = 0, and two pairs with cosine and sine each.
  const TrialState sixteen = make_trial_state(t_j(Cluster::rectangle(4, 4)), {7, 7}, {.mu = 1.0});
  EXPECT_EQ(sixteen.singular.size(), 3);
  EXPECT_EQ(sixteen.num_ghosts(), 5);
}

TEST(OneConfiguration, NeedsNoWalk) {
  const LatticeModel model = t_j(Cluster::tilted(3)), with_u = hubbard(Cluster::tilted(3));
  EXPECT_TRUE(has_one_configuration(model, {10, 0}));
  EXPECT_FALSE(has_one_configuration(model, {9, 1}));
  EXPECT_FALSE(has_one_configuration(model, {9, 0}));
  EXPECT_TRUE(has_one_configuration(with_u, {10, 0}));
  EXPECT_TRUE(has_one_configuration(with_u, {10, 10}));
  EXPECT_FALSE(has_one_configuration(with_u, {10, 5}));
  // Parallel spins feel no exchange; all sites doubly occupied cost U each.
  EXPECT_EQ(energy_of_one_configuration(model, {10, 0}), 0.0);
  EXPECT_EQ(energy_of_one_configuration(with_u, {10, 10}), 40.0);
  const LatticeModel with_v =
      make_lattice_model(LatticeHamiltonian::hubbard, Cluster::tilted(3), {.u = 4.0, .v = 0.5});
  EXPECT_EQ(energy_of_one_configuration(with_v, {10, 10}), 40.0 + 0.5 * 4 * 20);
}

}  // namespace test_trial_state
}  // namespace cisolve

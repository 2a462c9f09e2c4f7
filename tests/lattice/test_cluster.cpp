// SPDX-License-Identifier: MIT
#include "cisolve/lattice/cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <tuple>

#include "cisolve/core/error.hpp"
#include "lattice/reference_models.hpp"

namespace cisolve::test_cluster {
namespace {

using Bond = std::tuple<int, int, double, double>;  // sites from 1, real and imaginary part of the phase

std::multiset<Bond> bonds_of(const LatticeModel& model) {
  std::multiset<Bond> bonds;
  for (const LatticeBond& bond : model.bonds) {
    const auto& [i, j, phase] = bond.pair;
    bonds.insert({i + 1, j + 1, phase.real(), phase.imag()});
  }
  return bonds;
}

TEST(Cluster, BondsAreThoseOfTheReference) {
  int clusters = 0;
  for (const auto& reference : reference_models()) {
    const LatticeModel model = model_of(reference);
    if (model.cluster.is_graph() || reference["name"] == "hub_chain6_twist") continue;
    std::multiset<Bond> expected;
    for (const auto& bond : reference["bonds"])
      expected.insert({bond["i"], bond["j"], bond["phase"].get<double>(), 0.0});
    EXPECT_EQ(bonds_of(model), expected) << reference["name"];
    ++clusters;
  }
  EXPECT_GT(clusters, 30);
}

TEST(Cluster, MomentaAreThoseOfTheReference) {
  int clusters = 0;
  for (const auto& reference : reference_models()) {
    if (!reference.contains("momenta_over_2pi")) continue;
    const auto momenta = model_of(reference).cluster.momenta();
    ASSERT_EQ(momenta.size(), reference["momenta_over_2pi"].size());
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      for (std::size_t c = 0; c < 2; ++c)
        EXPECT_NEAR(momenta[k][c] / 2.0, reference["momenta_over_2pi"][k][c].get<double>(), 1e-11);
    }
    ++clusters;
  }
  EXPECT_GT(clusters, 10);
}

/// exp(i k.T) is the phase of the boundary for every momentum, and no two momenta are equal on the sites.
TEST(Cluster, MomentaFitTheBoundaries) {
  const Boundary antiperiodic{.open = false, .angle = 1.0}, twisted{.open = false, .angle = 0.3};
  const Cluster clusters[] = {Cluster::tilted(5),
                              Cluster::tilted(3, {antiperiodic, Boundary{}}),
                              Cluster::rectangle(3, 4, {antiperiodic, antiperiodic}),
                              Cluster::spanned({3, 3}, {-3, 3}),
                              Cluster::spanned({4, 2}, {2, -4}, {twisted, Boundary{}}),
                              Cluster::chain(7, twisted)};
  for (const Cluster& cluster : clusters) {
    const auto momenta = cluster.momenta();
    ASSERT_EQ(std::ssize(momenta), cluster.sites());
    for (std::size_t q = 0; q < 2; ++q) {
      if (cluster.dimensions() == 1 && q == 1) continue;
      const LatticeVector t = cluster.vectors()[q];
      for (const auto& k : momenta) {
        const double turns = (k[0] * t.x + k[1] * t.y - cluster.boundary()[q].angle) / 2.0;
        EXPECT_NEAR(turns, std::nearbyint(turns), 1e-12);
      }
    }
    // Plane waves are orthogonal: sum_R exp(i (k - k').R) = 0.
    for (std::size_t a = 0; a < momenta.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        std::complex<double> sum = 0.0;
        for (int i = 0; i < cluster.sites(); ++i) {
          const LatticeVector r = cluster.position(i);
          const double dx = momenta[a][0] - momenta[b][0], dy = momenta[a][1] - momenta[b][1];
          sum += std::polar(1.0, std::numbers::pi * (dx * r.x + dy * r.y));
        }
        EXPECT_NEAR(std::abs(sum), 0.0, 1e-10);
      }
    }
  }
}

TEST(Cluster, SitesAreAGroup) {
  for (const Cluster& cluster :
       {Cluster::tilted(3), Cluster::rectangle(3, 4), Cluster::spanned({2, 2}, {-2, 2})}) {
    for (int i = 0; i < cluster.sites(); ++i) {
      for (int j = 0; j < cluster.sites(); ++j) EXPECT_EQ(cluster.sum(cluster.difference(i, j), j), i);
      EXPECT_EQ(cluster.difference(i, i), 0);
    }
  }
}

TEST(Cluster, TiltedSquareIsACirculantGraph) {
  const Cluster cluster = Cluster::tilted(5);
  EXPECT_EQ(cluster.sites(), 26);
  EXPECT_EQ(cluster.find({0, 1}).site, 26 - 5);
  EXPECT_EQ(cluster.find({0, 0}).wraps, (std::array<int, 2>{0, 0}));
  EXPECT_EQ(cluster.find({5, 1}).site, 0);
  EXPECT_EQ(cluster.find({5, 1}).wraps, (std::array<int, 2>{1, 0}));
  EXPECT_EQ(cluster.find({4, 6}).wraps, (std::array<int, 2>{1, 1}));
}

TEST(Cluster, CoincidingBondsAreCounted) {
  const LatticeParameters parameters{.t = 1.0};
  const auto model = [&](const Cluster& cluster) {
    return make_lattice_model(LatticeHamiltonian::hubbard, cluster, parameters);
  };
  EXPECT_EQ(model(Cluster::rectangle(2, 2)).multiply_joined_pairs(), 4);
  EXPECT_EQ(model(Cluster::rectangle(4, 4)).multiply_joined_pairs(), 0);
  const Matrix h = hopping_matrix(model(Cluster::rectangle(2, 2)));
  EXPECT_EQ(h(0, 1), -2.0);
  EXPECT_EQ(h(0, 3), 0.0);
}

TEST(Cluster, RefusesWhatIsNone) {
  EXPECT_THROW(Cluster::chain(1), InputError);
  EXPECT_THROW(Cluster::rectangle(1, 1), InputError);
  EXPECT_THROW(Cluster::rectangle(0, 4), InputError);
  EXPECT_THROW(Cluster::spanned({1, 2}, {2, 4}), InputError);
  EXPECT_THROW(Cluster::tilted(1), InputError);
  EXPECT_THROW(Cluster::tilted(3, {Boundary{.open = true, .angle = 0.0}, Boundary{}}), InputError);
  EXPECT_THROW(static_cast<void>(Cluster::chain(2).pairs(2)), InputError);
  EXPECT_THROW(static_cast<void>(Cluster::rectangle(2, 5).pairs(3)), InputError);
}

TEST(Cluster, PartsOfAGraph) {
  EXPECT_EQ(connected_parts(5, {{3, 1, 1.0}, {4, 3, 1.0}}), (std::vector<int>{0, 1, 2, 1, 1}));
}

}  // namespace
}  // namespace cisolve::test_cluster

// SPDX-License-Identifier: MIT
#include "cisolve/lattice/band_orbitals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cisolve/lattice/lattice_integrals.hpp"
#include "lattice/reference_models.hpp"

namespace cisolve::test_band_orbitals {
namespace {

LatticeModel hubbard(const Cluster& cluster, const LatticeParameters& parameters) {
  return make_lattice_model(LatticeHamiltonian::hubbard, cluster, parameters);
}

std::vector<double> band(const Cluster& cluster, const LatticeParameters& p) {
  std::vector<double> energies;
  for (const auto& [x, y] : cluster.momenta()) {
    const double kx = std::numbers::pi * x, ky = std::numbers::pi * y;
    energies.push_back(
        cluster.dimensions() == 1
            ? -2 * p.t * std::cos(kx) - 2 * p.t2 * std::cos(2 * kx) - 2 * p.t3 * std::cos(3 * kx)
            : -2 * p.t * (std::cos(kx) + std::cos(ky)) - 4 * p.t2 * std::cos(kx) * std::cos(ky) -
                  2 * p.t3 * (std::cos(2 * kx) + std::cos(2 * ky)));
  }
  std::ranges::sort(energies);
  return energies;
}

/// Eigenvalues of the hopping are the band at the momenta.
TEST(BandOrbitals, EnergiesAreTheBand) {
  const LatticeParameters p{.t = 1.0, .t2 = -0.3, .t3 = 0.2};
  const Boundary antiperiodic{.open = false, .angle = 1.0};
  for (const Cluster& cluster :
       {Cluster::tilted(4), Cluster::rectangle(4, 4), Cluster::rectangle(5, 3, {antiperiodic, {}}),
        Cluster::chain(8), Cluster::chain(9, antiperiodic),
        Cluster::tilted(3, {antiperiodic, antiperiodic})}) {
    const std::vector<double> expected = band(cluster, p),
                              found = band_orbitals(hubbard(cluster, p)).energies;
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
  }
}

TEST(BandOrbitals, NumberOfInvolutions) {
  const LatticeParameters p{.t = 1.0};
  const auto count = [&](const Cluster& cluster) {
    return commuting_involutions(hubbard(cluster, p)).size();
  };
  const Boundary open{.open = true, .angle = 0.0}, antiperiodic{.open = false, .angle = 1.0};
  EXPECT_EQ(count(Cluster::rectangle(4, 4)), 3U);
  EXPECT_EQ(count(Cluster::tilted(3)), 2U);        // half of T1 + T2, inversion
  EXPECT_EQ(count(Cluster::rectangle(3, 3)), 2U);  // mirrors
  EXPECT_EQ(count(Cluster::chain(6)), 2U);         // half the ring, inversion
  EXPECT_EQ(count(Cluster::chain(6, open)), 1U);
  EXPECT_EQ(count(Cluster::rectangle(2, 3, {open, open})), 2U);
  EXPECT_EQ(count(Cluster::chain(6, antiperiodic)), 0U);
  EXPECT_EQ(commuting_involutions(hubbard(Cluster::rectangle(2, 2), p)).size(), 2U);
}

TEST(BandOrbitals, AreEigenvectorsOfTheInvolutionsAndOrthonormal) {
  const LatticeParameters p{.t = 1.0, .t2 = -0.2, .u = 4.0, .v = 0.5};
  for (const Cluster& cluster : {Cluster::rectangle(4, 4), Cluster::tilted(3), Cluster::chain(6)}) {
    const LatticeModel model = hubbard(cluster, p);
    const LatticeOrbitals orbitals = band_orbitals(model);
    const Matrix& c = orbitals.coefficients;
    const auto involutions = commuting_involutions(model);
    EXPECT_TRUE(std::ranges::is_sorted(orbitals.energies, [](double a, double b) { return a < b - 1e-9; }));
    for (int p1 = 0; p1 < c.columns(); ++p1) {
      for (int p2 = 0; p2 <= p1; ++p2) {
        double overlap = 0.0;
        for (int i = 0; i < c.rows(); ++i) overlap += c(i, p1) * c(i, p2);
        EXPECT_NEAR(overlap, p1 == p2 ? 1.0 : 0.0, 1e-12);
      }
      for (std::size_t q = 0; q < involutions.size(); ++q) {
        const double sign = (orbitals.irreps[p1] >> q & 1) != 0 ? -1.0 : 1.0;
        for (int i = 0; i < c.rows(); ++i) EXPECT_NEAR(c(involutions[q][i], p1), sign * c(i, p1), 1e-12);
      }
    }
  }
}

/// The integrals over bands are those over sites, turned.
TEST(LatticeIntegrals, BandAndSiteIntegralsAgree) {
  const LatticeModel model = hubbard(Cluster::tilted(2), {.t = 1.0, .u = 3.0, .v = 0.7});
  const LatticeOrbitals orbitals = band_orbitals(model);
  const Integrals sites = hubbard_integrals(model, site_orbitals(model)),
                  bands = hubbard_integrals(model, orbitals);
  const Matrix& c = orbitals.coefficients;
  const int n = model.sites();
  EXPECT_EQ(sites.eri(1, 1, 1, 1), 3.0);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      double h = 0.0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) h += c(i, p) * sites.h(i, j) * c(j, q);
      }
      EXPECT_NEAR(bands.h(p, q), h, 1e-12);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          double eri = 0.0;
          for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) eri += c(i, p) * c(i, q) * c(j, r) * c(j, s) * sites.eri(i, i, j, j);
          }
          EXPECT_NEAR(bands.eri(p, q, r, s), eri, 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cisolve::test_band_orbitals

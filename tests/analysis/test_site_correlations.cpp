// SPDX-License-Identifier: MIT
#include "cisolve/analysis/site_correlations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/thread_scope.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/lattice/lattice_integrals.hpp"
#include "cisolve/space/single_occupancy.hpp"

namespace cisolve {
namespace test_site_correlations {

using Det = Determinant<1>;

SpaceSelection<1> selection(int sites, int alpha, int beta, bool single_occupancy) {
  SpaceSelection<1> s;
  s.num_orbitals = sites;
  s.irreps.assign(sites, 0);
  s.references = {Det{BitString<1>::lowest(alpha), BitString<1>::lowest(beta)}};
  s.excitation_level = sites;
  s.single_occupancy = single_occupancy;
  return s;
}

std::vector<double> random_vector(std::int64_t rows) {
  std::vector<double> v(static_cast<std::size_t>(rows));
  std::uint64_t state = 12345;
  double norm = 0.0;
  for (double& x : v) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x = static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
    norm += x * x;
  }
  for (double& x : v) x /= std::sqrt(norm);
  return v;
}

Matrix unit(int n) {
  Matrix m(n, n);
  for (int i = 0; i < n; ++i) m(i, i) = 1.0;
  return m;
}

void expect_near(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (int i = 0; i < a.rows(); ++i) {
    for (int j = 0; j < a.columns(); ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-12) << i << ' ' << j;
  }
}

SiteCorrelations by_densities(const Space<1>& space, const std::vector<double>& v) {
  const std::vector<int> irreps(space.num_orbitals(), 0);
  return site_correlations(spin_density<1>(space, v, space, v, irreps),
                           two_particle_density<1>(space, v, std::int64_t{1} << 26),
                           unit(space.num_orbitals()));
}

/// <c|S^2|c> by its rows.
double s_squared(const Space<1>& space, const std::vector<double>& v) {
  struct Sum final : RowSink {
    explicit Sum(const std::vector<double>& vector) : c(vector) {}
    void row(const MatrixRow& row) override {
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        sum += c[static_cast<std::size_t>(row.index)] * row.values[k] *
               c[static_cast<std::size_t>(row.columns[k])];
    }
    const std::vector<double>& c;
    double sum = 0.0;
  } sum(v);
  SpinRowSource<1>(space).fill({0, space.size()}, sum);
  return sum.sum;
}

class Correlations : public testing::TestWithParam<bool> {};

/// The quick way gives what density matrices give.
TEST_P(Correlations, DeterminantsAndDensitiesAgree) {
  for (const auto& [alpha, beta] : {std::pair(2, 2), std::pair(3, 1), std::pair(1, 2), std::pair(2, 0)}) {
    const auto space = make_space(selection(5, alpha, beta, GetParam()));
    const std::vector<double> v = random_vector(space->size());
    const SiteCorrelations one = site_correlations(*space, std::span<const double>(v)),
                           two = by_densities(*space, v);
    expect_near(one.s_s, two.s_s);
    expect_near(one.sz_sz, two.sz_sz);
    expect_near(one.n_n, two.n_n);
    expect_near(one.hop_up, two.hop_up);
    expect_near(one.hop_down, two.hop_down);
    for (std::size_t i = 0; i < one.density.size(); ++i) {
      EXPECT_NEAR(one.density[i], two.density[i], 1e-12);
      EXPECT_NEAR(one.double_occupancy[i], two.double_occupancy[i], 1e-12);
    }
  }
}

TEST_P(Correlations, SumRules) {
  const auto space = make_space(selection(6, 3, 2, GetParam()));
  const std::vector<double> v = random_vector(space->size());
  const SiteCorrelations c = site_correlations(*space, std::span<const double>(v));
  double spin = 0.0, sz = 0.0, charge = 0.0, up = 0.0, down = 0.0;
  for (int i = 0; i < 6; ++i) {
    up += c.hop_up(i, i);
    down += c.hop_down(i, i);
    if (GetParam()) {
      EXPECT_EQ(c.double_occupancy[i], 0.0);
    }
    for (int j = 0; j < 6; ++j) {
      spin += c.s_s(i, j);
      sz += c.sz_sz(i, j);
      charge += c.n_n(i, j);
    }
  }
  EXPECT_NEAR(spin, s_squared(*space, v), 1e-12);
  EXPECT_NEAR(sz, 0.25, 1e-12);
  EXPECT_NEAR(charge, 25.0, 1e-12);
  EXPECT_NEAR(up, 3.0, 1e-12);
  EXPECT_NEAR(down, 2.0, 1e-12);
}

TEST_P(Correlations, TheSameBitsOnAnyNumberOfThreads) {
  const auto space = make_space(selection(8, 4, 3, GetParam()));
  const std::vector<double> v = random_vector(space->size());
  const auto on = [&](int threads) {
    const ThreadScope scope(threads);
    return site_correlations(*space, std::span<const double>(v));
  };
  const SiteCorrelations one = on(1), seven = on(7);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(one.s_s(i, j), seven.s_s(i, j));
      EXPECT_EQ(one.hop_up(i, j), seven.hop_up(i, j));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spaces, Correlations, testing::Bool(), [](const auto& tested) {
  return std::string(tested.param ? "SingleOccupancy" : "All");
});

/// Orbitals that are no sites: the same state over bands.
TEST(SiteCorrelations, OfOneElectronInABand) {
  const LatticeModel model =
      make_lattice_model(LatticeHamiltonian::hubbard, Cluster::chain(4), {.t = 1.0, .u = 2.0});
  const LatticeOrbitals bands = band_orbitals(model);
  const auto space = make_space(selection(4, 1, 0, false));
  const std::vector<double> lowest = {1.0, 0.0, 0.0, 0.0};
  const std::vector<int> irreps(4, 0);
  const SiteCorrelations c =
      site_correlations(spin_density<1>(*space, lowest, *space, lowest, irreps),
                        two_particle_density<1>(*space, lowest, std::int64_t{1} << 20), bands.coefficients);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(c.density[i], 0.25, 1e-14);
    for (int j = 0; j < 4; ++j) EXPECT_NEAR(c.hop_up(i, j), 0.25, 1e-14);
  }
  EXPECT_NEAR(lattice_energies(model, c).kinetic, -2.0, 1e-14);
  EXPECT_NEAR(lattice_energies(model, c).total(), -2.0, 1e-14);
}

TEST(SiteCorrelations, RefusesAnotherSize) {
  const auto space = make_space(selection(4, 1, 1, true));
  const std::vector<double> v(3, 0.0);
  EXPECT_THROW(static_cast<void>(site_correlations(*space, std::span<const double>(v))), DimensionError);
}

}  // namespace test_site_correlations
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cisolve/sampling/sampler.hpp"
#include "sampling/basis.hpp"
#include "sampling/derivatives.hpp"
#include "sampling/measurements.hpp"
#include "sampling/own_table.hpp"
#include "sampling/plain_walker.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve {
namespace test_enumeration {

using namespace sampling;
using test::OwnTable;
using test::ReferenceState;

/// Expectation values over the whole basis.
struct Expectation {
  double weight = 0.0, energy = 0.0, energy_squared = 0.0, kinetic = 0.0, double_occupancies = 0.0;
  std::vector<double> o = {}, o_energy = {}, o_o = {};
  std::vector<double> n_n = {}, sz_sz = {}, s_s = {}, hop_up = {}, hop_down = {};
};

void add(double weight, const std::vector<double>& from, std::vector<double>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += weight * from[i];
}

/// @tparam Walker  what measures; the weights are of determinants made anew
template <class Walker>
Expectation expectation(const ReferenceState& state, bool with_correlations) {
  const TrialState trial = state.trial();
  const PlainWalker plain(trial);
  Walker walker(trial);
  Projection projection(trial);
  const EnergyTerms terms(state.model);
  const CorrelationTerms correlations(state.model);
  DerivativeTerms derivatives(trial);
  std::vector<double> amplitudes;
  test::for_each_configuration(state, [&](const Configuration& at) {
    const SignedLog psi = plain.determinants(at);
    amplitudes.push_back(psi.sign * std::exp(psi.log + test::log_projection(state, at)));
  });
  double largest = 0.0;
  for (const double psi : amplitudes) largest = std::max(largest, std::abs(psi));

  const std::size_t parameters = trial.varied.size(), displacements = correlations.places().count();
  Expectation sum{.o = std::vector<double>(parameters),
                  .o_energy = std::vector<double>(parameters),
                  .o_o = std::vector<double>(parameters * parameters)};
  for (auto* array : {&sum.n_n, &sum.sz_sz, &sum.s_s, &sum.hop_up, &sum.hop_down})
    array->resize(displacements);
  std::size_t next = 0;
  test::for_each_configuration(state, [&](const Configuration& at) {
    const double psi = amplitudes[next++];
    if (std::abs(psi) < 1e-9 * largest) return;  // a node
    const double p = psi * psi;
    walker.rebuild(at);
    walker.settle(at);
    projection.set(at);
    const LocalEnergy local = terms.measure(at, walker, projection);
    const double e = local.total(terms.u());
    sum.weight += p;
    sum.energy += p * e;
    sum.energy_squared += p * e * e;
    sum.kinetic += p * local.kinetic;
    sum.double_occupancies += p * local.double_occupancies;
    std::vector<double> o(parameters);
    derivatives.measure(at, walker, o.data());
    add(p, o, sum.o);
    add(p * e, o, sum.o_energy);
    for (std::size_t a = 0; a < parameters; ++a) {
      for (std::size_t b = 0; b < parameters; ++b) sum.o_o[a * parameters + b] += p * o[a] * o[b];
    }
    if (!with_correlations) return;
    std::vector<std::vector<double>> now(5, std::vector<double>(displacements));
    correlations.measure(at, walker, projection,
                         {now[0].data(), now[1].data(), now[2].data(), now[3].data(), now[4].data()});
    add(p, now[0], sum.n_n);
    add(p, now[1], sum.sz_sz);
    add(p, now[2], sum.s_s);
    add(p, now[3], sum.hop_up);
    add(p, now[4], sum.hop_down);
  });
  const double scale = 1.0 / sum.weight;
  for (double* value : {&sum.energy, &sum.energy_squared, &sum.kinetic, &sum.double_occupancies})
    *value *= scale;
  for (auto* array :
       {&sum.o, &sum.o_energy, &sum.o_o, &sum.n_n, &sum.sz_sz, &sum.s_s, &sum.hop_up, &sum.hop_down}) {
    for (double& value : *array) value *= scale;
  }
  return sum;
}

// Sums of up to 60,000 terms of local energies, of matrices of condition up to 1e6 beyond the nodes.
constexpr double tolerance = 1e-10;

void expect_energies(const ReferenceState& state, const Expectation& sum) {
  EXPECT_NEAR(sum.energy, state.json["energy"], tolerance);
  EXPECT_NEAR(sum.energy_squared - sum.energy * sum.energy, state.json["variance"], 10 * tolerance);
  EXPECT_NEAR(sum.kinetic, state.json["kinetic"], tolerance);
  EXPECT_NEAR(sum.double_occupancies, state.json["double_occupancy"], tolerance);
}

void expect_derivatives(const ReferenceState& state, const Expectation& sum) {
  const std::size_t parameters = state.varied.size();
  for (std::size_t a = 0; a < parameters; ++a) {
    EXPECT_NEAR(sum.o[a], state.json["log_derivative_means"][a], tolerance) << name_of(state.varied[a]);
    EXPECT_NEAR(sum.o_energy[a] - sum.o[a] * sum.energy, state.json["forces"][a], tolerance)
        << name_of(state.varied[a]);
    for (std::size_t b = 0; b < parameters; ++b)
      EXPECT_NEAR(sum.o_o[a * parameters + b] - sum.o[a] * sum.o[b], state.json["overlap"][a][b], tolerance);
  }
}

void expect_correlations(const ReferenceState& state, const Expectation& sum) {
  const Cluster& cluster = state.model.cluster;
  const int sites = cluster.sites();
  double s_squared = 0.0;
  for (int j = 0; j < sites; ++j) {
    EXPECT_NEAR(sum.n_n[j], state.json["n_n_row1"][j], tolerance) << j;
    EXPECT_NEAR(sum.sz_sz[j], state.json["sz_sz_row1"][j], tolerance) << j;
    s_squared += sites * sum.s_s[j];
  }
  EXPECT_NEAR(s_squared, state.json["s_squared"], 1e-8);  // the reference has nine digits
  EXPECT_NEAR(sum.hop_up[0] * sites, state.electrons.up, tolerance);
  EXPECT_NEAR(sum.hop_down[0] * sites, state.electrons.down, tolerance);
  // The kinetic energy from <c+ c>: both directions of each displacement, with the sign that it has by itself.
  double kinetic = 0.0;
  const double hopping[] = {state.model.parameters.t, state.model.parameters.t2, state.model.parameters.t3};
  for (int shell = 1; shell <= 3; ++shell) {
    if (hopping[shell - 1] == 0.0) continue;
    for (const LatticeVector d : cluster.half_shell(shell)) {
      const WrappedSite to = cluster.find({-d.x, -d.y});
      kinetic -= 2.0 * hopping[shell - 1] * sites * cluster.phase(to.wraps).real() *
                 (sum.hop_up[to.site] + sum.hop_down[to.site]);
    }
  }
  EXPECT_NEAR(kinetic, sum.kinetic, tolerance);
}

class VariationalState : public testing::TestWithParam<std::string> {};
std::string identifier(const testing::TestParamInfo<std::string>& suite) {
  std::string name = suite.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

TEST_P(VariationalState, HasTheReferencesExpectationValues) {
  const ReferenceState state = test::reference_state(GetParam());
  const Expectation by_determinants = expectation<PlainWalker>(state, false);
  expect_energies(state, by_determinants);
  expect_derivatives(state, by_determinants);
  const Expectation by_table = expectation<OwnTable>(state, true);
  expect_energies(state, by_table);
  expect_derivatives(state, by_table);
  expect_correlations(state, by_table);
}

INSTANTIATE_TEST_SUITE_P(Whole, VariationalState,
                         testing::Values("tj10_44_d1.5_cut100", "tj10_44_d1.0_cut100", "tj10_44_d1.5_exact",
                                         "tj10_44_d1.0_exact", "tj10_44_d0.7_mu-0.4",
                                         "tj10_44_d1.2_mu0.3_t2_t3", "tj10_55_d1.5_cut100",
                                         "tj10_55_d1.5_exact", "tj10_33_d1.5_cut100", "tj10_33_d0.8_mu-1.0",
                                         "tj10_44_antiperiodic", "tj8chain_33_s", "tj10_51_sea",
                                         "tj10_55_sea", "hub6chain_33_g0.6_u4", "tj10_44_jastrow",
                                         "tj10_51_sea_jastrow", "tj8chain_33_jastrow",
                                         "hub6chain_33_jastrow"),
                         identifier);

class VariationalStateLarge : public VariationalState {};

TEST_P(VariationalStateLarge, HasTheReferencesExpectationValues) {
  const ReferenceState state = test::reference_state(GetParam());
  const Expectation sum = expectation<OwnTable>(state, false);
  expect_energies(state, sum);
  expect_derivatives(state, sum);
}

INSTANTIATE_TEST_SUITE_P(Whole, VariationalStateLarge,
                         testing::Values("hub10_55_sea_u4", "hub10_55_g0.5_u8", "hub10_44_bcs_g0.5_u6",
                                         "tj16_77_d1.0_mixed", "tj16_77_t2_t3_mixed", "hub7open_43_jastrow",
                                         "hub10_44_bcs_jastrow"),
                         identifier);

TEST(GhostPairs, AreTheLimitOfALargePairAmplitude) {
  ReferenceState state = test::reference_state("vmc.json", "tj10_44_d1.5_exact");
  const double exact = expectation<OwnTable>(state, false).energy;
  state.parameters.pair_cutoff = 1e4;
  const double far = expectation<OwnTable>(state, false).energy;
  state.parameters.pair_cutoff = 1e3;
  const double near = expectation<OwnTable>(state, false).energy;
  // The difference falls as the square of the cut-off.
  EXPECT_NEAR(far, exact, 1e-7);
  EXPECT_NE(far, exact);
  EXPECT_NEAR((near - exact) / (far - exact), 100.0, 1.0);
}

TEST(FermiSea, OfFreeElectronsHasALocalEnergyWithoutVariance) {
  // On an open chain, where correlations are of pairs of sites, and on a graph.
  LatticeModel graph{.cluster = Cluster::graph(5)};
  for (const auto& [i, j, t] : std::vector<std::tuple<int, int, double>>{
           {0, 1, 1.0}, {1, 2, 0.8}, {2, 0, 1.1}, {2, 3, 0.7}, {3, 4, 0.9}})
    graph.bonds.push_back({{i, j}, t, 0.0, 0.0});
  const Boundary open{.open = true};
  const LatticeModel chain = make_lattice_model(LatticeHamiltonian::hubbard, Cluster::chain(6, open), {});
  // Spins without electrons, and one that fills all sites, have tables without columns or rows.
  const std::vector<std::pair<LatticeModel, ElectronNumbers>> cases = {
      {chain, {3, 2}}, {graph, {3, 2}}, {chain, {3, 0}}, {chain, {6, 2}}};
  for (const auto& [model, electrons] : cases) {
    const ReferenceState state{
        .model = model, .electrons = electrons, .parameters = {.wavefunction = Wavefunction::fermi_sea}};
    const Expectation sum = expectation<OwnTable>(state, true);
    EXPECT_NEAR(sum.energy_squared - sum.energy * sum.energy, 0.0, tolerance);
    const int sites = model.sites();
    ASSERT_EQ(sum.n_n.size(), displacements_of(model.cluster));
    const Matrix h = hopping_matrix(model);
    double kinetic = 0.0, up = 0.0;
    for (int i = 0; i < sites; ++i) {
      up += sum.hop_up[i * sites + i];
      for (int j = 0; j < sites; ++j)
        kinetic += h(i, j) * (sum.hop_up[i * sites + j] + sum.hop_down[i * sites + j]);
    }
    EXPECT_NEAR(kinetic, sum.energy, tolerance);
    EXPECT_NEAR(up, electrons.up, tolerance);
    const auto engine = make_host_engine(model, state.trial(), {}, 0, 2);
    BlockSums sums;
    engine->advance_block({.sweeps = 20, .correlation_interval = 5}, sums);
    for (const double energy : sums.energy) EXPECT_NEAR(energy, sum.energy, tolerance);
  }
}

TEST(FermiSeaLarge, OfTenSitesHasTheEnergyOfItsDensities) {
  // Each of ten sites has both electrons with the probability 1/4: <H> = -16 + 2.5 U.
  ReferenceState state = test::reference_state("vmc.json", "hub10_55_sea_u4");
  state.model.parameters.u = 7.0;
  EXPECT_NEAR(expectation<OwnTable>(state, false).energy, -16.0 + 2.5 * 7.0, tolerance);
}

}  // namespace test_enumeration
}  // namespace cisolve

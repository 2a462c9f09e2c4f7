// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/sampling/sampler.hpp"
#include "sampling/basis.hpp"
#include "sampling/plain_walker.hpp"
#include "sampling/reference_state.hpp"

namespace cisolve {
namespace test_sampled_values {

using test::ReferenceState;

/// Mean over chains and its error.
struct Estimate {
  double mean = 0.0, error = 0.0;
};

Estimate estimate(const std::vector<double>& of_chains) {
  const double n = static_cast<double>(of_chains.size());
  const double mean = std::accumulate(of_chains.begin(), of_chains.end(), 0.0) / n;
  double squares = 0.0;
  for (const double x : of_chains) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / (n * (n - 1.0)))};
}

/// Shares of accepted moves in all steps, of each chain.
Estimate share(const ChainStates& before, const ChainStates& after, std::int64_t StepCounts::*count) {
  std::vector<double> shares;
  for (int c = 0; c < after.chains; ++c)
    shares.push_back(static_cast<double>(after.counts[c].*count - before.counts[c].*count) /
                     static_cast<double>(after.steps[c] - before.steps[c]));
  return estimate(shares);
}

void expect_near(const Estimate& found, double exact, const std::string& what) {
  // Four standard errors, which 64 chains tell to a tenth; what has no variance is met to rounding.
  EXPECT_NEAR(found.mean, exact, 4.0 * found.error + 1e-9) << what << ", error " << found.error;
}

class SampledState : public testing::TestWithParam<std::string> {};

TEST_P(SampledState, HasTheExactEnergyAndAcceptance) {
  const ReferenceState state = test::reference_state(GetParam());
  const TrialState trial = state.trial();
  const auto moves = state.json.value("moves", nlohmann::json::object());
  std::vector<std::pair<std::string, double>> fractions = {{"", 0.0}};
  if (!moves.empty()) fractions.clear();
  for (const auto& [key, value] : moves.items())
    fractions.emplace_back(key, std::stod(key.substr(key.find('=') + 1)));
  for (const auto& [key, fraction] : fractions) {
    SCOPED_TRACE(key);
    const std::size_t exchange = key.find("exchange_fraction=");
    const WalkConfig config{
        .seed = 17,
        .neighbour_fraction = fraction,
        .exchange_fraction = exchange == std::string::npos ? 0.25 : std::stod(key.substr(exchange + 18))};
    const auto engine = make_host_engine(state.model, trial, config, 0, 64);
    BlockSums sums;
    engine->advance_block({.sweeps = 50, .energy_interval = 0}, sums);
    const ChainStates before = engine->states();
    engine->advance_block({.sweeps = 400, .with_derivatives = true}, sums);
    std::vector<double> energies;
    for (int c = 0; c < sums.chains; ++c) {
      const double* first = sums.energy.data() + c * sums.energies_per_chain;
      energies.push_back(std::accumulate(first, first + 400, 0.0) / 400);
    }
    expect_near(estimate(energies), state.json["energy"], "energy");
    const auto expect_mean = [&](std::vector<double> of_chains, double exact, const std::string& what) {
      for (double& x : of_chains) x /= 400;
      expect_near(estimate(of_chains), exact, what);
    };
    expect_mean(sums.kinetic, state.json["kinetic"], "kinetic");
    expect_mean(sums.double_occupancy, state.json["double_occupancy"], "double occupancy");
    const std::size_t parameters = trial.varied.size();
    for (std::size_t a = 0; a < parameters; ++a) {
      std::vector<double> o;
      for (int c = 0; c < sums.chains; ++c)
        o.push_back(sums.derivative[static_cast<std::size_t>(c) * parameters + a]);
      expect_mean(o, state.json["log_derivative_means"][a], "log-derivative");
    }
    if (key.empty()) continue;
    const ChainStates after = engine->states();
    expect_near(share(before, after, &StepCounts::hops_accepted), moves[key]["hop_accepted"], "hops");
    expect_near(share(before, after, &StepCounts::exchanges_accepted), moves[key]["exchange_accepted"],
                "exchanges");
    expect_near(share(before, after, &StepCounts::null), moves[key]["null"], "null");
    expect_near(share(before, after, &StepCounts::hops_proposed), moves[key]["hop_proposed"],
                "hops proposed");
  }
}

// Exchanges of the sea of 5 + 5 electrons that fills all sites need, and those of 5 + 1 have, moves of their own kind.
INSTANTIATE_TEST_SUITE_P(Exact, SampledState,
                         testing::Values("tj10_44_d1.5_cut100", "tj10_44_d1.0_exact",
                                         "tj10_44_d1.2_mu0.3_t2_t3", "tj10_55_d1.5_exact",
                                         "tj10_33_d0.8_mu-1.0", "tj10_44_antiperiodic", "tj8chain_33_s",
                                         "tj10_51_sea", "tj10_55_sea", "hub10_55_sea_u4", "hub10_55_g0.5_u8",
                                         "hub6chain_33_g0.6_u4", "hub10_44_bcs_g0.5_u6", "tj10_44_jastrow",
                                         "tj10_51_sea_jastrow", "hub6chain_33_jastrow",
                                         "hub10_44_bcs_jastrow", "tj16_77_t2_t3_mixed"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '.' || c == '-'; }, '_');
                           return name;
                         });

/// Chi-square of how often configurations were visited, and the number of these.
std::pair<double, int> chi_square_of_visits(const ReferenceState& state, const WalkConfig& config,
                                            int sweeps_between, int samples) {
  constexpr int chains = 128;
  const TrialState trial = state.trial();
  const auto engine = make_host_engine(state.model, trial, config, 0, chains);
  const int sites = state.model.sites();
  const std::size_t n_up = state.electrons.up, n_down = state.electrons.down;
  std::map<std::vector<int>, double> visits;
  BlockSums sums;
  engine->advance_block({.sweeps = 50, .energy_interval = 0}, sums);
  for (int sample = 0; sample < samples; ++sample) {
    engine->advance_block({.sweeps = sweeps_between, .energy_interval = 0}, sums);
    const ChainStates states = engine->states();
    for (int c = 0; c < chains; ++c) {
      const std::span<const int> places(states.places.data() + 2 * sites * c, 2 * sites);
      std::vector<int> up(places.begin(), places.begin() + n_up);
      std::vector<int> down(places.begin() + sites, places.begin() + sites + n_down);
      std::ranges::sort(up);
      std::ranges::sort(down);
      up.insert(up.end(), down.begin(), down.end());
      ++visits[up];
    }
  }
  const sampling::PlainWalker plain(trial);
  std::vector<std::pair<double, double>> weights_visits;
  double norm = 0.0;
  test::for_each_configuration(state, [&](const sampling::Configuration& at) {
    const sampling::SignedLog psi = plain.determinants(at);
    const double weight = psi.sign == 0.0 ? 0.0 : std::exp(2.0 * (psi.log + test::log_projection(state, at)));
    std::vector<int> key = at.up.occupied();
    key.insert(key.end(), at.down.occupied().begin(), at.down.occupied().end());
    weights_visits.emplace_back(weight, visits[key]);
    norm += weight;
  });
  double chi_square = 0.0, rest_expected = 0.0, rest_found = 0.0;
  int classes = 0;
  for (const auto& [weight, found] : weights_visits) {
    const double expected = weight / norm * chains * samples;
    if (expected < 5.0) {  // rare ones together
      rest_expected += expected;
      rest_found += found;
      continue;
    }
    chi_square += (found - expected) * (found - expected) / expected;
    ++classes;
  }
  if (rest_expected > 1e-6) {
    chi_square += (rest_found - rest_expected) * (rest_found - rest_expected) / rest_expected;
    ++classes;
  } else {
    EXPECT_EQ(rest_found, 0.0);
  }
  return {chi_square, classes};
}

TEST(Visits, AreAsOftenAsTheSquareOfPsi) {
  const auto expect_likely = [](const std::pair<double, int>& chi_square_classes) {
    // Its mean is the number of degrees of freedom, its variance twice that.
    const double freedom = chi_square_classes.second - 1;
    EXPECT_NEAR(chi_square_classes.first, freedom, 4.0 * std::sqrt(2.0 * freedom));
  };
  // Samples are six and more autocorrelation times apart.
  expect_likely(chi_square_of_visits(test::reference_state("vmc.json", "tj10_55_d1.5_exact"), {}, 6, 100));
  expect_likely(chi_square_of_visits(test::reference_state("vmc.json", "tj10_51_sea"),
                                     {.neighbour_fraction = 0.5}, 8, 100));
  expect_likely(chi_square_of_visits(test::reference_state("tj8chain_33_jastrow"), {}, 10, 100));
  expect_likely(chi_square_of_visits(test::reference_state("vmc.json", "hub6chain_33_g0.6_u4"),
                                     {.neighbour_fraction = 0.3, .exchange_fraction = 0.25}, 12, 100));
}

}  // namespace test_sampled_values
}  // namespace cisolve

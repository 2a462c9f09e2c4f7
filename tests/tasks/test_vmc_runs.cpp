// SPDX-License-Identifier: MIT
// Variational Monte Carlo from inputs: against all configurations enumerated (tests/data/lattice/vmc.json), and what
// follows from theory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include "cisolve/core/thread_scope.hpp"
#include "cisolve/sampling/sampler.hpp"
#include "cisolve/sampling/series.hpp"
#include "cisolve/sampling/statistics.hpp"
#include "tasks/vmc_job.hpp"

namespace cisolve {
namespace test_vmc_runs {

using test::LatticeJob;
using test::run_to_end;
using test::vmc_case;
using test::vmc_input_of;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Standard errors that a sampled value may be off; the seeds are fixed, so that what passes once does so for ever.
constexpr double deviations = 4.0;
constexpr double rounding = 1e-10;

void expect_near(const char* what, const Estimate& found, double expected, double errors = deviations) {
  EXPECT_NEAR(found.value, expected, errors * found.error + rounding) << what << " +- " << found.error;
}

double sum_of(const std::vector<double>& values, std::ptrdiff_t first, std::ptrdiff_t count) {
  return std::accumulate(values.begin() + first, values.begin() + first + count, 0.0);
}

class VmcReference : public testing::TestWithParam<std::string> {};

/// Pairs of the first site with each: that is what correlations by displacement are.
void expect_row(const char* what, const Estimates& found, const nlohmann::json& row) {
  constexpr double of_many = 5.0;
  ASSERT_EQ(found.values.size(), row.size());
  for (std::size_t j = 0; j < row.size(); ++j) expect_near(what, found.at(j), row[j].get<double>(), of_many);
}

/// Shares of accepted steps, and how fast energies decorrelate, from the exact transition matrix.
void expect_moves(const VmcResult& result, const nlohmann::json& exact, bool is_local) {
  const auto steps = static_cast<double>(result.steps);
  constexpr double tolerance = 0.008;  // of 700,000 steps tens are correlated: 0.002
  const auto share = [&](std::int64_t count) { return static_cast<double>(count) / steps; };
  EXPECT_NEAR(share(result.counts.hops_proposed), exact["hop_proposed"].get<double>(), tolerance);
  EXPECT_NEAR(share(result.counts.exchanges_proposed), exact["exchange_proposed"].get<double>(), tolerance);
  EXPECT_NEAR(share(result.counts.null), exact["null"].get<double>(), tolerance);
  EXPECT_NEAR(share(result.counts.hops_accepted), exact["hop_accepted"].get<double>(), tolerance);
  EXPECT_NEAR(share(result.counts.exchanges_accepted), exact["exchange_accepted"].get<double>(), tolerance);
  EXPECT_EQ(result.counts.rejected_as_non_finite, 0);
  if (!exact.contains("tau_sweeps")) return;
  const double tau = exact["tau_sweeps"], noise = 5.0 * result.statistics.tau_error;
  EXPECT_LT(result.statistics.tau, tau + noise);
  // The window of six autocorrelation times cuts off the tail of slow modes, which chains that step to neighbours have.
  EXPECT_GT(result.statistics.tau, (is_local ? 0.7 : 1.0) * tau - noise);
}

/// Each way of proposing: "neighbour_fraction=0.5,exchange_fraction=0".
TEST_P(VmcReference, MovesAreAcceptedAsOften) {
  const nlohmann::json reference = vmc_case(GetParam());
  if (!reference.contains("moves")) return;
  for (const auto& [name, exact] : reference["moves"].items()) {
    SCOPED_TRACE(name);
    std::vector<std::string> settings = {"vmc.chains=64", "vmc.sweeps=1000", "vmc.equilibration=100",
                                         "vmc.correlation_interval=0"};
    std::istringstream words(name);
    for (std::string word; std::getline(words, word, ',');) settings.push_back("vmc." + word);
    LatticeJob job(vmc_input_of(reference), settings);
    const VmcResult result = run_to_end(job);
    expect_near("energy", result.energy, reference["energy"]);
    expect_moves(result, exact, name.starts_with("neighbour_fraction=1"));
  }
}

TEST_P(VmcReference, IsWithinItsErrors) {
  const nlohmann::json reference = vmc_case(GetParam());
  LatticeJob job(vmc_input_of(reference), {"vmc.chains=64", "vmc.sweeps=1000", "vmc.equilibration=100"});
  const VmcResult result = run_to_end(job);
  expect_near("energy", result.energy, reference["energy"]);
  expect_near("kinetic", result.kinetic, reference["kinetic"]);
  expect_near("double occupancy", result.double_occupancy, reference["double_occupancy"]);
  // Configurations next to a node are rare and have large energies: a run that misses them has too small a variance.
  EXPECT_NEAR(result.variance.value, reference["variance"].get<double>(),
              0.06 * reference["variance"].get<double>() + deviations * result.variance.error);
  EXPECT_LT(result.energy.error, 0.02 * result.lattice.n_sites);
  EXPECT_NEAR(
      result.kinetic.value + result.exchange.value + result.interaction.value + result.repulsion.value,
      result.energy.value, rounding);
  EXPECT_LT(result.statistics.r_hat, 1.01);
  if (result.spin_structure_factor.values.empty()) return;  // correlations are of all pairs
  expect_row("n n", result.n_n, reference["n_n_row1"]);
  expect_row("Sz Sz", result.sz_sz, reference["sz_sz_row1"]);
  // S(0) N = <S^2>
  const auto& factor = result.spin_structure_factor;
  const double sites = result.lattice.n_sites;
  expect_near("S^2", {sites * factor.values[0], sites * factor.errors[0]}, reference["s_squared"], 5.0);
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("settled"))));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& one : test::vmc_cases()) found.push_back(one["name"]);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Cases, VmcReference, testing::ValuesIn(names()), [](const auto& tested) {
  std::string name;
  std::ranges::copy_if(tested.param, std::back_inserter(name),
                       [](unsigned char c) { return std::isalnum(c) != 0; });
  return name;
});

/// What holds in every sample: sum_k n(k) = N_s, N(0) = 0, sum_q S(q) = N <S_i^2>, and pairs of a site with itself.
TEST(VmcRuns, SumRules) {
  for (const char* name :
       {"tj10_44_d1.5_exact", "tj10_44_antiperiodic", "tj10_51_sea", "hub6chain_33_g0.6_u4"}) {
    SCOPED_TRACE(name);
    const nlohmann::json reference = vmc_case(name);
    LatticeJob job(vmc_input_of(reference), test::short_run());
    const VmcResult result = run_to_end(job);
    const std::ptrdiff_t sites = result.lattice.n_sites;
    const double up = reference["n_up"], down = reference["n_down"], n = static_cast<double>(sites);
    EXPECT_NEAR(sum_of(result.momentum_distribution.values, 0, sites), up, rounding);
    EXPECT_NEAR(sum_of(result.momentum_distribution.values, sites, sites), down, rounding);
    EXPECT_NEAR(result.charge_structure_factor.values[0], 0.0, rounding);
    EXPECT_NEAR(sum_of(result.spin_structure_factor.values, 0, sites), n * result.s_s.values[0], rounding);
    if (result.lattice.model != "t-J") continue;
    EXPECT_NEAR(result.n_n.values[0], (up + down) / n, rounding);
    EXPECT_NEAR(result.s_s.values[0], 0.75 * (up + down) / n, rounding);
  }
}

/// The sea without a projector has n(k) = 1 in its momenta and 0 elsewhere.
TEST(VmcRuns, MomentumDistributionOfTheSea) {
  LatticeJob job(vmc_input_of(vmc_case("hub10_55_sea_u4")), {"vmc.chains=32", "vmc.sweeps=400"});
  const VmcResult result = run_to_end(job);
  const auto sites = static_cast<std::size_t>(result.lattice.n_sites);
  for (std::size_t k = 0; k < 2 * sites; ++k) {
    const double kx = result.lattice.momenta[2 * (k % sites)] * std::numbers::pi,
                 ky = result.lattice.momenta[2 * (k % sites) + 1] * std::numbers::pi;
    const bool is_filled = std::cos(kx) + std::cos(ky) > 0.0;  // levels -4 and four of -1
    EXPECT_NEAR(result.momentum_distribution.values[k], is_filled ? 1.0 : 0.0,
                5.0 * result.momentum_distribution.errors[k] + rounding);
  }
}

/// Without momenta correlations are of all pairs; of free electrons the kinetic energy has no spread.
TEST(VmcRuns, FreeElectronsWithOpenEnds) {
  LatticeJob job(
      "[lattice]\nkind = \"chain\"\nsize = 6\nboundary = \"open\"\nmodel = \"Hubbard\"\nU = 4\n"
      "electrons = 6\n[vmc]\nwavefunction = \"fermi-sea\"\n",
      {"vmc.chains=32", "vmc.sweeps=1000"});
  const VmcResult result = run_to_end(job);
  double band = 0.0;
  for (int k = 1; k <= 3; ++k) band -= 4.0 * std::cos(k * std::numbers::pi / 7.0);
  EXPECT_NEAR(result.kinetic.value, band, 1e-9);
  EXPECT_LT(result.kinetic.error, 1e-9);
  expect_near("energy", result.energy, band + 4.0 * 1.5);  // a quarter of the sites is doubly occupied
  EXPECT_THAT(result.spin_structure_factor.values, IsEmpty());
  ASSERT_EQ(result.n_n.values.size(), 36U);
  EXPECT_NEAR(sum_of(result.n_n.values, 0, 36), 36.0, rounding);
  EXPECT_NEAR(sum_of(result.sz_sz.values, 0, 36), 0.0, rounding);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_NEAR(result.n_n.values[6 * i + j], result.n_n.values[6 * j + i], rounding);
  }
  EXPECT_THAT(job.report(), HasSubstr("1-2"));
}

/// The energies of the run, from its report and from its file.
std::string findings_of(const std::string& report) {
  const auto first = report.find("\nEnergy, in units of t");
  return report.substr(first, report.find("\nTime\n") - first);
}

std::string shown(const VmcResult& result) {
  std::ostringstream out;
  print_vmc(out, result);
  return out.str();
}

TEST(VmcRuns, ReportAndFileSayTheSame) {
  const std::string open_chain =
      "[lattice]\nkind = \"chain\"\nsize = 6\nboundary = \"open\"\nmodel = \"Hubbard\"\nU = 4\nV = 0.5\n"
      "electrons = 6\n[vmc]\nwavefunction = \"fermi-sea\"\ngutzwiller = 0.6\n";
  for (const std::string& input : {vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
                                   vmc_input_of(vmc_case("hub10_44_bcs_g0.5_u6")), open_chain}) {
    LatticeJob job(input, test::short_run());
    const VmcResult result = run_to_end(job);
    EXPECT_THAT(job.report(), HasSubstr("in units of t"));
    EXPECT_THAT(job.report(), Not(HasSubstr("hartree")));
    EXPECT_THAT(findings_of(job.report()), Not(IsEmpty()));
    EXPECT_EQ(findings_of(shown(result)), findings_of(job.report()));
    EXPECT_THAT(shown(result), HasSubstr("\nTrial state\n"));
    for (const std::string& line : {job.report(), shown(result)}) EXPECT_THAT(line, Not(HasSubstr("(0)")));
    const std::string page = vmc_page(job.file());
    EXPECT_THAT(page, HasSubstr("</html>"));
    EXPECT_THAT(page, HasSubstr("Energy per site"));
    std::ostringstream generic;
    show_result(job.file(), generic);
    EXPECT_EQ(generic.str(), shown(result));
  }
}

TEST(VmcRuns, FileHoldsWhatItSays) {
  const nlohmann::json reference = vmc_case("tj10_44_d1.5_cut100");
  LatticeJob job(vmc_input_of(reference),
                 test::short_run({"vmc.measure_interval=2", "vmc.seed=9223372036854775807"}));
  const VmcResult result = run_to_end(job);
  EXPECT_EQ(result.chains, 16);
  EXPECT_EQ(result.sweeps, 200);
  EXPECT_EQ(result.seed, 9223372036854775807U);
  EXPECT_EQ(result.steps, 16 * 260 * 10);
  EXPECT_EQ(result.series.size(), 16U * 100U);
  EXPECT_EQ(result.equilibration_series.size(), 30U);
  EXPECT_EQ(result.pair_cutoff, 100.0);
  EXPECT_EQ(result.ghosts, 0);
  ASSERT_EQ(result.singular.size(), 1U);
  EXPECT_EQ(result.singular[0], (std::array<double, 2>{0.0, 0.0}));
  EXPECT_EQ(result.counts.hops_proposed + result.counts.exchanges_proposed + result.counts.null,
            result.steps);
  const double mean =
      sum_of(result.series, 0, std::ssize(result.series)) / static_cast<double>(result.series.size());
  EXPECT_NEAR(mean * 10.0, result.energy.value, rounding);
  for (std::size_t chain = 0; chain < 16; ++chain) {
    EXPECT_NEAR(sum_of(result.series, static_cast<std::ptrdiff_t>(100 * chain), 100) / 100.0,
                result.chain_mean[chain], rounding);
  }
  const Hdf5File file = Hdf5File::open(job.file());
  const Hdf5Group group = file.root().open_group("vmc");
  EXPECT_EQ(group.read_attribute<std::string>("unit"), "t");
  EXPECT_EQ(group.open_dataset<double>("series").read_attribute<std::string>("unit"), "t");
  EXPECT_EQ(group.read_attribute<std::string>("status"), "complete");
  EXPECT_EQ(group.read_attribute<double>("energy"), result.energy.value);
  EXPECT_TRUE(holds_vmc(job.file()));
}

TEST(VmcRuns, WithoutCorrelations) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
                 test::short_run({"vmc.correlation_interval=0"}));
  const VmcResult result = run_to_end(job);
  EXPECT_THAT(result.s_s.values, IsEmpty());
  EXPECT_THAT(job.report(), Not(HasSubstr("Correlations")));
  LatticeJob with(vmc_input_of(vmc_case("tj10_44_d1.5_exact")), test::short_run());
  EXPECT_EQ(run_to_end(with).series, result.series);  // looking does not change the walk
}

/// Chain c of many is chain c of few.
TEST(VmcRuns, ChainsDoNotDependOnTheirNumber) {
  const std::string input = vmc_input_of(vmc_case("tj10_44_d1.5_exact"));
  LatticeJob many(input, test::short_run()), few(input, test::short_run({"vmc.chains=4"}));
  const VmcResult a = run_to_end(many), b = run_to_end(few);
  EXPECT_EQ(std::vector(a.series.begin(), a.series.begin() + 4 * 200), b.series);
}

TEST(VmcRuns, VerifyFindsWhatWasChanged) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")), test::short_run());
  run_to_end(job);
  const auto holds = [](const std::filesystem::path& file) {
    std::ostringstream report;
    const bool all = verify_vmc(file, report, false);
    EXPECT_EQ(report.str().find("DIFFERENT") == std::string::npos, all) << report.str();
    std::ostringstream generic;
    EXPECT_EQ(verify_result(file, generic), all);
    return all;
  };
  EXPECT_TRUE(holds(job.file()));
  const auto copy = job.folder() / "changed.h5";
  for (const char* name : {"energy/value", "energy/error", "kinetic/value", "exchange/value", "series",
                           "state/energies/values", "state/energies/sums"}) {
    std::filesystem::copy_file(job.file(), copy, std::filesystem::copy_options::overwrite_existing);
    test::change_number(copy, name, 1.25);
    EXPECT_FALSE(holds(copy)) << name;
  }
}

// --- error bars

/// (E - exact) / error of many short runs is a normal variable: neither too proud nor too shy.
TEST(VmcErrorsLarge, AreThoseOfTheMeans) {
  const nlohmann::json reference = vmc_case("tj10_44_d1.5_cut100");
  const VmcConfig config = [&] {
    LatticeJob job(vmc_input_of(reference));
    return read_vmc_config(job.input());
  }();
  const TrialState trial = make_trial_state(config.lattice.model, config.electrons, config.trial);
  constexpr int seeds = 1200, chains = 8, sweeps = 1000;
  double sum = 0.0, squares = 0.0;
  BlockSums sums;
  const ThreadScope one_thread(1);  // blocks are short
  for (int seed = 1; seed <= seeds; ++seed) {
    WalkConfig walk = config.walk;
    walk.seed = static_cast<std::uint64_t>(seed);
    const auto engine = make_host_engine(config.lattice.model, trial, walk, 0, chains);
    engine->advance_block({.sweeps = 50, .energy_interval = 0}, sums);
    ChainSeries series(chains);
    for (int done = 0; done < sweeps; done += walk.block) {
      engine->advance_block({.sweeps = walk.block, .first_sweep = done}, sums);
      const auto n = static_cast<std::size_t>(sums.energies_per_chain);
      for (int chain = 0; chain < chains; ++chain)
        series.append(chain, std::span(sums.energy).subspan(static_cast<std::size_t>(chain) * n, n));
    }
    const SeriesStatistics found = analyse_series(series);
    const double z = (found.mean - reference["energy"].get<double>()) / found.error;
    sum += z;
    squares += z * z;
  }
  const double mean = sum / seeds;
  EXPECT_NEAR(mean, 0.0, 0.09);  // three standard errors of the mean of 1200
  const double variance = squares / seeds - mean * mean;
  EXPECT_GT(variance, 0.85);
  EXPECT_LT(variance, 1.25);
}

// --- how long a run goes on

TEST(VmcTarget, EndsTheRunWhenReached) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
                 {"vmc.chains=32", "vmc.sweeps=100000", "vmc.target_error=1e-3"});
  const VmcResult result = run_to_end(job);
  EXPECT_LT(result.per_site(result.energy.error), 1e-3);
  EXPECT_LT(result.sweeps, 2000);  // sqrt(1.9 2 0.57 / (32 n)) / 10 < 1e-3: 677
  EXPECT_GT(result.sweeps, 400);
  EXPECT_EQ(result.sweeps % 100, 0);
  EXPECT_TRUE(result.target_reached);
}

TEST(VmcTarget, IsSaidToBeMissed) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")), test::short_run({"vmc.target_error=1e-6"}));
  EXPECT_EQ(job.run(), RunOutcome::not_converged);
  const VmcResult result = read_vmc(job.file());
  EXPECT_EQ(result.sweeps, 200);
  EXPECT_FALSE(result.target_reached);
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("vmc.target_error = 1e-06 was not reached: after 200 sweeps")));
  EXPECT_THAT(job.report(), HasSubstr("was not reached"));
}

/// Of a few measurements the error is a lower bound: they must not end a run.
TEST(VmcTarget, IsNotReachedByAFewMeasurements) {
  LatticeJob job(
      vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
      {"vmc.chains=64", "vmc.block=1", "vmc.sweeps=400", "vmc.target_error=0.02", "vmc.equilibration=50"});
  const VmcResult result = run_to_end(job);
  EXPECT_TRUE(result.target_reached);
  EXPECT_GE(result.sweeps, 5);  // the window is six autocorrelation times or more, which are 0.5 at least
}

// --- optimisation

constexpr double best_delta = 0.35784,
                 best_energy = -6.483528;  // shared by all who enumerate 4 + 4 electrons

TEST(VmcOptimisation, FindsTheMinimum) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
                 {"vmc.optimise=[\"delta\"]", "vmc.delta=1.0", "vmc.chains=128", "vmc.sweeps=2000"});
  const VmcResult result = run_to_end(job);
  const VmcOptimisation& found = result.optimisation;
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.names, std::vector<std::string>{"delta"});
  EXPECT_EQ(found.parameters.front(), 1.0);
  EXPECT_EQ(found.result[0], result.delta);
  // The valley is flat: 0.1 beside its bottom the energy is 1e-3 above, and the error is of the last iterations alone.
  EXPECT_NEAR(found.result[0], best_delta, 0.12);
  expect_near("energy", result.energy, best_energy);
  EXPECT_LT(result.energy.value, vmc_case("tj10_44_d1.0_exact")["energy"].get<double>());
  // Each of the energies on the way is that of a state: none is below the minimum.
  for (std::size_t k = 0; k < found.iterations(); ++k)
    EXPECT_GT(found.energy[k], best_energy - deviations * found.energy_error[k]);
  EXPECT_THAT(job.report(), HasSubstr("\nOptimisation, in units of t\n"));
  EXPECT_THAT(job.report(), HasSubstr("converged after"));
  EXPECT_EQ(findings_of(shown(result)), findings_of(job.report()));
}

TEST(VmcOptimisation, SaysThatItDidNotConverge) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.5_exact")),
                 test::short_run({"vmc.optimise=[\"delta\"]", "optimisation.iterations=3"}));
  EXPECT_EQ(job.run(), RunOutcome::not_converged);
  const VmcResult result = read_vmc(job.file());
  EXPECT_FALSE(result.optimisation.converged);
  EXPECT_EQ(result.optimisation.iterations(), 3U);
  EXPECT_EQ(result.sweeps, 200);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("did not converge in 3 iterations")));
  EXPECT_THAT(job.report(), HasSubstr("not converged after 3 iterations"));
}

/// On 10 sites mu, t2 and t3 are one direction, which delta has, too.
TEST(VmcOptimisation, TakesRedundantParameters) {
  LatticeJob job(vmc_input_of(vmc_case("tj10_44_d1.2_mu0.3_t2_t3")),
                 {"lattice.J=0.3", "lattice.t2=0.0", "lattice.t3=0.0",
                  "vmc.optimise=[\"delta\", \"mu\", \"t2\", \"t3\"]", "vmc.chains=128", "vmc.sweeps=1000"});
  const VmcResult result = run_to_end(job);
  EXPECT_TRUE(result.optimisation.converged);
  expect_near("energy", result.energy, best_energy, 5.0);
}

/// ln g is varied, and g is shown.
TEST(VmcOptimisation, OfTheGutzwillerFactor) {
  LatticeJob job(vmc_input_of(vmc_case("hub6chain_33_g0.6_u4")),
                 {"vmc.gutzwiller=0.9", "vmc.optimise=[\"gutzwiller\"]", "vmc.chains=64", "vmc.sweeps=2000"});
  const VmcResult result = run_to_end(job);
  const VmcOptimisation& found = result.optimisation;
  EXPECT_EQ(found.names, std::vector<std::string>{"gutzwiller"});
  EXPECT_NEAR(found.parameters.front(), 0.9, 1e-14);
  constexpr double best_factor = 0.46522, energy = -3.5373858;  // exp of the minimum in ln g, by enumeration
  EXPECT_NEAR(found.result[0], best_factor, 5.0 * found.result_error[0]);
  expect_near("energy", result.energy, energy);
  EXPECT_EQ(result.gutzwiller, found.result[0]);
}

/// The minimum over g and two shells by enumeration; that over g alone is -3.5373858, the exact energy -3.6687062.
TEST(VmcOptimisation, OfAJastrowFactor) {
  LatticeJob job(vmc_input_of(vmc_case("hub6chain_33_g0.6_u4")),
                 {"vmc.jastrow=[0, 0]", "vmc.optimise=[\"gutzwiller\", \"jastrow\"]", "vmc.chains=64",
                  "vmc.sweeps=2000"});
  const VmcResult result = run_to_end(job);
  const VmcOptimisation& found = result.optimisation;
  EXPECT_EQ(found.names, (std::vector<std::string>{"gutzwiller", "jastrow_1", "jastrow_2"}));
  const double best[] = {0.335697, -0.292600, -0.106553};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.result[k], best[k], 4.0 * found.result_error[k]) << k;
  expect_near("energy", result.energy, -3.6006206);
  EXPECT_EQ(result.jastrow, std::vector<double>(found.result.begin() + 1, found.result.end()));
  EXPECT_THAT(result.shell_distances, testing::ElementsAre(1.0, 2.0));
  EXPECT_THAT(job.report(), HasSubstr("  Jastrow factor, charges 0 at 1, 0 at 2\n"));
  EXPECT_EQ(findings_of(shown(result)), findings_of(job.report()));
  EXPECT_THAT(shown(result), HasSubstr("  Jastrow factor, charges -0."));
}

/// A line has room for some parameters; all are listed in the end.
TEST(VmcOptimisation, OfManyParametersKeepsItsWidth) {
  LatticeJob job(vmc_input_of(vmc_case("tj8chain_33_jastrow")),
                 test::short_run({"vmc.optimise=[\"delta\", \"jastrow\", \"spin_jastrow\"]",
                                  "optimisation.iterations=2", "optimisation.sweeps=20"}));
  EXPECT_EQ(job.run(), RunOutcome::not_converged);
  EXPECT_THAT(job.report(), HasSubstr("The first 2 of 6 parameters; all are in the result file."));
  EXPECT_THAT(job.report(), HasSubstr("    spin_jastrow_2"));
  std::istringstream lines(job.report());
  for (std::string line; std::getline(lines, line);) {
    const bool is_heading = line.find("E/N") != std::string::npos;
    EXPECT_LE(is_heading ? line.size() : 0U, 80U) << line;
  }
}

/// Where the last digit decides whether a parameter counts, it must not: its steps would be noise.
TEST(VmcOptimisation, LeavesOutWhatChangesNothing) {
  LatticeJob job(
      vmc_input_of(vmc_case("tj10_55_d1.5_exact")),
      {"vmc.optimise=[\"delta\", \"mu\"]", "optimisation.iterations=25", "vmc.chains=64", "vmc.sweeps=20"});
  job.run();
  const VmcResult result = read_vmc(job.file());
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("mu does not change the wavefunction here, and stays as it is")));
  const auto& parameters = result.optimisation.parameters;
  for (std::size_t k = 0; k < parameters.size(); k += 2) EXPECT_EQ(parameters[k + 1], 0.0) << k / 2;
  EXPECT_NE(parameters[parameters.size() - 2], parameters[0]);
}

// --- one configuration

TEST(VmcOneConfiguration, HasAnExactEnergy) {
  const std::string tilted = "[lattice]\nkind = \"tilted\"\nsize = 3\nV = 0.5\n";
  const std::string sea = "[vmc]\nwavefunction = \"fermi-sea\"\n";
  struct Case {
    std::string input;
    double energy;
  };
  // 20 bonds: V each, and (1/4 - 1/4) J; of doubly occupied sites 4 V each, and U for each of the 10.
  for (const auto& [input, energy] :
       {Case{tilted + "model = \"t-J\"\nJ = 0.3\nelectrons = 10\n" + sea + "[states]\nms2 = 10\n", 10.0},
        Case{tilted + "model = \"Hubbard\"\nU = 4\nelectrons = 20\n" + sea, 80.0},
        Case{tilted + "model = \"Hubbard\"\nU = 4\nelectrons = 10\n" + sea + "[states]\nms2 = -10\n",
             10.0}}) {
    LatticeJob job(input);
    const VmcResult result = run_to_end(job);
    EXPECT_TRUE(result.is_exact);
    EXPECT_NEAR(result.energy.value, energy, 1e-12);
    EXPECT_EQ(result.energy.error, 0.0);
    EXPECT_EQ(result.steps, 0);
    EXPECT_THAT(result.series, IsEmpty());
    EXPECT_THAT(job.report(), HasSubstr("There is one configuration"));
    EXPECT_EQ(findings_of(shown(result)), findings_of(job.report()));
    std::ostringstream verified;
    EXPECT_TRUE(verify_vmc(job.file(), verified, false));
    EXPECT_THAT(vmc_page(job.file()), HasSubstr("</html>"));
  }
}

/// Two sites have one state of each symmetry: no spread, and no error.
TEST(VmcRuns, AnEigenstateHasNoSpread) {
  LatticeJob job(
      "[lattice]\nkind = \"chain\"\nsize = 2\nboundary = \"open\"\nmodel = \"t-J\"\nJ = 0.3\n"
      "electrons = 2\n[vmc]\nwavefunction = \"fermi-sea\"\n",
      {"vmc.chains=16", "vmc.sweeps=200"});
  const VmcResult result = run_to_end(job);
  EXPECT_NEAR(result.energy.value, -0.3, 1e-12);
  EXPECT_NEAR(result.variance.value, 0.0, 1e-12);
  EXPECT_THAT(result.warnings, IsEmpty());
}

}  // namespace test_vmc_runs
}  // namespace cisolve

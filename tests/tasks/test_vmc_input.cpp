// SPDX-License-Identifier: MIT
// Inputs of variational Monte Carlo that are refused, each in a sentence that names the key and says what would be right,
// and those that are warned of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/does_not_fit.hpp"
#include "tasks/vmc_job.hpp"

namespace cisolve {
namespace test_vmc_input {

using test::LatticeJob;
using test::refusal_of;
using test::run_to_end;
using test::short_run;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct BadInput {
  const char *name, *text, *key, *says;
};

class BadVmcInput : public testing::TestWithParam<BadInput> {};

TEST_P(BadVmcInput, IsRefusedInASentence) {
  try {
    LatticeJob job(GetParam().text, short_run());
    EXPECT_THAT(refusal_of(job), AllOf(HasSubstr(GetParam().key), HasSubstr(GetParam().says)));
    EXPECT_FALSE(std::filesystem::exists(job.file()));
    EXPECT_FALSE(std::filesystem::exists(job.folder() / "job.chk.h5"));
  } catch (const InputError& error) {
    FAIL() << error.what();
  }
}

// As --set, so that what the rows say themselves does not contradict short_run.
#define TJ "[lattice]\nkind = \"tilted\"\nsize = 3\nmodel = \"t-J\"\nJ = 0.3\n"
#define HUBBARD "[lattice]\nkind = \"tilted\"\nsize = 3\nmodel = \"Hubbard\"\nU = 4\n"
#define CHAIN "[lattice]\nkind = \"chain\"\nsize = 6\nmodel = \"Hubbard\"\nU = 4\nelectrons = 6\n"
#define GRAPH                                                                          \
  "[lattice]\nkind = \"bonds\"\nsites = 4\nbonds = [[1, 2], [2, 3], [3, 4]]\nmodel = " \
  "\"Hubbard\"\nelectrons = 4\n"
#define SQUARE "[lattice]\nkind = \"square\"\nsize = [4, 4]\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 14\n"
#define SEA "wavefunction = \"fermi-sea\"\n"

INSTANTIATE_TEST_SUITE_P(
    Sections, BadVmcInput,
    testing::Values(BadInput{"NoLattice", "[vmc]\ndelta = 1\n", "[vmc]", "there is no [lattice]"},
                    BadInput{"WithIntegrals", TJ "electrons = 8\n[integrals]\nfile = \"a\"\n[vmc]\n",
                             "[integrals]", "does not go with [vmc]; take one of them out"},
                    BadInput{"WithSpace", TJ "electrons = 8\n[vmc]\n[space]\nexcitation_level = 2\n",
                             "[space]", "does not go with [vmc]"},
                    BadInput{"WithSolver", TJ "electrons = 8\n[vmc]\n[solver]\ntolerance = 1e-8\n",
                             "[solver]", "does not go with [vmc]"},
                    BadInput{"WithCount", TJ "electrons = 8\n[vmc]\n[states]\ncount = 2\n", "states.count",
                             "does not go with [vmc]"},
                    BadInput{"WithOrbitals", TJ "electrons = 8\norbitals = \"site\"\n[vmc]\n",
                             "lattice.orbitals", "does not go with [vmc]"},
                    BadInput{"OptimisationOfNothing", TJ "electrons = 8\n[vmc]\n[optimisation]\nstep = 0.1\n",
                             "[optimisation]", "give vmc.optimise = [\"delta\"]"},
                    BadInput{"OptimisationOfAnEmptyList",
                             TJ "electrons = 8\n[vmc]\noptimise = []\n[optimisation]\nstep = 0.1\n",
                             "[optimisation]", "nothing to optimise"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Electrons, BadVmcInput,
    testing::Values(
        BadInput{"None", TJ "[vmc]\n", "[lattice]", "has no electrons"},
        BadInput{"Twice", TJ "electrons = 8\ndoping = 0.1\n[vmc]\n", "lattice.doping",
                 "take one of them out"},
        BadInput{"TooMany", TJ "electrons = 12\n[vmc]\n", "lattice.electrons", "more than the 10"},
        BadInput{
            "Odd", TJ "electrons = 7\n[vmc]\n", "lattice.electrons",
            "gives 7 electrons, but bcs needs as many up as down electrons: take 6 or 8, or vmc.wavefunction "
            "= \"fermi-sea\""},
        BadInput{"OneAlone", TJ "electrons = 1\n[vmc]\n", "lattice.electrons",
                 "gives 1 electron, but bcs needs as"
                 " many up as down electrons: take 2, or"},
        BadInput{
            "OddOfAllSites",
            "[lattice]\nkind = \"square\"\nsize = [3, 3]\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 9\n[vmc]\n",
            "lattice.electrons", "take 8, or"},
        BadInput{"SpinOfPairs", TJ "electrons = 8\n[vmc]\n[states]\nms2 = 2\n", "states.ms2",
                 "does not go with bcs, which needs as many up as down electrons"},
        BadInput{"SpinOfWrongParity", TJ "electrons = 6\n[vmc]\n" SEA "[states]\nms2 = 1\n", "states.ms2",
                 "must be even, and from -6 to 6"},
        BadInput{"SpinTooLarge", TJ "electrons = 6\n[vmc]\n" SEA "[states]\nms2 = 8\n", "states.ms2",
                 "must be even, and from -6 to 6"},
        BadInput{"SpinOfFullSites", HUBBARD "electrons = 18\n[vmc]\n" SEA "[states]\nms2 = 4\n", "states.ms2",
                 "must be even, and from -2 to 2"},
        BadInput{"OpenShell", TJ "electrons = 8\n[vmc]\n" SEA, "vmc.wavefunction",
                 "4 electrons of one spin is an open shell: its highest orbital has the energy -1.000000, "
                 "the next "
                 "one -1.000000; the nearest closed shells have 1 and 5 electrons"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    States, BadVmcInput,
    testing::Values(
        BadInput{"UnknownWavefunction", TJ "electrons = 8\n[vmc]\nwavefunction = \"bsc\"\n",
                 "vmc.wavefunction", "did you mean \"bcs\"?"},
        BadInput{"UnknownPairing", TJ "electrons = 8\n[vmc]\npairing = \"p\"\n", "vmc.pairing",
                 "must be \"d\", \"extended-s\" or \"s\""},
        BadInput{"NoGap", TJ "electrons = 8\n[vmc]\ndelta = 0\n", "vmc.delta",
                 "must be a number > 0 (without a gap: vmc.wavefunction = \"fermi-sea\"); found 0"},
        BadInput{"NegativeGap", TJ "electrons = 8\n[vmc]\ndelta = -1.5\n", "vmc.delta", "found -1.5"},
        BadInput{"GapIsNoNumber", TJ "electrons = 8\n[vmc]\ndelta = nan\n", "vmc.delta", "found nan"},
        BadInput{"PotentialIsNoNumber", TJ "electrons = 8\n[vmc]\nmu = inf\n", "vmc.mu", "found inf"},
        BadInput{"GapOfTheSea", TJ "electrons = 2\n[vmc]\n" SEA "delta = 1\n", "vmc.delta",
                 "belongs to vmc.wavefunction = \"bcs\""},
        BadInput{"PairingOfTheSea", TJ "electrons = 2\n[vmc]\n" SEA "pairing = \"d\"\n", "vmc.pairing",
                 "belongs to vmc.wavefunction = \"bcs\""},
        BadInput{"CutoffOfTheSea", TJ "electrons = 2\n[vmc]\n" SEA "pair_cutoff = 100\n", "vmc.pair_cutoff",
                 "a fermi-sea has no pairs"},
        BadInput{"GutzwillerOfTJ", TJ "electrons = 8\n[vmc]\ngutzwiller = 0.5\n", "vmc.gutzwiller",
                 "belongs to the Hubbard model"},
        BadInput{"ExchangesOfTJ", TJ "electrons = 8\n[vmc]\nexchange_fraction = 0.5\n",
                 "vmc.exchange_fraction", "belongs to the Hubbard model"},
        BadInput{"NoFactor", HUBBARD "electrons = 8\n[vmc]\ngutzwiller = 0\n", "vmc.gutzwiller",
                 "must be a number > 0"},
        BadInput{"NoCutoff", TJ "electrons = 8\n[vmc]\npair_cutoff = 0\n", "vmc.pair_cutoff",
                 "\"exact\" or a number > 0"},
        BadInput{"UnknownCutoff", TJ "electrons = 8\n[vmc]\npair_cutoff = \"exat\"\n", "vmc.pair_cutoff",
                 "did you mean \"exact\"?"},
        BadInput{"DOnAChain", CHAIN "[vmc]\npairing = \"d\"\n", "vmc.pairing",
                 "on a chain there are \"extended-s\" and \"s\""},
        BadInput{"PairsOfAGraph", GRAPH "[vmc]\ndelta = 1.0\n", "lattice.kind",
                 "bcs needs momenta, which a list of bonds has not; take wavefunction = \"fermi-sea\""},
        BadInput{"PairsWithOpenEnds", CHAIN "boundary = \"open\"\n[vmc]\ndelta = 1.0\n", "lattice.boundary",
                 "no boundary is open; close it, or take wavefunction = \"fermi-sea\""},
        BadInput{"TwistedBoundary", CHAIN "boundary = 0.3\n[vmc]\n", "lattice.boundary",
                 "needs a real wavefunction: boundaries are periodic, antiperiodic or open"},
        BadInput{"TwistedSea", CHAIN "boundary = 0.3\n[vmc]\n" SEA, "lattice.boundary", "real wavefunction"},
        BadInput{"GaplessMomentum", SQUARE "[vmc]\ndelta = 1.0\n", "vmc.wavefunction",
                 "at the momentum (0.5, 0.5) pi both the gap and the energy of the trial band are zero, so "
                 "that its "
                 "pairs are undefined; change mu, boundary or lattice"},
        BadInput{"GaplessByMu", TJ "electrons = 8\n[vmc]\ndelta = 1.0\nmu = 4\n", "vmc.mu",
                 "at the momentum (1, 1) pi"},
        BadInput{
            "MoreGhostsThanPairs",
            "[lattice]\nkind = \"square\"\nsize = [4, 4]\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 4\n[vmc]\nmu "
            "= 3.9\n",
            "vmc.mu",
            "5 momenta lie below the Fermi level where the gap is zero, more than the 2 pairs of electrons"},
        BadInput{"NoAmplitudes", HUBBARD "electrons = 20\n[vmc]\nmu = -5\n", "vmc.mu",
                 "the trial state vanishes: 10 pairs of electrons, but only 8 momenta"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Walks, BadVmcInput,
    testing::Values(
        BadInput{"Fraction", TJ "electrons = 8\n[vmc]\nneighbour_fraction = 1.5\n", "vmc.neighbour_fraction",
                 "from 0 to 1; found 1.5"},
        BadInput{"NegativeFraction", HUBBARD "electrons = 8\n[vmc]\nexchange_fraction = -0.5\n",
                 "vmc.exchange_fraction", "from 0 to 1"},
        BadInput{"Correlations", TJ "electrons = 8\n[vmc]\ncorrelation_interval = -1\n",
                 "vmc.correlation_interval", "found -1"},
        BadInput{"Interval", TJ "electrons = 8\n[vmc]\nmeasure_interval = 0\n", "vmc.measure_interval",
                 "from 1"},
        BadInput{"LongInterval", TJ "electrons = 8\n[vmc]\nmeasure_interval = 201\n", "vmc.measure_interval",
                 "= 201 is more than vmc.sweeps = 200: nothing would be measured"},
        BadInput{"Target", TJ "electrons = 8\n[vmc]\ntarget_error = -1e-3\n", "vmc.target_error",
                 "found -0.001"},
        BadInput{"Seed", TJ "electrons = 8\n[vmc]\nseed = -1\n", "vmc.seed", "an integer from 0"},
        BadInput{"LargeSeed", TJ "electrons = 8\n[vmc]\nseed = 9223372036854775808\n", "job.inp:8",
                 "is not representable in 64 bits"},
        BadInput{"Drift", TJ "electrons = 8\n[vmc]\ndrift_tolerance = 0\n", "vmc.drift_tolerance", "> 0"},
        BadInput{"Attempts", TJ "electrons = 8\n[vmc]\nstart_attempts = 0\n", "vmc.start_attempts",
                 "found 0"},
        BadInput{"NoStart", TJ "electrons = 6\n[vmc]\n" SEA "start_attempts = 1\n[states]\nms2 = 4\n",
                 "no configuration with a finite", "found in 1 attempts"},
        BadInput{"UnknownKey", TJ "electrons = 8\n[vmc]\nsweps = 100\n", "vmc.sweps",
                 "did you mean \"vmc.sweeps\"?"},
        BadInput{
            "ThatCannotMove", HUBBARD "electrons = 1\n[vmc]\n" SEA "exchange_fraction = 1\n",
            "vmc.exchange_fraction",
            "no chain accepted a move in its first 100 sweeps: of all proposals 0 were hops, 0 exchanges"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Optimisation, BadVmcInput,
    testing::Values(
        BadInput{
            "UnknownParameter", TJ "electrons = 8\n[vmc]\noptimise = [\"dleta\"]\n", "vmc.optimise",
            "lists \"dleta\"; there are \"delta\", \"mu\", \"t2\", \"t3\", \"gutzwiller\", \"jastrow\" or "
            "\"spin_jastrow\""},
        BadInput{"NoList", TJ "electrons = 8\n[vmc]\noptimise = \"delta\"\n", "vmc.optimise",
                 "must be a list of"},
        BadInput{"Twice", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\", \"mu\"]\n", "vmc.optimise", "twice"},
        BadInput{"GutzwillerOfTJ", TJ "electrons = 8\n[vmc]\noptimise = [\"gutzwiller\"]\n", "vmc.optimise",
                 "belongs to the Hubbard model"},
        BadInput{"GapOfTheSea", HUBBARD "electrons = 10\n[vmc]\n" SEA "optimise = [\"delta\"]\n",
                 "vmc.optimise", "which a fermi-sea does not have"},
        BadInput{"JastrowWithoutNumbers", HUBBARD "electrons = 10\n[vmc]\n" SEA "optimise = [\"jastrow\"]\n",
                 "vmc.optimise", "vmc.jastrow gives no shells to begin with; add vmc.jastrow = [0.0], say"},
        BadInput{"SpinJastrowWithoutNumbers",
                 TJ "electrons = 8\n[vmc]\njastrow = [0.1]\noptimise = [\"spin_jastrow\"]\n", "vmc.optimise",
                 "vmc.spin_jastrow gives no shells"},
        BadInput{"JastrowTwice",
                 TJ "electrons = 8\n[vmc]\njastrow = [0.1]\noptimise = [\"jastrow\", \"Jastrow\"]\n",
                 "vmc.optimise", "twice"},
        BadInput{"TooManyShells", TJ "electrons = 8\n[vmc]\njastrow = [0.1, 0.2, 0.3]\n", "vmc.jastrow",
                 "has 3 numbers, but 2 can be given: there are 3 shells of pairs of sites, at 1.000, 1.414, "
                 "2.236, "
                 "and one is superfluous"},
        BadInput{"JastrowTooLarge", TJ "electrons = 8\n[vmc]\njastrow = [1000]\n", "vmc.jastrow",
                 "a list of numbers from -100 to 100"},
        BadInput{"JastrowOfWords", TJ "electrons = 8\n[vmc]\nspin_jastrow = [\"a\"]\n", "vmc.spin_jastrow",
                 "a list of numbers"},
        BadInput{
            "JastrowOfOneShell",
            "[lattice]\nkind = \"chain\"\nsize = 3\nmodel = \"Hubbard\"\nU = 4\nelectrons = 3\n[vmc]\n" SEA
            "jastrow = [0.1]\n[states]\nms2 = 3\n",
            "vmc.jastrow",
            "does here what vmc.gutzwiller does, as all sites are equally far from each other"},
        BadInput{"NoIterations",
                 TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\niterations = 0\n",
                 "optimisation.iterations", "found 0"},
        BadInput{"NoSweeps", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\nsweeps = 0\n",
                 "optimisation.sweeps", "found 0"},
        BadInput{"NoStep", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\nstep = 0\n",
                 "optimisation.step", "> 0"},
        BadInput{"NoShift", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\nshift = 0\n",
                 "optimisation.shift", "> 0"},
        BadInput{"NoTrust", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\ntrust = -1\n",
                 "optimisation.trust", "> 0"},
        BadInput{"NoChange", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\nmax_change = 0\n",
                 "optimisation.max_change", "> 0"},
        BadInput{"NoWindow", TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\nwindow = 0\n",
                 "optimisation.window", "from 1"},
        BadInput{"NoTolerance",
                 TJ "electrons = 8\n[vmc]\noptimise = [\"mu\"]\n[optimisation]\ntolerance = 0\n",
                 "optimisation.tolerance", "> 0"}),
    [](const auto& tested) { return std::string(tested.param.name); });

/// Settings that every run here has.
TEST(VmcInput, RangesOfWhatAllRunsHave) {
  for (const auto& [setting, says] :
       {std::pair("vmc.chains=1", "must be an integer from 2 to 1000000; found 1"),
        std::pair("vmc.chains=2000000", "from 2 to 1000000"),
        std::pair("vmc.sweeps=19", "from 20 to 1000000000"),
        std::pair("vmc.sweeps=2000000000", "from 20 to 1000000000"),
        std::pair("vmc.equilibration=-1", "from 0 to 1000000000"),
        std::pair("vmc.block=0", "from 1 to 1000000")}) {
    LatticeJob job(TJ "electrons = 8\n[vmc]\n", {setting});
    EXPECT_THAT(refusal_of(job), HasSubstr(says)) << setting;
    EXPECT_FALSE(std::filesystem::exists(job.file()));
  }
}

TEST(VmcInput, SitesThatSamplingCanHave) {
  LatticeJob large(
      "[lattice]\nkind = \"tilted\"\nsize = 70\nmodel = \"t-J\"\nJ = 0.3\ndoping = 0.1\n[vmc]\n");
  EXPECT_THAT(refusal_of(large),
              AllOf(HasSubstr("lattice.size"), HasSubstr("makes 4901 sites; at most 4096")));
  // Too many for exact diagonalisation, not for this.
  LatticeJob fits("[lattice]\nkind = \"tilted\"\nsize = 9\nmodel = \"t-J\"\nJ = 0.3\ndoping = 0.1\n[vmc]\n",
                  {"vmc.chains=2", "vmc.sweeps=20", "vmc.equilibration=20"});
  EXPECT_EQ(run_to_end(fits).lattice.n_electrons, 74);
}

/// What fits is said, and fits.
TEST(VmcMemoryNeed, SaysHowManyChainsFit) {
  LatticeJob job(TJ "electrons = 8\n[vmc]\n", short_run({"vmc.chains=1000000", "run.memory=\"20 MiB\""}));
  const std::string message = refusal_of<DoesNotFit>(job);
  EXPECT_THAT(message, AllOf(HasSubstr("vmc.chains: 1000000 chains of"), HasSubstr("20.00 MiB may be used")));
  const auto at = message.find("at most ");
  ASSERT_NE(at, std::string::npos) << message;
  const std::string most = message.substr(at + 8, message.find(' ', at + 8) - at - 8);
  EXPECT_GT(std::stoi(most), 1000);
  EXPECT_FALSE(std::filesystem::exists(job.file()));
  const auto checked = [](const std::string& chains) {
    LatticeJob one(TJ "electrons = 8\n[vmc]\n", short_run({"vmc.chains=" + chains, "run.memory=\"20 MiB\""}));
    std::ostringstream plan;
    check_vmc(read_vmc_config(one.input()), plan);
    return plan.str();
  };
  EXPECT_THAT(checked(most), HasSubstr("memory of a chain"));
  EXPECT_THROW(checked(std::to_string(std::stoi(most) + 1)), DoesNotFit);
}

TEST(VmcMemoryNeed, CountsTheSeriesOnce) {
  LatticeJob job(TJ "electrons = 8\n[vmc]\n",
                 {"vmc.chains=1000", "vmc.sweeps=1000000", "run.memory=\"1 MiB\""});
  EXPECT_THAT(refusal_of<DoesNotFit>(job), HasSubstr("a smaller lattice is needed"));
  LatticeJob large("[lattice]\nkind = \"tilted\"\nsize = 9\nmodel = \"t-J\"\nJ = 0.3\ndoping = 0.1\n[vmc]\n",
                   {"vmc.chains=1000000", "run.memory=\"10 GiB\""});
  const std::string message = refusal_of<ResourceError>(large);
  EXPECT_THAT(message, HasSubstr("at most "));
}

TEST(VmcMemoryNeed, CountsTheHistoryOfAnOptimisation) {
  const auto checked = [](const std::string& iterations) {
    LatticeJob job(
        TJ "electrons = 8\n[vmc]\noptimise = [\"delta\"]\n[optimisation]\n",
        short_run({"optimisation.iterations=" + iterations, "run.memory=\"100 MiB\"", "run.threads=1"}));
    std::ostringstream plan;
    check_vmc(read_vmc_config(job.input()), plan);
  };
  try {
    checked("100000000");
    FAIL() << "was not refused";
  } catch (const DoesNotFit& refused) {
    const std::string message = refused.what();
    EXPECT_THAT(message, HasSubstr("optimisation.iterations: what is kept of 100000000 iterations takes"));
    const std::size_t at = message.find("at most ");
    ASSERT_NE(at, std::string::npos) << message;
    const std::string most = message.substr(at + 8, message.find(' ', at + 8) - at - 8);
    EXPECT_GT(std::stoi(most), 100000);
    EXPECT_NO_THROW(checked(most));
    EXPECT_THROW(checked(std::to_string(std::stoi(most) + 1)), DoesNotFit);
  }
}

TEST(VmcCheck, PlansAndWritesNothing) {
  LatticeJob job(TJ "electrons = 8\n[vmc]\n", short_run());
  std::ostringstream plan;
  check_vmc(read_vmc_config(job.input()), plan);
  EXPECT_THAT(plan.str(), AllOf(HasSubstr("\nLattice\n"), HasSubstr("\nTrial state\n"), HasSubstr("\nPlan\n"),
                                HasSubstr("distances of pairs      1, 1.414, 2.236\n"),
                                HasSubstr("Jastrow factors         up to 2 numbers\n"), HasSubstr("41,600"),
                                Not(HasSubstr("hartree"))));
  EXPECT_EQ(job.folder().size(), 0U);
}

// --- what is warned of

TEST(VmcWarnings, OfALargeCutoff) {
  LatticeJob job(TJ "electrons = 8\n[vmc]\npair_cutoff = 1e5\n", short_run());
  EXPECT_THAT(run_to_end(job).warnings, Contains(AllOf(HasSubstr("vmc.pair_cutoff = 100000"),
                                                       HasSubstr("\"exact\" is the limit itself"))));
  LatticeJob safe(TJ "electrons = 8\n[vmc]\npair_cutoff = 100\n", short_run());
  EXPECT_THAT(run_to_end(safe).warnings, Not(Contains(HasSubstr("pair_cutoff"))));
}

TEST(VmcWarnings, OfPairsJoinedTwice) {
  LatticeJob job(
      "[lattice]\nkind = \"square\"\nsize = [2, 2]\nmodel = \"t-J\"\nJ = 0.3\nelectrons = 2\n[vmc]\nmu = "
      "0.5\n",
      short_run());
  EXPECT_THAT(run_to_end(job).warnings, Contains(HasSubstr("4 pairs of sites are joined more than once")));
}

TEST(VmcWarnings, OfAGraphInParts) {
  LatticeJob job(
      "[lattice]\nkind = \"bonds\"\nsites = 4\nbonds = [[1, 2], { sites = [3, 4], t = 0.8 }]\n"
      "model = \"Hubbard\"\nU = 4\nelectrons = 2\n[vmc]\n" SEA,
      short_run());
  EXPECT_THAT(run_to_end(job).warnings, Contains(HasSubstr("2 parts that no bond connects")));
}

/// One line, however many they are.
TEST(VmcWarnings, OfStuckChains) {
  LatticeJob job(TJ "electrons = 10\n[vmc]\ndelta = 0.05\nneighbour_fraction = 1.0\n",
                 {"vmc.chains=64", "vmc.sweeps=40", "vmc.equilibration=20", "vmc.block=1"});
  const VmcResult result = run_to_end(job);
  int lines = 0;
  for (const std::string& warning : result.warnings) {
    if (warning.find("stuck: no move was accepted in") == std::string::npos) continue;
    ++lines;
    EXPECT_THAT(warning, HasSubstr("block"));
  }
  EXPECT_EQ(lines, 1);
}

TEST(VmcWarnings, OfDrift) {
  LatticeJob job(TJ "electrons = 8\n[vmc]\ndrift_tolerance = 1e-300\n", short_run());
  EXPECT_THAT(run_to_end(job).warnings,
              Contains(HasSubstr("vmc.drift_tolerance: what 16 chains updated drifted by")));
}

/// Chains that stay where they began differ.
TEST(VmcWarnings, OfChainsThatDiffer) {
  LatticeJob job(TJ "electrons = 10\n[vmc]\ndelta = 0.05\nneighbour_fraction = 1.0\n",
                 {"vmc.chains=64", "vmc.sweeps=20", "vmc.equilibration=0", "vmc.block=1"});
  job.run();
  EXPECT_THAT(read_vmc(job.file()).warnings, Contains(AllOf(HasSubstr("R-hat"), HasSubstr("above 1.01"))));
}

TEST(VmcWarnings, OfTooShortAnEquilibration) {
  LatticeJob job(
      "[lattice]\nkind = \"tilted\"\nsize = 5\nmodel = \"t-J\"\nJ = 0.3\ndoping = 0.1\n[vmc]\ndelta = 1.5\n",
      {"vmc.chains=256", "vmc.sweeps=100", "vmc.equilibration=0"});
  EXPECT_THAT(run_to_end(job).warnings, Contains(AllOf(HasSubstr("the energy has not settled before sweep"),
                                                       HasSubstr("vmc.equilibration is 0: raise it"))));
}

#undef TJ
#undef HUBBARD
#undef CHAIN
#undef GRAPH
#undef SQUARE
#undef SEA

}  // namespace test_vmc_input
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// Exact calculations on lattices against tests/data/lattice: other programs' energies and correlations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/report/report.hpp"
#include "tasks/lattice_job.hpp"

namespace cisolve {
namespace test_lattice_runs {

using test::input_of;
using test::LatticeJob;
using test::run_lattice;
using testing::HasSubstr;
using testing::Not;

constexpr double energy_tolerance = 1e-10, value_tolerance = 1e-7;
const std::vector<std::string> tight = {"solver.tolerance=1e-8", "states.count=3"};

nlohmann::json cases() { return read_json("lattice/ed.json")["cases"]; }

nlohmann::json case_named(const std::string& name) {
  for (const auto& one : cases()) {
    if (one["name"] == name) return one;
  }
  throw Error("no case " + name);
}

bool is_large(const nlohmann::json& one) { return one["dimension"].get<int>() > 20'000; }

/// Roots of all irreps together, as many as the reference has.
void expect_energies(const CiResult& result, const nlohmann::json& reference) {
  const auto& expected = reference["energies"];
  ASSERT_GE(result.roots.size(), std::min<std::size_t>(expected.size(), reference["dimension"]));
  for (std::size_t k = 0; k < expected.size() && k < result.roots.size(); ++k)
    EXPECT_NEAR(result.root(k).energy, expected[k].get<double>(), energy_tolerance) << k;
}

void expect_values(const std::vector<double>& found, std::size_t root, const nlohmann::json& expected) {
  const std::size_t width = expected.size();
  ASSERT_GE(found.size(), (root + 1) * width);
  for (std::size_t i = 0; i < width; ++i)
    EXPECT_NEAR(found[root * width + i], expected[i].get<double>(), value_tolerance) << i;
}

/// Whatever of the ground state the reference has.
void expect_correlations(const CiResult& result, const nlohmann::json& reference) {
  ASSERT_TRUE(result.lattice_states);
  const auto& states = *result.lattice_states;
  const nlohmann::json& of = reference.contains("group_average") ? reference["group_average"] : reference;
  const auto level = std::count(states.group.begin(), states.group.end(), 1);
  if (of.contains("states") && level != of["states"].get<int>()) return;  // the group is cut by Ms or count
  const double energy = states.kinetic[0] + states.exchange[0] + states.interaction[0] + states.repulsion[0];
  EXPECT_NEAR(energy, result.root(0).energy, value_tolerance);
  if (reference["ground_state_degenerate"] && !of.contains("states")) return;
  if (of.contains("kinetic_energy")) {
    EXPECT_NEAR(states.kinetic[0], of["kinetic_energy"].get<double>(), value_tolerance);
  }
  if (of.contains("density")) expect_values(states.density, 0, of["density"]);
  if (of.contains("double_occupancy")) {
    const auto sites = static_cast<std::ptrdiff_t>(result.lattice->n_sites);
    EXPECT_NEAR(
        std::accumulate(states.double_occupancy.begin(), states.double_occupancy.begin() + sites, 0.0),
        of["double_occupancy"].get<double>(), value_tolerance);
  }
  for (const auto& [name, values] :
       {std::pair("s_s", &states.s_s), std::pair("sz_sz", &states.sz_sz), std::pair("n_n", &states.n_n),
        std::pair("spin_structure_factor", &states.spin_structure_factor),
        std::pair("charge_structure_factor", &states.charge_structure_factor),
        std::pair("momentum_distribution_up", &states.momentum_distribution)}) {
    SCOPED_TRACE(name);
    if (of.contains(name)) expect_values(*values, 0, of[name]);
    const std::string row = std::string(name) + "_row1";  // sites without translations: pairs with the first
    if (of.contains(row)) expect_values(*values, 0, of[row]);
  }
}

class LatticeReference : public testing::TestWithParam<std::string> {};

/// From the default input: hidden symmetries, degenerate levels, every kind of cluster and boundary.
TEST_P(LatticeReference, EnergiesAndCorrelations) {
  const nlohmann::json reference = case_named(GetParam());
  std::vector<std::string> settings = tight;
  if (is_large(reference)) settings.emplace_back("run.threads=0");  // such cases run alone
  const CiResult result = run_lattice(input_of(reference), settings);
  expect_energies(result, reference);
  if (GetParam() != "hub_chain6_twist") expect_correlations(result, reference);
}

std::vector<std::string> names(bool large) {
  std::vector<std::string> found;
  for (const auto& one : cases()) {
    if (is_large(one) == large) found.push_back(one["name"]);
  }
  return found;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, LatticeReference, testing::ValuesIn(names(false)), name_of);
INSTANTIATE_TEST_SUITE_P(LargeCases, LatticeReference, testing::ValuesIn(names(true)), name_of);

/// Up to 19 million determinants, by a third program (tests/data/lattice/large.json).
TEST(LatticeExhaustive, LargeClusters) {
  int found = 0;
  const nlohmann::json read = read_json("lattice/large.json");
  for (const auto& reference : read["cases"]) {
    if (reference["dimension"].get<std::int64_t>() > 20'000'000)
      continue;  // of one H200: docs/performance.md
    std::vector<std::string> settings = {"run.threads=0", "lattice.correlations=false",
                                         "output.vectors=false"};
    if (reference["model"]["kind"] == "Hubbard") settings.emplace_back("states.irrep=1");
    const CiResult result = run_lattice(input_of(reference), settings);
    EXPECT_NEAR(result.root(0).energy, reference["energy"].get<double>(), 1e-9) << reference["name"];
    ++found;
  }
  EXPECT_EQ(found, 4);
}

TEST(LatticeRuns, SitesAndBandsAgree) {
  for (const char* name : {"hub_chain6_periodic", "hub_chain8_uv", "hub_square2x3_open_odd", "hub_tilted8"}) {
    const nlohmann::json reference = case_named(name);
    for (const char* orbitals : {"band", "site"}) {
      auto settings = tight;
      settings.push_back(std::string("lattice.orbitals=") + orbitals);
      const CiResult result = run_lattice(input_of(reference), settings);
      EXPECT_EQ(result.lattice->orbitals, orbitals);
      expect_energies(result, reference);
      expect_correlations(result, reference);
    }
  }
}

/// Every storage format gives the same t-J energies.
TEST(LatticeRuns, EveryStorageOfTJ) {
  const nlohmann::json reference = case_named("tj_tilted10_4_4");
  for (const char* storage : {"csr", "ell", "hybrid", "coded", "csb"}) {
    auto settings = tight;
    settings.push_back(std::string("hamiltonian.storage=") + storage);
    expect_energies(run_lattice(input_of(reference), settings), reference);
  }
}

TEST(LatticeRuns, SpinsOfTJ) {
  const nlohmann::json reference = case_named("tj_tilted10_3_3");
  const CiResult result =
      run_lattice(input_of(reference), {"states.multiplicity=[1, 3, 5]", "solver.tolerance=1e-8"});
  ASSERT_EQ(result.sectors.size(), 3U);
  EXPECT_NEAR(result.root(0).energy, reference["energies"][0].get<double>(), energy_tolerance);
  for (std::size_t k = 0; k < 3; ++k) {
    const double s = (result.sectors[result.roots[k].sector].multiplicity - 1) / 2.0;
    EXPECT_NEAR(result.root(k).s_squared, s * (s + 1.0), 1e-6);
  }
  EXPECT_NEAR(result.root(0).s_squared, 6.0, 1e-6);  // the ground state is a quintet
}

/// sum_q S(q) = sum_i <S_i^2>, S(0) N = <S^2>, sum_k n(k) = N_s, N(0) = 0.
TEST(LatticeRuns, SumRules) {
  for (const char* name :
       {"hub_tilted8", "tj_chain8", "tj_tilted10_antiperiodic", "hub_chain6_antiperiodic"}) {
    const nlohmann::json reference = case_named(name);
    const CiResult result = run_lattice(input_of(reference), {"solver.tolerance=1e-8"});
    const auto& states = *result.lattice_states;
    const auto sites = static_cast<std::ptrdiff_t>(result.lattice->n_sites);
    const auto sum = [&](const std::vector<double>& values, std::ptrdiff_t first = 0) {
      return std::accumulate(values.begin() + first, values.begin() + first + sites, 0.0);
    };
    EXPECT_NEAR(sum(states.spin_structure_factor), static_cast<double>(sites) * states.s_s[0], 1e-9);
    EXPECT_NEAR(states.spin_structure_factor[0] * static_cast<double>(sites), result.root(0).s_squared, 1e-7);
    EXPECT_NEAR(states.charge_structure_factor[0], 0.0, 1e-9);
    EXPECT_NEAR(sum(states.momentum_distribution), reference["n_up"].get<double>(), 1e-9);
    EXPECT_NEAR(sum(states.momentum_distribution, sites), reference["n_down"].get<double>(), 1e-9);
  }
}

/// One electron has the momentum of its band.
TEST(LatticeRuns, MomentaOfOneElectron) {
  const CiResult result = run_lattice(
      "[lattice]\nkind = \"chain\"\nsize = 6\nmodel = \"t-J\"\nJ = 0.4\nelectrons = 1\n[states]\ncount = 6\n",
      {"solver.tolerance=1e-9"});
  ASSERT_EQ(result.roots.size(), 6U);
  ASSERT_EQ(result.momenta.size(), 12U);
  std::vector<double> found;
  for (std::size_t k = 0; k < 6; ++k) {
    found.push_back(result.momenta[2 * k]);
    EXPECT_NEAR(result.root(k).energy, -2.0 * std::cos(result.momenta[2 * k] * 3.141592653589793), 1e-8);
  }
  std::ranges::sort(found);
  const double third = 1.0 / 3.0, expected[] = {-2 * third, -third, 0.0, third, 2 * third, 1.0};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found[k], expected[k], 1e-6);
}

/// Momenta are known of site orbitals; those of degenerate roots sum to zero modulo 2, as -k goes with k.
TEST(LatticeRuns, MomentaOfDegenerateRoots) {
  const CiResult result = run_lattice(input_of(case_named("tj_tilted10_4_4")), {"states.count=5"});
  ASSERT_GE(result.roots.size(), 5U);
  double x = 0.0, y = 0.0;
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_FALSE(std::isnan(result.momenta[2 * k]));
    x += result.momenta[2 * k] / 2.0;
    y += result.momenta[2 * k + 1] / 2.0;
  }
  EXPECT_NEAR(x, std::nearbyint(x), 1e-6);
  EXPECT_NEAR(y, std::nearbyint(y), 1e-6);
}

TEST(LatticeRuns, ReportAndFileSayTheSame) {
  LatticeJob job(input_of(case_named("hub_chain6_periodic")));
  ASSERT_EQ(job.run(), RunOutcome::converged);
  EXPECT_THAT(job.report(), HasSubstr("energy/t"));
  EXPECT_THAT(job.report(), HasSubstr("Hubbard, t = 1, U = 8"));
  EXPECT_THAT(job.report(), Not(HasSubstr("hartree")));
  std::ostringstream shown;
  print_report(shown, job.result());
  const std::string from = "\nRoots\n";
  const std::string run = job.report(), file = shown.str();
  const auto tail = run.substr(run.find(from), run.find("\nTime\n") - run.find(from));
  EXPECT_THAT(file, HasSubstr(tail));
  EXPECT_THAT(file, HasSubstr("\nLattice\n"));
  const Hdf5File hdf5 = Hdf5File::open(job.file());
  EXPECT_EQ(
      hdf5.root().open_group("states").open_dataset<double>("energy").read_attribute<std::string>("unit"),
      "t");
  EXPECT_EQ(hdf5.root().open_group("lattice").read_attribute<std::string>("unit"), "t");
}

TEST(LatticeRuns, PageHasTheModelsUnit) {
  LatticeJob job(input_of(case_named("hub_chain6_periodic")));
  ASSERT_EQ(job.run(), RunOutcome::converged);
  std::ostringstream report;
  write_page(job.file(), job.folder() / "page.html", report);
  std::ifstream file(job.folder() / "page.html");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr("energy/t"));
  EXPECT_THAT(page, HasSubstr("Correlation functions of the lowest level"));
  EXPECT_THAT(page, Not(HasSubstr("hartree")));
  EXPECT_THAT(page, Not(HasSubstr("eV")));
}

/// A run goes on from the checkpoint of one that was stopped.
TEST(LatticeRuns, RestartOfTJ) {
  LatticeJob job(input_of(case_named("tj_tilted10_4_4")),
                 {"output.checkpoint_interval=0", "solver.tolerance=1e-8"});
  std::ostringstream report;
  CiConfig config = read_ci_config(job.input());
  config.max_iterations = 5;
  run_ci(config, {}, {}, report);
  config.max_iterations = 500;
  EXPECT_EQ(run_ci(config, {.restart = true, .extend = false, .checkpoint = std::nullopt}, {}, report),
            RunOutcome::converged);
  EXPECT_NEAR(job.result().root(0).energy, -6.956551399, 1e-8);
}

struct BadInput {
  const char *name, *text, *says;
};

class BadLattice : public testing::TestWithParam<BadInput> {};

TEST_P(BadLattice, IsRefusedInASentence) {
  LatticeJob job(GetParam().text);
  try {
    job.run();
    FAIL() << "was not refused";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, HasSubstr(GetParam().says));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(job.file()));
}

#define SQUARE "[lattice]\nkind = \"square\"\nsize = [2, 3]\n"
#define HUBBARD "model = \"Hubbard\"\nU = 4.0\n"

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadLattice,
    testing::Values(
        BadInput{"NoModel", SQUARE "electrons = 6\n", "has no model"},
        BadInput{"UnknownModel", SQUARE "model = \"Hubard\"\nelectrons = 6\n", "did you mean \"Hubbard\"?"},
        BadInput{"UnknownKind", "[lattice]\nkind = \"sqare\"\nmodel = \"Hubbard\"\nelectrons = 6\n",
                 "\"square\"?"},
        BadInput{"NoSize", "[lattice]\nkind = \"square\"\nelectrons = 6\n" HUBBARD, "has no size"},
        BadInput{"OneNumberOfSquare", "[lattice]\nkind = \"square\"\nsize = 4\nelectrons = 6\n" HUBBARD,
                 "two integers"},
        BadInput{"ListOfChain", "[lattice]\nkind = \"chain\"\nsize = [4, 4]\nelectrons = 6\n" HUBBARD,
                 "one integer"},
        BadInput{"OneSite", "[lattice]\nkind = \"square\"\nsize = [1, 1]\nelectrons = 1\n" HUBBARD,
                 "at least 2 sites"},
        BadInput{"Parallel",
                 "[lattice]\nkind = \"vectors\"\nvectors = [[1, 2], [2, 4]]\nelectrons = 4\n" HUBBARD,
                 "parallel"},
        BadInput{"HalfVector",
                 "[lattice]\nkind = \"vectors\"\nvectors = [[1.5, 2], [2, 4]]\nelectrons = 4\n" HUBBARD,
                 "two integers each"},
        BadInput{"OpenTilted",
                 "[lattice]\nkind = \"tilted\"\nsize = 3\nboundary = \"open\"\nelectrons = 4\n" HUBBARD,
                 "open boundary"},
        BadInput{
            "BoundariesOfChain",
            "[lattice]\nkind = \"chain\"\nsize = 4\nboundary = [\"open\", \"open\"]\nelectrons = 4\n" HUBBARD,
            "a chain has one"},
        BadInput{"WrongBoundary", SQUARE "boundary = \"closed\"\nelectrons = 6\n" HUBBARD,
                 "there are \"periodic\""},
        BadInput{"SelfBond", "[lattice]\nkind = \"square\"\nsize = [2, 5]\nt3 = 0.1\nelectrons = 4\n" HUBBARD,
                 "lattice.t3 cannot be: the displacement (2, 0) joins site 1 with itself"},
        BadInput{"NoElectrons", SQUARE HUBBARD, "has no electrons"},
        BadInput{"ElectronsTwice", SQUARE "electrons = 4\ndoping = 0.1\n" HUBBARD, "take one of them out"},
        BadInput{"TooManyElectrons", SQUARE "electrons = 13\n" HUBBARD, "more than the 12"},
        BadInput{"TooManyOfTJ", SQUARE "electrons = 7\nmodel = \"t-J\"\nJ = 0.3\n", "more than the 6"},
        BadInput{"AllDoped", SQUARE "doping = 1\n" HUBBARD, "leaves no electron"},
        BadInput{"OddMs", SQUARE "electrons = 5\n" HUBBARD "[states]\nms2 = 0\n", "it must be odd"},
        BadInput{"LargeMs", SQUARE "electrons = 4\nmodel = \"t-J\"\nJ = 0.3\n[states]\nms2 = 6\n",
                 "cannot have"},
        BadInput{"UofTJ", SQUARE "electrons = 4\nmodel = \"t-J\"\nJ = 0.3\nU = 4\n",
                 "belongs to the Hubbard model"},
        BadInput{"JofHubbard", SQUARE "electrons = 4\nJ = 0.3\n" HUBBARD, "belongs to the t-J model"},
        BadInput{"NoJ", SQUARE "electrons = 4\nmodel = \"t-J\"\n", "has no J"},
        BadInput{"SpaceOfTJ",
                 SQUARE "electrons = 4\nmodel = \"t-J\"\nJ = 0.3\n[space]\nexcitation_level = 2\n",
                 "space.excitation_level does not go with lattice.model = \"t-J\""},
        BadInput{"IrrepOfTJ", SQUARE "electrons = 4\nmodel = \"t-J\"\nJ = 0.3\n[states]\nirrep = 1\n",
                 "no irreps"},
        BadInput{"BandsOfTJ", SQUARE "electrons = 4\nmodel = \"t-J\"\nJ = 0.3\norbitals = \"band\"\n",
                 "Hubbard alone"},
        BadInput{"TwoSources", SQUARE "electrons = 4\n" HUBBARD "[integrals]\nfile = \"a\"\n",
                 "exactly one of"},
        BadInput{"TooLarge", "[lattice]\nkind = \"square\"\nsize = [9, 9]\nelectrons = 4\n" HUBBARD,
                 "holds up to 64"},
        BadInput{"NoBonds", "[lattice]\nkind = \"bonds\"\nsites = 3\nelectrons = 2\n" HUBBARD,
                 "needs lattice.bonds or"},
        BadInput{"BondToItself",
                 "[lattice]\nkind = \"bonds\"\nsites = 3\nbonds = [[1, 2], { sites = [2, 3] }, [3, "
                 "4]]\nelectrons = 2\n" HUBBARD,
                 "names site 4; there are sites 1 to 3"},
        BadInput{"BondTwice",
                 "[lattice]\nkind = \"bonds\"\nsites = 3\nbonds = [[1, 2], [2, 1]]\nelectrons = 2\n" HUBBARD,
                 "joins sites 2 and 1, which"},
        BadInput{"BondOfThree",
                 "[lattice]\nkind = \"bonds\"\nsites = 3\nbonds = [[1, 2, 3]]\nelectrons = 2\n" HUBBARD,
                 "joins two sites"},
        BadInput{
            "SizeOfBonds",
            "[lattice]\nkind = \"bonds\"\nsites = 3\nsize = 3\nbonds = [[1, 2]]\nelectrons = 2\n" HUBBARD,
            "does not go with lattice.kind"}),
    [](const auto& tested) { return std::string(tested.param.name); });

#undef SQUARE
#undef HUBBARD

TEST(LatticeBonds, OfAFile) {
  LatticeJob job("[lattice]\nkind = \"bonds\"\nsites = 4\nmodel = \"Hubbard\"\nU = 4\nelectrons = 4\n");
  const auto file = job.folder() / "graph.txt";
  std::ofstream(file) << "# a chain\n1 2\n2 3 1.0\n\n3 4 1 0 0.0  # the last\n";
  LatticeJob with_file(
      "[lattice]\nkind = \"bonds\"\nsites = 4\nmodel = \"Hubbard\"\nU = 4\nelectrons = 4\nbonds_file = \"" +
      file.string() + "\"\n");
  ASSERT_EQ(with_file.run(), RunOutcome::converged);
  EXPECT_NEAR(with_file.result().root(0).energy, -1.953145308684548, 1e-8);
  std::ofstream(file) << "1 2\n2 x\n";
  try {
    with_file.run();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("graph.txt:2: a bond is i j [t [J [V]]]"));
    EXPECT_THAT(error.what(), HasSubstr("found \"x\""));
  }
}

TEST(LatticeBonds, SeveralPartsAreWarnedOf) {
  const CiResult result = run_lattice(
      "[lattice]\nkind = \"bonds\"\nsites = 4\nbonds = [[1, 2], [3, 4]]\nmodel = \"Hubbard\"\nU = "
      "4\nelectrons = 4\n");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("2 parts that no bond connects")));
}

/// What the result holds as the input gives the same calculation.
TEST(LatticeRuns, ResolvedInputGivesTheSame) {
  for (const char* name : {"hub_tilted8", "tj_graph6", "hub_square4x2_mixed"}) {
    LatticeJob job(input_of(case_named(name)));
    ASSERT_EQ(job.run(), RunOutcome::converged);
    const CiResult first = job.result();
    const CiResult second = run_lattice(first.resolved_text);
    ASSERT_EQ(first.roots.size(), second.roots.size());
    for (std::size_t k = 0; k < first.roots.size(); ++k)
      EXPECT_EQ(first.root(k).energy, second.root(k).energy);
  }
}

}  // namespace test_lattice_runs
}  // namespace cisolve

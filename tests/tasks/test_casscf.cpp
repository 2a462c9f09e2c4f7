// SPDX-License-Identifier: MIT
// CASSCF and state averages, against another program's energies and against themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "cisolve/tasks/scan/scan.hpp"
#include "io/json.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/ci/all_sectors.hpp"

namespace cisolve {
namespace test_casscf {

using testing::HasSubstr;

// Both programs converge gradients to 1e-6, energies so to 1e-11; integrals of basis sets agree to 1e-10.
constexpr double energy_tolerance = 1e-8;
constexpr double occupation_tolerance = 1e-5;

nlohmann::json reference_cases() { return read_json("casscf.json")["cases"]; }

nlohmann::json case_named(const std::string& name) {
  for (const auto& record : reference_cases()) {
    if (record["name"] == name) return record;
  }
  throw Error("no case " + name);
}

std::string quoted_list(const nlohmann::json& words) {
  std::vector<std::string> quoted;
  for (const auto& word : words) quoted.push_back('"' + word.get<std::string>() + '"');
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string input_of(const nlohmann::json& record, const std::string& more = "") {
  std::vector<std::string> orbitals;
  for (const auto& [irrep, count] : record["active_per_irrep"].items())
    orbitals.push_back(fmt::format("{} = {}", irrep, count.get<int>()));
  return fmt::format(
      "[molecule]\ngeometry = \"{}\"\nbasis = \"{}\"\nmultiplicity = {}\n{}[space]\nreference = {{ electrons "
      "= "
      "{}, "
      "orbitals = {{ {} }} }}\nexcitation_level = 0\n[states]\ncount = {}\nirrep = {}\nmultiplicity = {}\n"
      "[orbitals]\noptimise = \"casscf\"\nweights = {}\ngradient_tolerance = 1e-6\n{}",
      record["geometry"].get<std::string>(), record["basis"].get<std::string>(),
      record["scf_multiplicity"].get<int>(), record.value("scf_occupation", ""),
      record["active_electrons"].get<int>(), fmt::join(orbitals, ", "), record["roots"].get<int>(),
      quoted_list(record["irreps"]), record["multiplicities"].dump(), record["weights"].dump(), more);
}

class Casscf : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }

  CiConfig config(const std::string& text) const {
    CiConfig c = read_ci_config(parse_input(text, "job.inp"));
    c.device = DeviceChoice::cpu;
    c.output_file = folder_ / "job.h5";
    c.checkpoint_file = folder_ / "job.chk.h5";
    return c;
  }

  CiResult run(const std::string& text, RunOutcome expected = RunOutcome::converged) {
    const CiConfig c = config(text);
    report_.str("");
    EXPECT_EQ(run_ci(c, {}, {}, report_), expected);
    return read_result(c.output_file, true);
  }

  void expect_reference(const nlohmann::json& record) {
    SCOPED_TRACE(record["name"].get<std::string>());
    const CiResult result = run(input_of(record));
    ASSERT_TRUE(result.orbitals.has_value());
    const CiResult::Orbitals& orbitals = *result.orbitals;
    EXPECT_TRUE(orbitals.converged);
    EXPECT_NEAR(orbitals.energy, record["energy"].get<double>(), energy_tolerance);
    EXPECT_LT(orbitals.gradient, 1e-6);
    double average = 0.0;  // of the last CI, over the orbitals that the file holds
    std::size_t at = 0;
    for (const CiResult::Sector& sector : result.sectors) {
      for (std::size_t k = 0; k < record["roots"]; ++k)
        average += orbitals.weights[at++] * sector.roots[k].energy;
    }
    EXPECT_NEAR(average, record["energy"].get<double>(), energy_tolerance);
    if (record.contains("natural_occupations")) {
      const auto& expected = record["natural_occupations"];
      ASSERT_EQ(orbitals.natural_occupations.size(), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(orbitals.natural_occupations[k], expected[k].get<double>(), occupation_tolerance) << k;
    }
    for (std::size_t k = 1; k < orbitals.history_energy.size(); ++k)
      EXPECT_LE(orbitals.history_energy[k], orbitals.history_energy[k - 1] + 1e-9) << "iteration " << k;
    // The prototype's gradient, of PySCF, is half of this one, and it did not look at the change of the energy.
    const auto& gradients = orbitals.history_gradient;
    const auto settled = std::ranges::find_if(gradients, [](double g) { return g < 2e-6; });
    const int iterations = static_cast<int>(settled - gradients.begin());
    RecordProperty("iterations", iterations);
    EXPECT_LE(iterations, record["iterations_prototype"].get<int>());
  }

  std::string refusal(const std::string& text) const {
    try {
      std::ostringstream report;
      run_ci(config(text), {}, {}, report);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  const test::TemporaryFolder folder_;
  std::ostringstream report_;
};

using ExhaustiveCasscf = Casscf;

TEST_F(ExhaustiveCasscf, AllCasesAreThoseOfAnotherProgram) {
  for (const auto& record : reference_cases()) expect_reference(record);
}

TEST_F(Casscf, EnergiesAreThoseOfAnotherProgram) {
  for (const char* name : {"lih_ccpvdz", "h2co_sa3_spins_ccpvdz", "boron_sa3_ccpvdz"})
    expect_reference(case_named(name));
}

/// A small one: two electrons in two orbitals of one irrep.
std::string lithium_hydride(const std::string& orbitals, const std::string& more = "") {
  return "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 3\"\nbasis = \"6-31g\"\n[space]\nexcitation_level = 0\n"
         "reference = { electrons = 2, orbitals = 2 }\n[states]\nmultiplicity = 1\nirrep = "
         "\"A1\"\n[orbitals]\n"
         "optimise = \"casscf\"\n" +
         orbitals + more;
}

TEST_F(Casscf, EndsTheSameFromTurnedOrbitals) {
  const CiConfig c = config(lithium_hydride("gradient_tolerance = 1e-7\n"));
  const auto energy_from = [&](std::shared_ptr<const EarlierOrbitals> start) {
    CiResult result = begin_result(c);
    const RunContext context{c, {}, report_, result};
    EXPECT_EQ(solve_ci(context, {.orbitals = std::move(start)}), SolverStatus::converged);
    return std::pair{result.orbitals->energy, *result.orbitals};
  };
  const auto [energy, found] = energy_from(nullptr);
  EarlierOrbitals turned{.molecule = &*c.molecule, .orbitals = {}, .origin = "a test"};
  const int n = static_cast<int>(found.irreps.size());
  turned.orbitals.coefficients = Matrix(found.num_functions, n);
  std::copy(found.coefficients.begin(), found.coefficients.end(), turned.orbitals.coefficients.data());
  for (int p = 0; p < n; ++p) {
    turned.orbitals.irreps.push_back(found.irreps[p] - 1);
    turned.orbitals.classes.push_back(p == 0  ? OrbitalClass::inactive
                                      : p < 3 ? OrbitalClass::active
                                              : OrbitalClass::empty);
  }
  const std::vector<OrbitalPair> pairs = rotations_between_classes(turned.orbitals);
  std::vector<double> x(pairs.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 0.2 * std::sin(2.0 + 3.0 * static_cast<double>(k));
  turned.orbitals.coefficients = turned_orbitals(turned.orbitals.coefficients, pairs, x);
  const auto [again, from_turned] = energy_from(std::make_shared<const EarlierOrbitals>(turned));
  EXPECT_NEAR(again, energy, 1e-10);
  EXPECT_GT(from_turned.history_energy.front(), energy + 1e-3);  // it did begin elsewhere
}

TEST_F(Casscf, FinalOrbitalsChangeNoEnergy) {
  const CiResult canonical = run(lithium_hydride("final = \"canonical\"\n"));
  const CiResult natural = run(lithium_hydride("final = \"natural\"\n"));
  const CiResult unchanged = run(lithium_hydride("final = \"unchanged\"\n"));
  for (const CiResult* other : {&natural, &unchanged}) {
    EXPECT_NEAR(other->root(0).energy, canonical.root(0).energy, 1e-9);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(other->root(0).natural_occupations[k], canonical.root(0).natural_occupations[k], 1e-6);
    }
    EXPECT_NEAR(other->root(0).dipole[2], canonical.root(0).dipole[2], 1e-6);
  }
  const CiResult::Orbitals& orbitals = *natural.orbitals;
  EXPECT_NEAR(orbitals.occupations[0], 2.0, 0.0);
  for (std::size_t u = 0; u < 2; ++u)
    EXPECT_NEAR(orbitals.occupations[u + 1], orbitals.natural_occupations[u], 1e-12);
  EXPECT_GT(std::abs(canonical.orbitals->occupations[1] - orbitals.occupations[1]), 1e-6);
  // Canonical: the empty orbitals of an irrep come by their energies.
  const CiResult::Orbitals& by_energy = *canonical.orbitals;
  double last = -1e9;
  for (std::size_t p = 3; p < by_energy.energies.size(); ++p) {
    if (by_energy.irreps[p] != 1) continue;
    EXPECT_GT(by_energy.energies[p], last);
    last = by_energy.energies[p];
  }
}

TEST_F(Casscf, FixedOrbitalsStay) {
  const CiResult free = run(lithium_hydride(""));
  const CiResult fixed = run(lithium_hydride("fixed = [1]\n"));
  const std::size_t n = fixed.orbitals->num_functions;
  for (std::size_t m = 0; m < n; ++m)
    EXPECT_NEAR(fixed.orbitals->coefficients[m], fixed.molecule->coefficients[m], 1e-12);
  EXPECT_GT(fixed.orbitals->energy, free.orbitals->energy + 1e-6);
}

TEST_F(Casscf, NotConvergingIsAResult) {
  const CiResult result = run(lithium_hydride("max_iterations = 1\n"), RunOutcome::not_converged);
  EXPECT_FALSE(result.orbitals->converged);
  EXPECT_EQ(result.orbitals->history_energy.size(), 2U);
  EXPECT_TRUE(result.root(0).converged);  // the last CI
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("orbitals are not converged")));
  EXPECT_THAT(report_.str(), HasSubstr("not converged"));
}

/// Below 1.0 angstrom the SCF's 3ag lies below its 2b1u: irreps filled from the highest orbital down take 2b1u and 4ag.
TEST_F(Casscf, InactiveOrbitalsPerIrrepMakeTheSameSpaceEverywhere) {
  const auto nitrogen = [](const std::string& distance, const std::string& inactive) {
    return "[molecule]\ngeometry = \"N 0 0 0; N 0 0 " + distance +
           "\"\nbasis = \"6-31g\"\n[space]\nexcitation_level = 0\n" + inactive +
           "reference = { electrons = 6, orbitals = { Ag = 1, B1u = 1, B3u = 1, B2u = 1, B2g = 1, B3g = 1 } "
           "}\n"
           "[states]\nmultiplicity = 1\nirrep = \"Ag\"\n[orbitals]\noptimise = \"casscf\"\n";
  };
  const std::string inactive = "inactive = [2, 0, 0, 0, 2]\n";
  const CiResult here = run(nitrogen("1.1", inactive));
  EXPECT_EQ(here.system.core_orbitals.size(), 4U);
  EXPECT_NEAR(run(nitrogen("1.1", "")).root(0).energy, here.root(0).energy, 1e-8);
  const CiResult close = run(nitrogen("0.9", inactive));
  EXPECT_THAT(close.system.orbital_labels, testing::UnorderedElementsAreArray(here.system.orbital_labels));
  EXPECT_THAT(refusal(nitrogen("1.1", "inactive = [3, 0, 0, 0, 2]\n")), HasSubstr("holds 5 orbitals"));
  EXPECT_THAT(refusal(nitrogen("1.1", "inactive = [2, 0, 0, 0, 2, 0, 0, 0, 0]\n")),
              HasSubstr("has 8 irreps"));
  EXPECT_THAT(refusal(nitrogen("1.1", "frozen_core = [7]\n" + inactive)), HasSubstr("frozen"));
}

/// Those of a file count in its order: a CASSCF that begins with its own orbitals is done.
TEST_F(Casscf, OrbitalsOfAFileCountPerIrrepInTheirOrder) {
  const auto job = [](const std::string& more) {
    std::string text = lithium_hydride("final = \"natural\"\n" + more);
    return text.replace(text.find("orbitals = 2 }"), 14, "orbitals = { A1 = 2 } }");
  };
  const CiResult first = run(job(""));
  std::filesystem::copy(folder_ / "job.h5", folder_ / "first.h5");
  const CiResult again = run(job("file = \"" + (folder_ / "first.h5").string() + "\"\n"));
  EXPECT_LE(again.orbitals->history_energy.size(), 2U);
  EXPECT_NEAR(again.root(0).energy, first.root(0).energy, 1e-9);
}

TEST_F(Casscf, ReportNamesTheOrbitals) {
  run(lithium_hydride(""));
  const std::string report = report_.str();
  EXPECT_THAT(report, HasSubstr("1 inactive, 8 empty"));
  EXPECT_THAT(report, HasSubstr("of orbitals optimised for the CI"));
  EXPECT_THAT(report, testing::ContainsRegex(" 2 +active +1\\.[0-9]+ +-0\\.[0-9]+  2a1"));
  EXPECT_THAT(report, testing::Not(HasSubstr("frozen")));
}

TEST_F(Casscf, SaysWhereActiveOrbitalsAreAllButFull) {
  // The 2a1 of water beside the empty orbitals that correlate the bonds.
  const CiResult result = run(
      "[molecule]\ngeometry = \"O 0 0 0.1173; H 0 0.7572 -0.4692; H 0 -0.7572 -0.4692\"\nbasis = "
      "\"6-31g\"\n[space]\n"
      "excitation_level = 0\nreference = { electrons = 8, orbitals = { A1 = 3, B1 = 1, B2 = 2 } }\n[states]\n"
      "multiplicity = 1\nirrep = \"A1\"\n[orbitals]\noptimise = \"casscf\"\n");
  EXPECT_THAT(result.warnings, testing::Contains(HasSubstr("does not belong into the active space")));
}

TEST_F(Casscf, NaturalOrbitalsOfTheAverageHaveItsWeights) {
  std::string text = lithium_hydride("weights = [0.9, 0.1]\n", "[output]\nnatural_orbitals = \"average\"\n");
  text.replace(text.find("[states]\n"), 9, "[solver]\ntolerance = 1e-8\n[states]\ncount = 2\n");
  const CiResult result = run(text);
  EXPECT_EQ(result.average_weights(), (std::vector<double>{0.9, 0.1}));
  const Hdf5File file = Hdf5File::open(folder_ / "job.h5");
  const auto occupations = file.root()
                               .open_group("orbitals")
                               .open_group("natural")
                               .open_group("average")
                               .read<double>("occupations");
  ASSERT_EQ(occupations.values.size(), 2U);
  // Vectors whose residuals are below 1e-6, and then 1e-8.
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(occupations.values[k], result.orbitals->natural_occupations[k], 1e-5);
  const std::vector<double>&one = result.root(0).natural_occupations,
        &two = result.root(1).natural_occupations;
  EXPECT_GT(std::abs(0.5 * (one[0] + two[0]) - occupations.values[0]), 1e-3);  // equal weights differ
}

TEST_F(Casscf, EachPointOfAScanBeginsWithTheOrbitalsBefore) {
  const std::string scan = "[scan]\ncoordinate = \"bond 1 2\"\nvalues = [2.8, 3.0]\n";
  const Input input = parse_input(lithium_hydride("", scan), "job.inp");
  const auto iterations = [&](bool warm) {
    Input job = parse_input(
        lithium_hydride("", scan + (warm ? "" : "warm_start = false\n")), "job.inp",
        {{.key = "output.file", .value = '"' + (folder_ / "scan.h5").string() + '"', .where = "a"},
         {.key = "output.checkpoint",
          .value = '"' + (folder_ / "scan.chk.h5").string() + '"',
          .where = "b"}});
    EXPECT_EQ(task_of(job).run(job, {}, {}, report_), RunOutcome::converged);
    const CiResult last = read_scan_point(folder_ / "scan.h5", 2, false);
    std::filesystem::remove(folder_ / "scan.h5");
    return std::pair{last.orbitals->energy, last.orbitals->history_energy.size()};
  };
  const auto [carried, few] = iterations(true);
  const auto [alone, many] = iterations(false);
  EXPECT_NEAR(carried, alone, 1e-9);
  EXPECT_LT(few, many);
}

TEST_F(Casscf, RefusesWhatItCannotOptimise) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    return at == std::string::npos ? throw Error("no " + from) : text.replace(at, from.size(), to);
  };
  const std::string good = lithium_hydride("");
  EXPECT_THAT(refusal(replaced(good, "reference = { electrons = 2, orbitals = 2 }", "")),
              HasSubstr("needs an active space"));
  EXPECT_THAT(refusal(good + "weights = [0.5, 0.5]\n"), HasSubstr("1 sector of 1 root need 1"));
  EXPECT_THAT(refusal(good + "weights = [0]\n"), HasSubstr("at least one root"));
  EXPECT_THAT(refusal(good + "fixed = [40]\n"),
              HasSubstr("job.inp:12: orbitals.fixed: orbital 40 is outside 1 .. 11"));
  EXPECT_THAT(refusal(replaced(good, "electrons = 2", "electrons = 0")),
              HasSubstr("job.inp:6: space.reference"));
  EXPECT_THAT(refusal(replaced(good, "irrep = \"A1\"", "irrep = \"B1\"")),
              HasSubstr("no determinant of irrep B1"));
  EXPECT_THAT(refusal(replaced(good, "excitation_level = 0", "excitation_level = 0\ninactive = [1]")),
              HasSubstr("needs active orbitals per irrep"));
  EXPECT_THAT(refusal(replaced(good, "multiplicity = 1", "multiplicity = 5")),
              HasSubstr("no state of multiplicity 5"));
  EXPECT_THAT(refusal(replaced(good, "orbitals = 2 }", "orbitals = [\"9a1\", \"2a1\"] }")),
              HasSubstr("no orbital \"9a1\""));
  EXPECT_THAT(refusal(replaced(good, "electrons = 2", "electrons = 3")), HasSubstr("even number"));
  EXPECT_THAT(refusal(replaced(good, "optimise = \"casscf\"", "weights = [1]")), HasSubstr("add optimise"));
}

}  // namespace test_casscf
}  // namespace cisolve

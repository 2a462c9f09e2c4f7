// SPDX-License-Identifier: MIT
// Lists that grow, against those of an independent program: tests/data/selected.
#include "cisolve/problem/selected_ci.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/plan.hpp"
#include "io/json.hpp"
#include "io/unzipped.hpp"

namespace cisolve {
namespace test_selected_ci {

using nlohmann::json;

constexpr double energy_limit = 1e-9;

BasisDefinition definition_of(const std::string& name, bool spin_complete = false) {
  std::filesystem::path file = std::filesystem::path(CISOLVE_TEST_DATA) / (name + ".fcidump");
  if (!std::filesystem::exists(file)) file += ".gz";
  const FcidumpFile dump = read_fcidump(file);
  DeterminantSelection selection;
  selection.num_orbitals = dump.integrals.num_orbitals;
  selection.irreps = dump.integrals.irreps;
  const int alpha = (dump.num_electrons + dump.ms2) / 2, beta = dump.num_electrons - alpha;
  selection.references = {{WideString::lowest(alpha), WideString::lowest(beta)}};
  selection.irrep = irrep_of(selection.references[0].alpha, std::span<const int>(selection.irreps)) ^
                    irrep_of(selection.references[0].beta, std::span<const int>(selection.irreps));
  selection.spin_complete = spin_complete;
  BasisDefinition definition;
  definition.integrals = std::make_shared<const Integrals>(dump.integrals);
  definition.functions = selection;
  return definition;
}

std::unique_ptr<SelectedCi> start(const std::string& name, int roots, double floor = 0.0,
                                  bool spin_complete = false) {
  PlanOptions options;
  options.solver.num_roots = roots;
  options.solver.tolerance = 1e-9;
  return make_selected_ci(definition_of(name, spin_complete), 0.0, options,
                          {.memory = std::int64_t{8} << 30, .devices = {}}, floor);
}

using Strings = std::set<std::pair<std::uint64_t, std::uint64_t>>;

Strings listed(const SelectedCi& ci) {
  const FunctionList list = ci.list();
  Strings strings;
  for (std::size_t i = 0; i < list.alpha.size(); ++i) strings.emplace(list.alpha[i], list.beta[i]);
  return strings;
}

Strings read_list(const std::string& name) {
  std::istringstream lines(unzipped(std::filesystem::path(CISOLVE_TEST_DATA) / "selected" / name));
  Strings strings;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::uint64_t alpha = 0, beta = 0;
    words >> std::hex >> alpha >> beta;
    strings.emplace(alpha, beta);
  }
  return strings;
}

SecondOrder correction_of(const SelectedCi& ci) { return ci.second_order({ci.vectors(), ci.energies()}); }

/// The list as it is in the end: determinants, energies, E2, variance, externals.
void expect_final(const SelectedCi& ci, const json& final) {
  EXPECT_EQ(ci.size(), final["determinants"]);
  EXPECT_EQ(listed(ci), read_list(final["list"]));
  const SecondOrder found = correction_of(ci);
  EXPECT_EQ(found.externals, final["externals"]);
  for (std::size_t k = 0; k < final["energy"].size(); ++k) {
    EXPECT_NEAR(ci.energies()[k], final["energy"][k].get<double>(), energy_limit);
    EXPECT_NEAR(found.energy[k], final["pt2"][k].get<double>(), energy_limit);
    EXPECT_NEAR(found.variance[k], final["variance"][k].get<double>(), energy_limit);
  }
}

/// Passes by a threshold, until nothing is added.
void expect_stage(const std::string& name, const json& record, SelectionPass pass) {
  const auto ci = start(name, record["roots"], pass.epsilon);
  for (const json& step : record["steps"]) {
    ci->solve();
    ASSERT_EQ(ci->size(), step["determinants"]);
    for (std::size_t k = 0; k < step["energy"].size(); ++k)
      EXPECT_NEAR(ci->energies()[k], step["energy"][k].get<double>(), energy_limit);
    EXPECT_EQ(ci->grow(pass).added, step["new"]);
  }
  ci->solve();  // some records end after so many passes
  expect_final(*ci, record["final"]);
}

/// Lists of so many determinants, one out of the other.
void expect_sizes(const std::string& name, const json& record, SelectionCriterion criterion) {
  const auto ci = start(name, 1);
  for (const json& step : record["steps"]) {
    ci->solve();
    SelectionPass pass{.criterion = criterion, .most = step["wanted"]};
    if (!record["core"].is_null()) pass.core = record["core"];
    EXPECT_EQ(ci->grow(pass).ties, step["ties_added"]);
    ci->solve();
    EXPECT_EQ(ci->size(), step["determinants"]);
    EXPECT_NEAR(ci->energies()[0], step["energy"].get<double>(), energy_limit);
  }
  expect_final(*ci, record["final"]);
}

TEST(SelectedCi, GrowsAsIndependentProgramsDo) {
  const json data = read_json("selected/selected_ref.json");
  int records = 0;
  for (const json& molecule : data["cases"]) {
    const std::string name = molecule["fcidump"];
    for (const json& record : molecule["selections"]) {
      const std::string method = record["method"];
      SCOPED_TRACE(name + " " + method);
      ++records;
      if (method == "heat-bath")
        expect_stage(name, record, {.criterion = SelectionCriterion::heat_bath, .epsilon = record["eps"]});
      else if (method == "pt2")
        expect_stage(name, record,
                     {.criterion = SelectionCriterion::perturbation, .epsilon = record["threshold"]});
      else
        expect_sizes(name, record,
                     method == "top-pt2" ? SelectionCriterion::perturbation : SelectionCriterion::amplitude);
    }
  }
  EXPECT_EQ(records, 35);
}

TEST(SelectedCi, HeatBathOfLargerMoleculesIsThatOfPyCI) {
  const json data = read_json("selected/selected_large.json");
  ASSERT_EQ(data["cases"].size(), 2);
  for (const json& molecule : data["cases"]) {
    const std::string name = molecule["fcidump"];
    SCOPED_TRACE(name);
    const auto ci = start(name, 1, molecule["eps"]);
    ci->solve();
    for (const json& step : molecule["steps"]) {
      ci->grow({.criterion = SelectionCriterion::heat_bath, .epsilon = molecule["eps"]});
      ci->solve();
      ASSERT_EQ(ci->size(), step[0]);
      EXPECT_NEAR(ci->energies()[0], step[1].get<double>(), energy_limit);
    }
    EXPECT_EQ(listed(*ci), read_list(molecule["list"]));
    EXPECT_NEAR(correction_of(*ci).energy[0], molecule["pt2"].get<double>(), energy_limit);
  }
}

/// Lists of all pairs of the strings that PySCF picks: its energies and <S^2> over them. It picks a string by its largest
/// coefficient and the largest element that leads there; of water that has nearly all that heat bath picks at the same threshold
/// (its C2 ends earlier, in another state).
TEST(SelectedCi, HasPySCFsEnergiesOverItsStringsAndPicksAmongThem) {
  const json data = read_json("selected/pyscf.json");
  ASSERT_EQ(data["cases"].size(), 4);
  for (const json& record : data["cases"]) {
    const std::string name = record["file"];
    const double epsilon = record["cutoff"];
    SCOPED_TRACE(fmt::format("{} {}", name, epsilon));
    std::vector<std::uint64_t> strings;  // of both spins
    std::istringstream words(record["strings"].get<std::string>());
    for (std::uint64_t word = 0; words >> std::hex >> word;) strings.push_back(word);
    const BasisDefinition definition = definition_of(name);
    const auto& selection = std::get<DeterminantSelection>(definition.functions);
    const auto irrep = [&](std::uint64_t s) {
      return irrep_of(BitString<1>{s}, std::span<const int>(selection.irreps));
    };
    Strings product;
    std::vector<std::uint64_t> alpha, beta;
    for (const std::uint64_t a : strings) {
      for (const std::uint64_t b : strings) {
        product.emplace(a, b);
        if ((irrep(a) ^ irrep(b)) != selection.irrep) continue;
        alpha.push_back(a);
        beta.push_back(b);
      }
    }
    PlanOptions options;
    options.solver.tolerance = 1e-9;
    const auto ci =
        make_selected_ci(definition, 0.0, options, {.memory = std::int64_t{8} << 30, .devices = {}}, 0.0,
                         {.alpha = alpha, .beta = beta, .words = 1, .vectors = {}});
    ci->solve();
    const double energy = ci->energies()[0];
    EXPECT_NEAR(energy, record["energy"].get<double>(), energy_limit);
    SelectedProblem finished = ci->finish(1e-9);
    std::vector<double> vectors = finished.start;
    const auto labels = finished.problem.basis->label(std::vector{energy}, vectors, {}, nullptr);
    EXPECT_NEAR(labels[0].s_squared, record["s_squared"].get<double>(), 1e-6);

    if (name != "h2o_631g") continue;
    const auto picked = start(name, 1, epsilon);
    do picked->solve();
    while (picked->grow({.criterion = SelectionCriterion::heat_bath, .epsilon = epsilon}).added > 0);
    std::int64_t among = 0;
    for (const auto& determinant : listed(*picked))
      among += static_cast<std::int64_t>(product.count(determinant));
    EXPECT_GT(among, 0.9 * static_cast<double>(picked->size()));
    EXPECT_GT(picked->energies()[0], energy) << "of a tenth as many";
  }
}

TEST(SelectedCi, WithoutAThresholdIsFullCi) {
  for (const SelectionCriterion criterion :
       {SelectionCriterion::heat_bath, SelectionCriterion::perturbation}) {
    const auto ci = start("h2o_sto3g", 2);
    do ci->solve();
    while (ci->grow({.criterion = criterion, .epsilon = 0.0}).added > 0);
    const SecondOrder correction = correction_of(*ci);
    EXPECT_EQ(ci->size(), 133);  // of 441 in all irreps
    EXPECT_EQ(correction.externals, 0);
    EXPECT_EQ(correction.energy, (std::vector<double>{0.0, 0.0}));
    BasisDefinition full = definition_of("h2o_sto3g");
    std::get<DeterminantSelection>(full.functions).excitation_level = 10;
    PlanOptions options;
    options.solver.num_roots = 2;
    options.solver.tolerance = 1e-9;
    const Resources resources{.memory = std::int64_t{1} << 30, .devices = {}};
    const Problem problem(make_basis(full, resources.memory));
    const Roots roots = make_root_finder(problem, make_plan(problem, options, resources))->solve({});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(ci->energies()[k], roots.energies[k], energy_limit);
  }
}

TEST(SelectedCi, CompletesConfigurations) {
  for (const SelectionCriterion criterion :
       {SelectionCriterion::heat_bath, SelectionCriterion::perturbation, SelectionCriterion::amplitude}) {
    const auto ci = start("c2_631g_fc", 2, 0.0, true);
    SelectionPass pass{.criterion = criterion, .epsilon = 2e-2};
    if (criterion != SelectionCriterion::heat_bath) pass = {.criterion = criterion, .most = 300, .core = 50};
    for (int round = 0; round < 3; ++round) {
      ci->solve();
      if (pass.most > 0) pass.most = 100 * (round + 1);
      ci->grow(pass);
    }
    ci->solve();
    SelectedProblem finished = ci->finish(1e-9);
    EXPECT_TRUE(finished.problem.basis->summary().spin_complete);
    std::vector<double> vectors = finished.start;
    std::vector<bool> rotated;
    for (const StateLabel& label : finished.problem.basis->label(ci->energies(), vectors, {}, &rotated)) {
      const double twice_s = std::sqrt(1.0 + 4.0 * label.s_squared) - 1.0;
      EXPECT_NEAR(twice_s, std::round(twice_s), 1e-7);
    }
  }
}

TEST(SelectedCi, GoesOnFromAList) {
  const auto whole = start("h2o_631g", 1);
  const SelectionPass first{.criterion = SelectionCriterion::perturbation, .most = 100};
  const SelectionPass second{.criterion = SelectionCriterion::perturbation, .most = 300};
  whole->solve();
  whole->grow(first);
  whole->solve();
  const FunctionList list = whole->list();
  const std::vector<double> vectors(whole->vectors().begin(), whole->vectors().end());
  PlanOptions options;
  options.solver.tolerance = 1e-9;
  const auto rest = make_selected_ci(
      definition_of("h2o_631g"), 0.0, options, {.memory = std::int64_t{8} << 30, .devices = {}}, 0.0,
      {.alpha = list.alpha, .beta = list.beta, .words = 1, .vectors = vectors});
  rest->solve();
  EXPECT_EQ(rest->size(), whole->size());
  rest->grow(second);
  whole->grow(second);
  EXPECT_EQ(listed(*rest), listed(*whole));
  const std::uint64_t wrong[] = {1};
  EXPECT_THROW(make_selected_ci(definition_of("h2o_631g"), 0.0, options, {.memory = 1 << 30, .devices = {}},
                                0.0, {.alpha = wrong, .beta = wrong, .words = 1, .vectors = {}}),
               InputError);
}

TEST(SelectedCi, AddsNothingWhereAsManyAreThere) {
  const auto ci = start("h2o_sto3g", 1);
  ci->solve();
  ci->grow({.criterion = SelectionCriterion::perturbation, .most = 20});
  ci->solve();
  const std::int64_t size = ci->size();
  for (const std::int64_t most : {size - 1, size}) {
    EXPECT_EQ(ci->grow({.criterion = SelectionCriterion::perturbation, .most = most}).added, 0);
    EXPECT_EQ(ci->size(), size);
  }
  EXPECT_GT(ci->grow({.criterion = SelectionCriterion::amplitude}).added, 0) << "any number";
}

TEST(SelectedCi, CompletesAListThatItGoesOnFrom) {
  const auto open = start("c2_631g_fc", 1);
  open->solve();
  open->grow({.criterion = SelectionCriterion::perturbation, .most = 100});
  const FunctionList list = open->list();
  PlanOptions options;
  const Resources resources{.memory = std::int64_t{8} << 30, .devices = {}};
  const auto closed = make_selected_ci(definition_of("c2_631g_fc", true), 0.0, options, resources, 0.0,
                                       {.alpha = list.alpha, .beta = list.beta, .words = 1, .vectors = {}});
  EXPECT_GT(closed->size(), open->size());
  closed->solve();
  closed->grow({.criterion = SelectionCriterion::perturbation, .most = 300});
  closed->solve();
  EXPECT_TRUE(closed->finish(1e-8).problem.basis->summary().spin_complete);
}

TEST(SelectedCi, RefusesListsThatAreNotOfTheJob) {
  const auto refused = [&](std::vector<std::uint64_t> alpha, std::vector<std::uint64_t> beta) {
    EXPECT_THROW(make_selected_ci(definition_of("h2o_631g"), 0.0, {}, {.memory = 1 << 30, .devices = {}}, 0.0,
                                  {.alpha = alpha, .beta = beta, .words = 1, .vectors = {}}),
                 InputError);
  };
  refused({0b1111}, {0b11111});                     // electrons
  refused({0b1111U | 1ULL << 60U}, {0b11111});      // orbitals
  refused({0b11111, 0b11111}, {0b11111, 0b11111});  // twice
  refused({0b11111}, {0b101111});                   // irrep: b2 to a1
}

TEST(SelectedCi, EndsWhereMemoryDoes) {
  PlanOptions options;
  const auto ci = make_selected_ci(definition_of("n2_ccpvdz_fc"), 0.0, options,
                                   {.memory = std::int64_t{8} << 20, .devices = {}});
  SelectionPass pass{.criterion = SelectionCriterion::perturbation};
  GrownList grown;
  for (int round = 0; round < 20 && !grown.was_cut; ++round) {
    ci->solve();
    pass.most = 2 * ci->size();
    grown = ci->grow(pass);
  }
  EXPECT_TRUE(grown.was_cut);
  EXPECT_GT(ci->size(), 100);
  EXPECT_LT(ci->size(), 20'000);
}

TEST(SelectedCi, TheLastSolutionLooksForMissedRootsUnlessThePassBeforeDid) {
  for (const bool converges : {true, false}) {
    PlanOptions options;
    options.solver.tolerance = 1e-9;
    const auto ci = make_selected_ci(definition_of("be_631g"), 0.0, options,
                                     {.memory = std::int64_t{8} << 30, .devices = {}}, 0.0);
    ci->solve();
    ci->grow({.criterion = SelectionCriterion::perturbation, .most = 40});
    const auto stop_at_once = [&](const SearchState&) {
      return converges ? SolverAction::proceed : SolverAction::stop;
    };
    EXPECT_EQ(ci->solve(stop_at_once).status == SolverStatus::converged, converges);
    const double margin = placement_of(ci->finish(1e-9).plan).solver.exploration_margin;
    EXPECT_EQ(margin == 0.0, converges);
  }
}

TEST(SelectedCi, GivesAProblemOfItsList) {
  const auto ci = start("be_631g", 1);
  ci->solve();
  ci->grow({.criterion = SelectionCriterion::perturbation, .most = 40});
  ci->solve();
  const double energy = ci->energies()[0];
  SelectedProblem finished = ci->finish(1e-9);
  const auto finder = make_root_finder(finished.problem, std::move(finished.plan));
  EXPECT_EQ(finder->hamiltonian().storage, "symmetric");
  EXPECT_EQ(finder->hamiltonian().rows, ci->size());
  Search search;
  search.start = seen_vectors(finished.start, ci->size());
  EXPECT_NEAR(finder->solve(search).energies[0], energy, energy_limit);
}

/// Long lists are solved for, and their externals summed, on a device: the same list, roots and E2.
TEST(SelectedCi, GoesToADeviceThatHasRoom) {
  constexpr std::int64_t determinants = 1'000'000;
  PlanOptions options;
  const std::int64_t needed = bytes_on_device(options, determinants);
  EXPECT_GT(needed, 8 * determinants);
  const auto with = [](std::int64_t free_bytes) {
    return Resources{.memory = std::int64_t{1} << 30, .devices = {device_not_here(free_bytes)}};
  };
  EXPECT_TRUE(is_applied_on_device(options, with(needed), determinants));
  EXPECT_FALSE(is_applied_on_device(options, with(needed - 1), determinants));
  EXPECT_FALSE(is_applied_on_device(options, with(needed), 1000)) << "the host is as fast";
  EXPECT_FALSE(is_applied_on_device(options, {.memory = std::int64_t{1} << 30, .devices = {}}, determinants));
  options.storage = "csr";
  EXPECT_FALSE(is_applied_on_device(options, with(needed), determinants)) << "another format is asked for";
}

TEST(SelectedCiGpu, GrowsAsOnTheHost) {
  Resources devices = available_resources();
  if (devices.devices.empty()) GTEST_SKIP() << "there is no CUDA device on this machine";
  PlanOptions options;
  options.solver.num_roots = 2;
  options.solver.tolerance = 1e-10;
  const auto begin = [&](const Resources& resources) {
    return make_selected_ci(definition_of("c2_ccpvdz_fc"), 0.0, options, resources);
  };
  const auto host = begin({.memory = std::int64_t{8} << 30, .devices = {}});
  const auto device = begin({.memory = std::int64_t{8} << 30, .devices = devices.devices});
  for (const std::int64_t most : {1000, 8000, 30'000, 60'000}) {
    for (const auto& ci : {host.get(), device.get()}) {
      ci->solve();
      ci->grow({.criterion = SelectionCriterion::perturbation, .most = most});
    }
    ASSERT_EQ(listed(*device), listed(*host)) << most;
  }
  host->solve();
  device->solve();
  EXPECT_EQ(device->nonzeros(), host->nonzeros());
  const SecondOrder expected = host->second_order({host->vectors(), host->energies()});
  const SecondOrder found = device->second_order({device->vectors(), device->energies()});
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(device->energies()[k], host->energies()[k], energy_limit);
    EXPECT_NEAR(found.energy[k], expected.energy[k], energy_limit);
  }
  SelectedProblem finished = device->finish(1e-10);
  const auto finder = make_root_finder(finished.problem, std::move(finished.plan));
  EXPECT_EQ(finder->hamiltonian().storage, "list");
  EXPECT_EQ(finder->hamiltonian().nonzeros, host->nonzeros());
  Search search;
  search.start = seen_vectors(finished.start, host->size());
  EXPECT_NEAR(finder->solve(search).energies[0], host->energies()[0], energy_limit);
}

}  // namespace test_selected_ci
}  // namespace cisolve

// SPDX-License-Identifier: MIT
// Problems planned and solved without an input file: what a user of the library does.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>

#include "cisolve/core/number_text.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "cisolve/problem/root_finder.hpp"

namespace cisolve {
namespace test_problem {

constexpr std::int64_t gib = std::int64_t{1} << 30;
const Resources roomy{.memory = 8 * gib, .devices = {}};

/// A file of integrals, all determinants up to a level around aufbau.
BasisDefinition definition(const char* file, int level, std::optional<int> multiplicity = {}) {
  const FcidumpFile dump = read_fcidump(std::filesystem::path(CISOLVE_TEST_DATA) / file, {});
  DeterminantSelection selection;
  selection.num_orbitals = dump.integrals.num_orbitals;
  selection.irreps = dump.integrals.irreps;
  selection.references.push_back({WideString::lowest((dump.num_electrons + dump.ms2) / 2),
                                  WideString::lowest((dump.num_electrons - dump.ms2) / 2)});
  selection.excitation_level = std::min(level, max_excitation_level(selection));
  BasisDefinition made;
  made.integrals = std::make_shared<const Integrals>(dump.integrals);
  made.functions = selection;
  made.multiplicity = multiplicity;
  return made;
}

constexpr int full = 100;

std::vector<double> energies(const Problem& problem, const std::string& storage, const Resources& resources) {
  PlanOptions options;
  options.storage = storage;
  options.solver.num_roots = 2;
  options.solver.tolerance = 1e-8;
  const auto finder = make_root_finder(problem, make_plan(problem, options, resources));
  EXPECT_EQ(finder->hamiltonian().storage, storage);
  const Roots roots = finder->solve({});
  EXPECT_EQ(roots.status, SolverStatus::converged);
  std::vector<double> vectors(problem.basis->size());
  roots.vectors->read(1, 0, vectors);
  EXPECT_LT(finder->residual_norms(vectors, std::span(roots.energies).subspan(1, 1))[0], 1e-7);
  return roots.energies;
}

TEST(Problem, SingletsOfWaterAreThoseOfTheReference) {
  const Problem problem(make_basis(definition("h2o_sto3g.fcidump", full, 1), roomy.memory));
  ASSERT_TRUE(problem.spin.has_value());
  // tests/data/energies.json, full CI without an irrep; errors are the square of the residual over the gap.
  constexpr double expected[] = {-75.01258567107624, -74.55490955162401};
  for (const char* storage : {"direct", "csr", "coded"}) {
    const std::vector<double> found = energies(problem, storage, roomy);
    ASSERT_GE(found.size(), 2U) << storage;
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k], expected[k], 1e-9) << storage;
  }
}

// Quintets have the parity of singlets, and the lowest of them lies 1.4e-4 hartree below the lowest singlet.
class SingletsAboveQuintets : public testing::Test {
protected:
  static BasisDefinition singlets_of_nitrogen() {
    BasisDefinition made = definition("n2_sto3g_stretched.fcidump", full, 1);
    std::get<DeterminantSelection>(made.functions).irrep = 6;
    return made;
  }
  Plan plan(const char* storage) const {
    PlanOptions options;
    options.storage = storage;
    return make_plan(problem_, options, roomy);
  }

  const Problem problem_{make_basis(singlets_of_nitrogen(), roomy.memory)};
};

TEST_F(SingletsAboveQuintets, DoNotTurnIntoThem) {
  // Neither noise in the start vectors nor rounding may bring quintets in.
  std::vector<double> lowest;
  for (const char* storage : {"direct", "csr"}) {
    const auto finder = make_root_finder(problem_, plan(storage));
    const Roots roots = finder->solve({});
    ASSERT_EQ(roots.status, SolverStatus::converged) << storage;
    EXPECT_LE(roots.history.size(), 20U) << storage;
    lowest.push_back(roots.energies[0]);
  }
  EXPECT_NEAR(lowest[0], lowest[1], 1e-9);
}

TEST_F(SingletsAboveQuintets, AreFoundOnceAQuintetWasDropped) {
  // As where S^2 costs too much to be used from the start.
  Plan late = plan("direct");
  ASSERT_TRUE(std::get<DirectPlan>(late).keeps_spin);
  std::get<DirectPlan>(late).keeps_spin = false;
  const auto finder = make_root_finder(problem_, std::move(late));
  Roots roots = finder->solve({});
  const double first = roots.energies[0];
  ASSERT_TRUE(finder->may_project_on_spin());
  finder->project_on_spin();
  EXPECT_FALSE(finder->may_project_on_spin());
  Search within;
  within.history = std::move(roots.history);
  roots = finder->solve(within);
  ASSERT_EQ(roots.status, SolverStatus::converged);
  EXPECT_GT(roots.energies[0], first + 1e-4);
  const auto stored = make_root_finder(problem_, plan("csr"));
  EXPECT_NEAR(roots.energies[0], stored->solve({}).energies[0], 1e-9);
}

TEST(Problem, ListWithoutFunctionsIsRefusedWithItsSpin) {
  BasisDefinition made = definition("h2o_sto3g.fcidump", 0);
  auto& selection = std::get<DeterminantSelection>(made.functions);
  const WideString alpha = WideString::lowest(6), beta = WideString::lowest(4);
  selection.references = {{alpha, beta}, {alpha.moved(5, 6), beta}};
  selection.irrep = 0;  // of neither: two open shells of different irreps
  try {
    make_basis(made, roomy.memory);
    FAIL() << "an empty basis was made";
  } catch (const EmptySpaceError& error) {
    EXPECT_NE(std::string(error.what()).find("with ms2 = 2"), std::string::npos) << error.what();
  }
}

TEST(Problem, ExpectationIsTheDiagonalForAFunction) {
  const Problem problem(make_basis(definition("h2o_sto3g.fcidump", 2), roomy.memory));
  const auto finder = make_root_finder(problem, make_plan(problem, {}, roomy));
  const std::vector<double> diagonal = problem.basis->diagonal();
  for (const std::int64_t row : {std::int64_t{0}, problem.basis->size() - 1}) {
    const double one = 1.0;
    EXPECT_NEAR(finder->expectation({&row, 1}, {&one, 1}), diagonal[row], 1e-11);
  }
}

TEST(Plan, StoresNothingWhereBlocksAllowIt) {
  const Problem problem(make_basis(definition("h2o_sto3g.fcidump", 2), roomy.memory));
  EXPECT_EQ(direct_obstacle(problem), DirectObstacle::none);
  EXPECT_TRUE(std::holds_alternative<DirectPlan>(make_plan(problem, {}, roomy)));
  const Problem cut(make_basis(definition("h2o_sto3g.fcidump", 2), roomy.memory), 1e-6);
  EXPECT_EQ(direct_obstacle(cut), DirectObstacle::threshold);
  EXPECT_TRUE(std::holds_alternative<StoredPlan>(make_plan(cut, {}, roomy)));
  EXPECT_THROW(make_plan(cut, {.storage = "direct"}, roomy), InputError);
}

/// 135,210,384 determinants: what is planned takes no memory of that length.
TEST(Plan, RefusesWhatHasNoRoomAndSaysWhatWould) {
  const BasisDefinition large = definition("h2o_631gd.fcidump.gz", full);
  const std::int64_t vector = std::int64_t{8} * 135'210'384;
  try {
    make_basis(large, vector);
    ADD_FAILURE() << "the diagonal and a root do not fit";
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(error.limit(), DoesNotFit::Limit::host_memory);
    EXPECT_NE(error.remedy().find("excitation_level = "), std::string::npos) << error.what();
  }
  const Problem problem(make_basis(large, 4 * vector));
  EXPECT_EQ(problem.basis->size(), 135'210'384);
  try {
    make_plan(problem, {}, {.memory = 4 * vector, .devices = {}});
    ADD_FAILURE() << "the solver's vectors do not fit";
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(error.limit(), DoesNotFit::Limit::host_memory);
  }
  const Plan fits = make_plan(problem, {}, {.memory = 512 * gib, .devices = {}});
  EXPECT_LE(placement_of(fits).host_bytes, 512 * gib);
  EXPECT_GE(placement_of(fits).vector_bytes, 4 * vector);
}

/// Beside a stored matrix, what its rows were made from: integrals, and the excitations of both spins' strings.
TEST(Plan, CountsTheTablesThatRowsAreMadeFrom) {
  const Problem problem(make_basis(definition("h2o_631gd.fcidump.gz", 3), roomy.memory));
  const StringProduct& space = *problem.basis->as_product();
  const IntegralTables& tables = *problem.tables;
  const UsedStrings used(space.alpha().size(), 1);
  ASSERT_EQ(space.beta().size(), space.alpha().size());
  const OwnLinks alpha(space.alpha(), used, tables, LinkOrder::by_string, true);
  const OwnLinks beta(space.beta(), used, tables, LinkOrder::by_class, false);
  const SingleLinks singles(space.beta(), used, tables, LinkOrder::by_class);
  const auto links = static_cast<double>(alpha.all().size_bytes() + beta.all().size_bytes() +
                                         singles.all().size_bytes() + tables.bytes());
  const auto counted = static_cast<double>(problem.basis->rows_bytes(tables));
  EXPECT_GT(counted, links);
  EXPECT_LT(counted, 1.5 * links)
      << "strings without two of their electrons, the integrals as they were read";
}

/// What completes a space in spin can be left out: said with its size where that is known, else as a way.
TEST(Plan, NamesSpinCompletionWhereItTakesTheRoom) {
  BasisDefinition triplet = definition("h2o_631gd.fcidump.gz", 2);
  auto& selection = std::get<DeterminantSelection>(triplet.functions);
  selection.references = {{WideString::lowest(6), WideString::lowest(4)}};
  selection.spin_complete = true;
  const Problem problem(make_basis(triplet, roomy.memory));
  selection.spin_complete = false;
  const std::int64_t incomplete = make_basis(triplet, roomy.memory)->size();
  EXPECT_LT(incomplete, problem.basis->size());
  std::string remedy;
  // A little less room each time: a smaller subspace does for a while.
  for (std::int64_t room = placement_of(make_plan(problem, {}, roomy)).host_bytes; remedy.empty();
       room -= 16 * problem.basis->size()) {
    try {
      make_plan(problem, {}, {.memory = room, .devices = {}});
    } catch (const DoesNotFit& error) {
      remedy = error.remedy();
    }
  }
  EXPECT_NE(remedy.find(fmt::format("spin_complete = false ({} determinants)", format_count(incomplete))),
            std::string::npos)
      << remedy;
  // Open shells of both spins: a list.
  selection.references = {{WideString::lowest(5), WideString::lowest(4) | WideString{{32}}}};
  selection.spin_complete = true;
  try {
    make_basis(triplet, 1 << 19);
    ADD_FAILURE() << "it does not fit";
  } catch (const DoesNotFit& error) {
    EXPECT_NE(error.remedy().find("spin_complete = false"), std::string::npos) << error.what();
  }
}

TEST(Plan, WhatADeviceHoldsIsNotDemandedOfTheHost) {
  if (!is_built_for_devices()) GTEST_SKIP() << "no CUDA in this build";
  const Problem problem(make_basis(definition("h2o_631gd.fcidump.gz", full), 64 * gib));
  const std::int64_t vector = std::int64_t{8} * 135'210'384;
  const Resources there{
      .memory = 6 * vector, .devices = {device_not_here(141 * gib)}, .device_required = true};
  const Plan plan = make_plan(problem, {}, there);
  EXPECT_TRUE(placement_of(plan).on_device);
  EXPECT_LT(placement_of(plan).host_bytes, placement_of(plan).device_bytes);
  const Resources small{.memory = 64 * gib, .devices = {device_not_here(2 * gib)}, .device_required = true};
  try {
    make_plan(problem, {}, small);
    ADD_FAILURE() << "the vectors do not fit on the device";
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(error.limit(), DoesNotFit::Limit::device);
  }
}

}  // namespace test_problem
}  // namespace cisolve

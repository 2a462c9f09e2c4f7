// SPDX-License-Identifier: MIT
// Jobs over CSFs up to their matrix: references, estimates from a sample of rows, messages.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "problem/row_sample.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_csf_jobs {

CiConfig water(int multiplicity) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
  config.basis = BasisChoice::csf;
  config.multiplicities = {multiplicity};
  return config;
}

std::string message_of(const CiConfig& config) {
  try {
    prepare_job(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

constexpr std::int64_t memory = std::int64_t{8} << 30;

TEST(CsfJobs, ACasThatCannotHaveTheSpinIsTheListOfItsOccupations) {
  struct Case {
    CasReference cas;
    int multiplicity;
    ListedReferences list;
  };
  const std::vector<Case> cases = {
      {{.electrons = 2, .num_orbitals = 1, .orbitals = {}}, 3, {{"22222"}}},
      {{.electrons = 2, .num_orbitals = 2, .orbitals = {}}, 5, {{"22222", "222211", "222202"}}},
      {{.electrons = 4, .num_orbitals = 2, .orbitals = {}}, 3, {{"22222"}}},
  };
  for (const Case& c : cases) {
    CiConfig config = water(c.multiplicity);
    config.irreps = {"all"};
    config.reference = c.cas;
    const CiJob cas_job = prepare_job(config);
    const auto of_cas = make_basis(definition_of(cas_job), memory);
    config.reference = c.list;
    const CiJob list_job = prepare_job(config);
    const auto of_list = make_basis(definition_of(list_job), memory);
    EXPECT_GT(of_cas->size(), 0);
    EXPECT_EQ(of_cas->size(), of_list->size());
    EXPECT_EQ(of_cas->summary().level_counts, of_list->summary().level_counts);
  }
  // Where some can have it, those alone are references, as with determinants.
  CiConfig config = water(3);
  config.irreps = {"all"};
  config.reference = CasReference{.electrons = 2, .num_orbitals = 2, .orbitals = {}};
  EXPECT_EQ(prepare_job(config).csf->references.size(), 1U);
}

TEST(CsfJobs, MessagesSpeakOfMultiplicities) {
  CiConfig config = water(15);
  EXPECT_EQ(message_of(config),
            "states.multiplicity: 10 electrons in 13 orbitals cannot have multiplicity 15");
  config = water(3);
  config.reference = CasReference{.electrons = 4, .num_orbitals = 1, .orbitals = {}};
  EXPECT_EQ(message_of(config), "space.reference: the 4 electrons of the CAS do not fit its 1 orbital");
  config = water(7);
  config.frozen_virtual = 6;
  EXPECT_EQ(message_of(config),
            "space.frozen_virtual: 10 electrons with multiplicity 7 do not fit the 7 orbitals left");
  config = water(1);
  config.multiplicities = {};
  config.electrons = 9;
  const std::vector<std::string> warnings = prepare_job(config).warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(
      warnings.front(),
      "9 electrons cannot have the header's MS2 = 0; multiplicity 2 is used (set states.multiplicity to "
      "choose)");
}

TEST(RowSample, TellsTheNonzerosOfCsfMatricesWithinAFewPercent) {
  struct Case {
    ReferenceChoice reference;
    int level;
    int multiplicity;
  };
  const std::vector<Case> cases = {
      {AufbauReference{}, 4, 1},
      {ListedReferences{{"22222"}}, 4, 3},
      {CasReference{.electrons = 4, .num_orbitals = 4, .orbitals = {}}, 3, 1},
  };
  for (const Case& c : cases) {
    CiConfig config = water(c.multiplicity);
    config.reference = c.reference;
    config.excitation_level = c.level;
    config.irreps = {"all"};
    const CiJob job = prepare_job(config);
    const auto basis = make_basis(definition_of(job), memory);
    const IntegralTables tables(job.active->integrals, 0.0);
    const auto rows = basis->make_rows(tables);
    const RowSample sample(*rows);
    ASSERT_FALSE(sample.is_whole()) << basis->size() << " rows";
    const std::int64_t tables_of_sample = basis->rows_bytes(tables);
    const auto lengths = count_rows(*rows);
    const auto exact = static_cast<double>(std::reduce(lengths.begin(), lengths.end()));
    EXPECT_NEAR(sample.nonzeros() / exact, 1.0, 0.03) << basis->size() << " rows";
    const auto spread = sample.spread();
    ASSERT_EQ(spread.size(), lengths.size());
    EXPECT_NEAR(static_cast<double>(std::reduce(spread.begin(), spread.end())) / exact, 1.0, 0.03);
    // The coupling blocks met by the sample are nearly all there are; they are small beside the matrix.
    const auto missed = static_cast<double>(basis->rows_bytes(tables) - tables_of_sample);
    EXPECT_LT(missed, 0.1 * static_cast<double>(tables_of_sample));
    EXPECT_LT(missed, 0.01 * 12.0 * exact);
  }
}

TEST(RowSample, CountsSmallMatrices) {
  const CiConfig config = water(1);
  const CiJob job = prepare_job(config);
  const auto basis = make_basis(definition_of(job), memory);
  const IntegralTables tables(job.active->integrals, 0.0);
  const auto rows = basis->make_rows(tables);
  const RowSample sample(*rows);
  EXPECT_TRUE(sample.is_whole());
  EXPECT_EQ(sample.spread(), count_rows(*rows));
}

TEST(CsfJobs, WhatIsHeldOutsideTheSolverIsCounted) {
  CiConfig config = water(1);
  config.irreps = {"1"};
  config.excitation_level = 5;
  const CiJob job = prepare_job(config);
  const auto basis = make_basis(definition_of(job), memory);
  // At least the steps, a byte for each of 13 orbitals, and the root's vector, twice.
  EXPECT_GE(basis->bytes_outside_solver(config.count, false), basis->size() * (13 + 16));
  config.count = 10;
  EXPECT_GE(basis->bytes_outside_solver(config.count, false), basis->size() * (13 + 160));
}

}  // namespace test_csf_jobs
}  // namespace cisolve

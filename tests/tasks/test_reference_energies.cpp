// SPDX-License-Identifier: MIT
// Energies and spins against independent programs: tests/data/README.md.
#include <gtest/gtest.h>

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace {

constexpr double energy_tolerance = 1e-8;
constexpr double spin_tolerance = 1e-6;

void expect_reference(const ReferenceRecord& record) {
  const auto folder = std::filesystem::temp_directory_path() / "cisolve-reference";
  std::filesystem::create_directories(folder);
  const CiConfig config = record.config(folder);
  if (record.is_empty()) {
    EXPECT_THROW(run_and_read(config), InputError);
    return;
  }
  const CiResult result = run_and_read(config);
  EXPECT_EQ(result.solver.status, "converged");
  EXPECT_EQ(result.space.dimension, record.dimension());
  const double tolerance = std::max(energy_tolerance, record.json["tolerance"].get<double>());
  ASSERT_GE(std::ssize(result.states.energy), record.num_roots());
  for (std::size_t k = 0; k < record.json["roots"].size(); ++k) {
    const auto& root = record.json["roots"][k];
    EXPECT_NEAR(result.states.energy[k], root["energy"].get<double>(), tolerance) << "root " << k + 1;
    EXPECT_NEAR(result.states.s_squared[k], root["s2"].get<double>(), spin_tolerance) << "root " << k + 1;
  }
  std::filesystem::remove(config.output_file);
}

class ReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(ReferenceEnergies, AreReproduced) { expect_reference(GetParam()); }

class LargeReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(LargeReferenceEnergies, AreReproduced) { expect_reference(GetParam()); }

const auto name_of = [](const auto& info) { return info.param.name(); };
INSTANTIATE_TEST_SUITE_P(Records, ReferenceEnergies, testing::ValuesIn(reference_records(0, 20'000)), name_of);
INSTANTIATE_TEST_SUITE_P(Records, LargeReferenceEnergies, testing::ValuesIn(reference_records(20'001, 500'000)), name_of);

}  // namespace
}  // namespace cisolve

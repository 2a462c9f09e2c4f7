// SPDX-License-Identifier: MIT
// Energies and spins against independent programs: tests/data/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/basis.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/ci/sector_problem.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_reference_energies {

constexpr double energy_tolerance = 1e-8;
constexpr double direct_tolerance = 1e-9;
constexpr double spin_tolerance = 1e-6;

/// Whether the determinants are not made of blocks.
bool is_list(const CiConfig& config) {
  const CiJob job = prepare_job(config);
  return make_space(job.selection)->as_product() == nullptr;
}

CiResult expect_reference(const ReferenceRecord& record, DeviceChoice device,
                          const std::string& storage = "auto", double least_tolerance = energy_tolerance) {
  const test::TemporaryFolder folder;
  CiConfig config = record.config(folder.path());
  config.device = device;
  config.storage = storage;
  const bool refused = storage == "direct" && record.is_multireference() && is_list(config);
  if (record.is_empty() || refused) {
    EXPECT_THROW(run_and_read(config), InputError);
    return {};
  }
  CiResult result = run_and_read(config);
  EXPECT_EQ(result.sectors[0].solver.status, "converged");
  EXPECT_EQ(result.sectors[0].space.dimension, record.dimension());
  const double tolerance = std::max(least_tolerance, record.json["tolerance"].get<double>());
  EXPECT_GE(std::ssize(result.column(&Root::energy)), record.num_roots());
  if (std::ssize(result.column(&Root::energy)) < record.num_roots()) return result;
  for (std::size_t k = 0; k < record.json["roots"].size(); ++k) {
    const auto& root = record.json["roots"][k];
    EXPECT_NEAR(result.root(k).energy, root["energy"].get<double>(), tolerance) << "root " << k + 1;
    if (root["s2"].is_null()) continue;
    EXPECT_NEAR(result.root(k).s_squared, root["s2"].get<double>(), spin_tolerance) << "root " << k + 1;
  }
  return result;
}

/// The density matrices of the roots, which are as accurate as the vectors, give their energies.
void expect_energies_of_densities(const ReferenceRecord& record, const CiResult& result) {
  if (record.is_empty() || result.sectors.empty()) return;
  constexpr std::int64_t memory = std::int64_t{1} << 30, of_sums = std::int64_t{1} << 26;
  constexpr double tolerance = 1e-10;
  const test::TemporaryFolder folder;
  const CiJob job = prepare_job(record.config(folder.path()));
  const auto basis = make_basis(definition_of(job), memory);
  std::vector<double> vector(basis->size());
  for (std::size_t k = 0; k < result.roots.size(); ++k) {
    result.sectors[0].vectors->read(static_cast<int>(k), 0, vector);
    const SpinDensity one = basis->spin_densities(vector, 1, {*basis, vector, 1})(0, 0);
    const TwoParticleDensity two = basis->two_particle_density(vector, of_sums);
    EXPECT_NEAR(energy(job.active->integrals, one.alpha, one.beta, two), result.root(k).energy, tolerance)
        << "root " << k + 1;
  }
}

class ReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(ReferenceEnergies, AreReproduced) {
  const CiResult result = expect_reference(GetParam(), DeviceChoice::cpu, "csr");
  // Those of lists; the others, in blocks, have no matrix stored below.
  if (GetParam().is_multireference()) expect_energies_of_densities(GetParam(), result);
}
TEST_P(ReferenceEnergies, AreReproducedWithNothingStored) {
  const CiResult result = expect_reference(GetParam(), DeviceChoice::cpu, "direct", direct_tolerance);
  expect_energies_of_densities(GetParam(), result);
}

class LargeReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(LargeReferenceEnergies, AreReproduced) { expect_reference(GetParam(), DeviceChoice::cpu, "csr"); }

class LargeDirectReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(LargeDirectReferenceEnergies, AreReproducedWithNothingStored) {
  const CiResult result = expect_reference(GetParam(), DeviceChoice::cpu, "direct", direct_tolerance);
  expect_energies_of_densities(GetParam(), result);
}

/// The device against the host, and both against the record.
class GpuReferenceEnergies : public testing::TestWithParam<ReferenceRecord> {};
TEST_P(GpuReferenceEnergies, AreReproducedAndEqualTheHosts) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  if (GetParam().is_empty()) return;
  constexpr double host_tolerance = 1e-10;
  const test::TemporaryFolder folder;
  const CiResult host = run_and_read(GetParam().config(folder.path()));
  std::vector<std::string> storages = {"auto", "coded"};
  if (GetParam().json["norb"] > 64) storages.insert(storages.end(), {"csr", "hybrid"});
  for (const std::string& storage : storages) {
    SCOPED_TRACE(storage);
    const CiResult device = expect_reference(GetParam(), DeviceChoice::cuda, storage);
    EXPECT_FALSE(device.sectors[0].hamiltonian.device.starts_with("cpu"))
        << device.sectors[0].hamiltonian.device;
    // Whether a root degenerate with the last one asked for is found besides is for rounding to say.
    const std::size_t both = std::min(device.roots.size(), host.roots.size());
    ASSERT_GE(std::ssize(host.roots), GetParam().num_roots());
    for (std::size_t k = 0; k < both; ++k) {
      EXPECT_NEAR(device.root(k).energy, host.root(k).energy, host_tolerance) << "root " << k + 1;
    }
  }
}

const auto name_of = [](const auto& info) { return info.param.name(); };
INSTANTIATE_TEST_SUITE_P(Records, ReferenceEnergies, testing::ValuesIn(reference_records(0, 20'000)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Records, LargeReferenceEnergies,
                         testing::ValuesIn(reference_records(20'001, 50'000)), name_of);
INSTANTIATE_TEST_SUITE_P(ExhaustiveRecords, LargeReferenceEnergies,
                         testing::ValuesIn(reference_records(50'001, 500'000)), name_of);
INSTANTIATE_TEST_SUITE_P(Records, LargeDirectReferenceEnergies,
                         testing::ValuesIn(reference_records(20'001, 500'000)), name_of);
INSTANTIATE_TEST_SUITE_P(Records, GpuReferenceEnergies, testing::ValuesIn(reference_records(0, 500'000)),
                         name_of);

}  // namespace test_reference_energies
}  // namespace cisolve

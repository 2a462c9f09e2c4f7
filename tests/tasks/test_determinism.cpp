// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "cisolve/sparse/formats.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"
#include "tasks/result_vectors.hpp"

namespace cisolve {
namespace test_determinism {

struct Job {
  std::string name;
  CiConfig config;
};

CiConfig job_of(const std::string& file, int excitation_level, int count, DeviceChoice device) {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / file;
  config.excitation_level = excitation_level;
  config.irreps = {"all"};
  config.count = count;
  config.tolerance =
      1e-8;  // hartree: what it leaves of the energies, its square over a gap, is less than rounding
  config.device = device;
  config.output_file = test::process_folder() / "determinism.h5";
  config.checkpoint_file = test::process_folder() / "determinism.chk.h5";
  return config;
}

/// Every storage under determinants in blocks, in a list, and CSFs; states of all spins and of one. The vectors of the
/// last are long enough to be cut among threads.
std::vector<Job> jobs_on(DeviceChoice device) {
  const CiConfig blocks = job_of("h2o_sto3g.fcidump", full_excitation, 3, device);
  CiConfig list = job_of("h2o_sto3g.fcidump", 2, 3, device);
  list.reference = ListedReferences{{"2222200", "2222020", "2222002", "22220ud", "2220220"}};
  list.spin_complete = false;
  CiConfig csf = blocks;
  csf.basis = BasisChoice::csf;
  csf.multiplicities = {1};
  CiConfig triplets = blocks;
  triplets.multiplicities = {3};
  triplets.ms2 = 0;

  std::vector<Job> jobs;
  const auto add = [&jobs](const std::string& name, CiConfig config, std::string_view storage) {
    config.storage = storage;
    jobs.push_back({name + ", " + std::string(storage), std::move(config)});
  };
  for (const std::string_view storage : selectable_formats()) {
    if (storage == "direct") continue;
    add("blocks", blocks, storage);
    add("list", list, storage);
    add("CSFs", csf, storage);
    add("triplets", triplets, storage);
  }
  add("blocks", blocks, "direct");
  add("triplets", triplets, "direct");
  CiConfig long_vectors = job_of("n2_sto3g_stretched.fcidump", full_excitation, 2, device);
  add("long vectors", long_vectors, "direct");
  long_vectors.multiplicities = {1};
  add("long vectors of singlets", long_vectors, "direct");
  return jobs;
}

/// What must repeat to the last bit.
struct Numbers {
  std::vector<double> energies, residuals, spins, vectors;
};

Numbers numbers_of(CiConfig config, int threads) {
  config.threads = threads;
  const CiResult result = run_and_read(config);
  std::filesystem::remove(config.output_file);
  return {result.column(&Root::energy), result.column(&Root::residual_norm), result.column(&Root::s_squared),
          test::vectors_of(result.sectors[0])};
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  std::size_t different = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    different += std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k]) ? 1 : 0;
  EXPECT_EQ(different, 0U) << what << ", of " << a.size();
}

void expect_same_bits(const Numbers& a, const Numbers& b) {
  expect_same_bits(a.energies, b.energies, "energies");
  expect_same_bits(a.residuals, b.residuals, "residuals");
  expect_same_bits(a.spins, b.spins, "<S^2>");
  expect_same_bits(a.vectors, b.vectors, "vectors");
}

/// Rounding of sums in another order, in energies of about 100 hartree: their last bit is 1.4e-14.
void expect_same_energies(const Numbers& a, const Numbers& b) {
  constexpr double rounding = 1e-12;
  ASSERT_EQ(a.energies.size(), b.energies.size());
  for (std::size_t k = 0; k < a.energies.size(); ++k) EXPECT_NEAR(a.energies[k], b.energies[k], rounding);
}

void expect_deterministic(DeviceChoice device) {
  for (const auto& [name, config] : jobs_on(device)) {
    SCOPED_TRACE(name);
    const Numbers one = numbers_of(config, 1);
    ASSERT_FALSE(one.vectors.empty());
    expect_same_bits(one, numbers_of(config, 1));
    for (const int threads : {2, 3, 5}) {
      SCOPED_TRACE(std::to_string(threads) + " threads");
      const Numbers first = numbers_of(config, threads);
      if (threads == 3) expect_same_bits(first, numbers_of(config, threads));
      expect_same_energies(one, first);
    }
  }
}

TEST(RecordsTwice, AreTheSameBitsAndThreadsAgree) { expect_deterministic(DeviceChoice::cpu); }

TEST(GpuRecordsTwice, AreTheSameBitsAndThreadsAgree) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
  expect_deterministic(DeviceChoice::cuda);
}

}  // namespace test_determinism
}  // namespace cisolve

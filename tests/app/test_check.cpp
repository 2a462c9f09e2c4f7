// SPDX-License-Identifier: MIT
// --check plans for this machine, and for machines that aren't there.
#include <gtest/gtest.h>

#include <string>

#include "app/run_program.hpp"
#include "cisolve/problem/resources.hpp"

namespace cisolve::test {
namespace test_check {

/// Full CI of water in 6-31G(d), 19 orbitals: 135,210,384 determinants, 1.01 GiB a vector.
std::string large_job() {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA
         "/h2o_631gd.fcidump.gz\"\n[space]\nexcitation_level = \"full\"\n[states]\nirrep = \"all\"\n";
}

ProgramResult check(const ScratchFolder& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"job.inp", "--check"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words, folder.path());
}

TEST(Check, PlansForMoreMemoryThanIsThere) {
  const ScratchFolder folder;
  folder.write("job.inp", large_job());
  const ProgramResult fits = check(folder, {"--device", "cpu", "--memory", "512GiB"});
  EXPECT_EQ(fits.exit_code, 0) << fits.err;
  EXPECT_NE(fits.out.find("135,210,384"), std::string::npos) << fits.out;
  EXPECT_NE(fits.out.find(" of 512.00 GiB"), std::string::npos) << fits.out;
  const ProgramResult refused = check(folder, {"--device", "cpu", "--memory", "1GiB"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find(": run.memory: "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("excitation_level = "), std::string::npos) << refused.err;
}

TEST(Check, ComparesFormatsWhereMoreIsAskedFor) {
  const ScratchFolder folder;
  folder.write("job.inp", "[integrals]\nfile = \"" CISOLVE_TEST_DATA
                          "/h2o_631gd.fcidump.gz\"\n[hamiltonian]\nstorage = \"csr\"\n");
  const ProgramResult brief = check(folder, {"--device", "cpu"}),
                      all = check(folder, {"--device", "cpu", "-v"});
  EXPECT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_NE(brief.out.find("Memory of the matrix"), std::string::npos) << brief.out;
  EXPECT_EQ(brief.out.find("Memory as coded"), std::string::npos) << brief.out;
  EXPECT_NE(all.out.find("Memory as coded"), std::string::npos) << all.out;
}

TEST(Check, SharesVectorsOutAmongDevicesThatAreNotThere) {
  const ScratchFolder folder;
  folder.write("job.inp", large_job());
  const ProgramResult on_cpu = check(folder, {"--device", "cpu", "--gpus", "2"});
  EXPECT_EQ(on_cpu.exit_code, 1);
  EXPECT_NE(on_cpu.err.find("run.gpus: 2 were asked for, but run.device is \"cpu\""), std::string::npos)
      << on_cpu.err;
  if (!is_built_for_devices()) {
    const ProgramResult nowhere = check(folder, {"--gpus", "2"});
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_NE(nowhere.err.find("run.gpus: 2 were asked for, but this program was built without CUDA"),
              std::string::npos)
        << nowhere.err;
    return;
  }
  const ProgramResult four =
      check(folder, {"--device", "cuda", "--memory", "64 GiB", "--device-memory", "141GiB", "--gpus", "4"});
  EXPECT_EQ(four.exit_code, 0) << four.err;
  EXPECT_NE(four.out.find("4 x a device with 141.00 GiB free"), std::string::npos) << four.out;
  EXPECT_NE(four.out.find(" on each"), std::string::npos) << four.out;
}

TEST(Check, PlansForADeviceThatIsNotThere) {
  const ScratchFolder folder;
  folder.write("job.inp", large_job());
  const auto plan = [&](const std::string& host, const std::string& device) {
    return check(folder, {"--device", "cuda", "--memory", host, "--device-memory", device});
  };
  const ProgramResult fits = plan("16 GiB", "141GiB");
  if (!is_built_for_devices()) {
    EXPECT_EQ(fits.exit_code, 1);
    EXPECT_NE(fits.err.find("--device-memory: this program was built without CUDA"), std::string::npos)
        << fits.err;
    return;
  }
  EXPECT_EQ(fits.exit_code, 0) << fits.err;
  EXPECT_NE(fits.out.find("a device with 141.00 GiB free"), std::string::npos) << fits.out;
  EXPECT_NE(fits.out.find("Device memory needed"), std::string::npos) << fits.out;
  const ProgramResult refused = plan("16 GiB", "2GiB");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("run.device: "), std::string::npos) << refused.err;
  // What lives on the device is not demanded of the host: its tables, diagonal and roots are.
  const ProgramResult small_host = plan("4 GiB", "141GiB");
  EXPECT_EQ(small_host.exit_code, 0) << small_host.err;
}

TEST(Check, ADeviceThatIsNotThereIsForPlansAlone) {
  const ScratchFolder folder;
  folder.write("job.inp", large_job());
  const ProgramResult run = run_program({"job.inp", "--device-memory", "8 GiB"}, folder.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("--device-memory is for --check"), std::string::npos) << run.err;
  const ProgramResult odd = check(folder, {"--device-memory", "much"});
  EXPECT_EQ(odd.exit_code, 1);
  EXPECT_NE(odd.err.find("is no size"), std::string::npos) << odd.err;
}

}  // namespace test_check
}  // namespace cisolve::test

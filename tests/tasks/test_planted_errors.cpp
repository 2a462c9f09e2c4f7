// SPDX-License-Identifier: MIT
// A mistake put into a device kernel is found by certificates; those of the host are in tests/app/test_verify.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cisolve/tasks/ci/ci.hpp"
#include "cisolve/tasks/run/devices.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_planted_errors {

RunOutcome run_direct_on_device() {
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_sto3g.fcidump";
  config.excitation_level = 2;
  config.irreps = {"all"};
  config.storage = "direct";
  config.device = DeviceChoice::cuda;
  config.output_file = test::process_folder() / "planted.h5";
  config.checkpoint_file = test::process_folder() / "planted.chk.h5";
  std::ostringstream report;
  return run_ci(config, {}, {}, report);
}

TEST(GpuPlantedErrors, OfADeviceKernelFailTheirCertificates) {
  if (visible_devices().size() < 2) GTEST_SKIP() << "no CUDA device";
#ifndef CISOLVE_PLANTED_ERRORS
  GTEST_SKIP() << "built without CISOLVE_PLANTED_ERRORS";
#endif
  // In a process of its own, which is the only one to read the variable.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("CISOLVE_PLANTED_ERROR", "device_direct", 1);
  EXPECT_EXIT(std::exit(run_direct_on_device() == RunOutcome::not_certified ? 0 : 1),
              testing::ExitedWithCode(0), "");
  unsetenv("CISOLVE_PLANTED_ERROR");
  EXPECT_EQ(run_direct_on_device(), RunOutcome::converged);
}

}  // namespace test_planted_errors
}  // namespace cisolve

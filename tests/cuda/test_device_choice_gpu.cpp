// SPDX-License-Identifier: MIT
// Runs whose device has no room for them.
#include <gmock/gmock.h>

#include <filesystem>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/device_test.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_device_choice_gpu {

using testing::ElementsAre;
using testing::HasSubstr;

class FullDeviceGpu : public test::DeviceTest {
protected:
  /// All but a little of the device is taken.
  void SetUp() override {
    test::DeviceTest::SetUp();
    if (IsSkipped()) return;
    constexpr std::int64_t left = std::int64_t{96} << 20;
    const std::int64_t free = cuda::device_memory(0).free;
    taken_ = cuda::DeviceArray<std::byte>(free - left);
    const auto folder = test::process_folder();
    config_.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
    config_.excitation_level = 2;
    config_.irreps = {"1"};
    config_.output_file = folder / "cisolve-full-device.h5";
    config_.checkpoint_file = folder / "cisolve-full-device.chk.h5";
  }

  cuda::DeviceArray<std::byte> taken_;
  CiConfig config_;
};

TEST_F(FullDeviceGpu, LeavesTheWorkToTheCpuAndSaysWhy) {
  config_.device = DeviceChoice::automatic;
  const CiResult result = run_and_read(config_);
  EXPECT_EQ(result.sectors[0].solver.status, "converged");
  EXPECT_THAT(result.sectors[0].hamiltonian.device, HasSubstr("cpu"));
  EXPECT_THAT(result.warnings, ElementsAre(testing::AllOf(HasSubstr("run.device: "), HasSubstr("are free on"),
                                                          HasSubstr("the CPU does the calculation"))));
}

TEST_F(FullDeviceGpu, IsRefusedWhereItWasAskedFor) {
  config_.device = DeviceChoice::cuda;
  EXPECT_THROW(run_and_read(config_), ResourceError);
}

}  // namespace test_device_choice_gpu
}  // namespace cisolve

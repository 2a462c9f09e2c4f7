// SPDX-License-Identifier: MIT
// What is known of devices that are not there, and of those that the driver names.
#include "cuda/hamiltonian/device_profile.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "cisolve/core/error.hpp"

namespace cisolve::cuda {
namespace test_device_profile {

constexpr std::int64_t kib = 1 << 10;

TEST(DeviceProfiles, AreFoundByNameByMemoryAndByWhatTheDriverSays) {
  EXPECT_EQ(device_profile("A100").shared_memory, 164 * kib);
  try {
    device_profile("H300");
    ADD_FAILURE() << "a card that is not known";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "there is no profile of a device \"H300\"; there are \"H200\", \"H100\", \"A100\", \"RTX 3070\"");
  }
  const std::int64_t gib = 1 << 30;
  EXPECT_EQ(device_profile_for(141 * gib).name, "H200");
  EXPECT_EQ(device_profile_for(12 * gib).name, "RTX 3070");
  EXPECT_EQ(device_profile_for(12 * gib).memory, 12 * gib);
  // Capability 9.0 as measured; 12.0 and 8.9 with slow double precision.
  const DeviceProfile h200 = device_profile_of("NVIDIA H200", 9, 0, 140 * gib, 228 * kib);
  EXPECT_EQ(h200.name, "NVIDIA H200");
  EXPECT_EQ(h200.rates.dense, device_profile("H200").rates.dense);
  EXPECT_EQ(device_profile_of("", 12, 0, 32 * gib, 100 * kib).rates.dense,
            device_profile("RTX 3070").rates.dense);
  EXPECT_EQ(device_profile_of("", 8, 9, 24 * gib, 100 * kib).rates.dense,
            device_profile("RTX 3070").rates.dense);
  EXPECT_EQ(device_profile_of("", 7, 0, 32 * gib, 96 * kib).rates.dense, device_profile("A100").rates.dense);
}

}  // namespace test_device_profile
}  // namespace cisolve::cuda

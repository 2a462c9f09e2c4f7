// SPDX-License-Identifier: MIT
// How many devices a FLAPW calculation takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/lapw_engine.hpp"

namespace cisolve {
namespace test_lapw_devices {

using testing::HasSubstr;

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr double little = 1e13, much = 1e15;  // flops: 0.2 and 20 s of a device, which takes 0.5 s to start
constexpr LapwMemory memory{
    .on_host = 20 * gib, .on_device = 10 * gib, .on_other_device = 4 * gib, .host_beside_device = gib};

/// Devices of another machine with so many GiB free, by which they are told, and 100 of the host.
Resources machine(const std::vector<std::int64_t>& free, int ranks = 0) {
  Resources resources;
  resources.memory = 100 * gib;
  resources.ranks = ranks;
  for (const std::int64_t bytes : free) {
    Device& device = resources.devices.emplace_back();
    device.ordinal = Device::not_here;
    device.free_bytes = bytes * gib;
  }
  return resources;
}

/// Their GiB.
std::vector<std::int64_t> chosen(const Resources& resources, double flops) {
  std::vector<std::int64_t> bytes;
  for (const Device& device : choose_lapw_devices(resources, memory, 1000, flops))
    bytes.push_back(device.free_bytes / gib);
  return bytes;
}

TEST(LapwDevices, AutoTakesMoreWhereThatIsFaster) {
  using testing::ElementsAre;
  EXPECT_THAT(chosen(machine({80, 81, 82, 83}), much), ElementsAre(80, 81, 82, 83));
  EXPECT_THAT(chosen(machine({80, 81, 82, 83}), little), ElementsAre(80));
  EXPECT_THAT(chosen(machine({80, 81, 82, 83}), 0.0), ElementsAre(80));
}

TEST(LapwDevices, TheFirstWithRoomForAllKeepsThem) {
  using testing::ElementsAre;
  EXPECT_THAT(chosen(machine({9, 80}), little), ElementsAre(80));
  EXPECT_THAT(chosen(machine({9, 80}), much), ElementsAre(80, 9));
  EXPECT_THAT(chosen(machine({80, 3, 5, 3}), much), ElementsAre(80, 5));
}

TEST(LapwDevices, AsManyAsWereAskedFor) {
  using testing::ElementsAre;
  EXPECT_THAT(chosen(machine({80, 81, 82}, 2), little), ElementsAre(80, 81));
  EXPECT_THAT(chosen(machine({80, 81, 82}, 1), much), ElementsAre(80));
  const auto too_few = [] { chosen(machine({80, 3, 3}, 3), much); };
  EXPECT_THAT(too_few, testing::ThrowsMessage<ResourceError>(
                           HasSubstr("run.gpus: 3 were asked for, but only 1 of 3 has room: 10.00 GiB for")));
}

TEST(LapwDevices, NoneIsTheHost) {
  EXPECT_TRUE(choose_lapw_devices(machine({}), memory, 1000, much).empty());
  EXPECT_TRUE(choose_lapw_devices(machine({9}), memory, 1000, much).empty());
}

}  // namespace test_lapw_devices
}  // namespace cisolve

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
constexpr double little = 1e9, much = 1e13;  // flops
constexpr LapwMemory memory{.on_host = 20 * gib, .on_device = 10 * gib, .host_beside_device = gib};

/// Devices with so much free, and 100 GiB of the host.
Resources machine(const std::vector<std::int64_t>& free, int ranks = 0) {
  Resources resources;
  resources.memory = 100 * gib;
  resources.ranks = ranks;
  for (const std::int64_t bytes : free) {
    Device& device = resources.devices.emplace_back();
    device.ordinal = static_cast<int>(resources.devices.size()) - 1;
    device.free_bytes = bytes;
  }
  return resources;
}

std::vector<int> chosen(const Resources& resources, double flops) {
  std::vector<int> ordinals;
  for (const Device& device : choose_lapw_devices(resources, memory, 1000, flops))
    ordinals.push_back(device.ordinal);
  return ordinals;
}

TEST(LapwDevices, AutoTakesAllWhereThereIsMuchToDo) {
  using testing::ElementsAre;
  EXPECT_THAT(chosen(machine({80 * gib, 80 * gib, 80 * gib}), much), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen(machine({80 * gib, 80 * gib, 80 * gib}), little), ElementsAre(0));
  EXPECT_THAT(chosen(machine({80 * gib, 9 * gib, 80 * gib}), much), ElementsAre(0, 2));
  EXPECT_THAT(chosen(machine({9 * gib, 80 * gib}), little), ElementsAre(1));
}

TEST(LapwDevices, AsManyAsWereAskedFor) {
  using testing::ElementsAre;
  EXPECT_THAT(chosen(machine({80 * gib, 80 * gib, 80 * gib}, 2), little), ElementsAre(0, 1));
  EXPECT_THAT(chosen(machine({80 * gib, 80 * gib, 80 * gib}, 1), much), ElementsAre(0));
  const auto too_few = [] { chosen(machine({80 * gib, 9 * gib, 9 * gib}, 3), much); };
  EXPECT_THAT(too_few, testing::ThrowsMessage<ResourceError>(HasSubstr(
                           "run.gpus: 3 were asked for, but of 3 only 1 has room for H and S of 1,000")));
}

TEST(LapwDevices, NoneIsTheHost) {
  EXPECT_TRUE(choose_lapw_devices(machine({}), memory, 1000, much).empty());
  EXPECT_TRUE(choose_lapw_devices(machine({9 * gib}), memory, 1000, much).empty());
}

}  // namespace test_lapw_devices
}  // namespace cisolve

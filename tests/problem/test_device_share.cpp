// SPDX-License-Identifier: MIT
#include "problem/ranked/device_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cisolve {
namespace test_device_share {

using testing::ElementsAre;
using testing::IsEmpty;

using Seen = std::vector<DeviceId>;

DeviceId device(char number) { return {number}; }

/// What each of some processes has, as places in what it sees, and with how many it has the first.
struct Shares {
  std::vector<std::vector<std::size_t>> devices;
  std::vector<int> sharers;
};

Shares shares_of(const std::vector<Seen>& seen) {
  Shares all;
  for (std::size_t process = 0; process < seen.size(); ++process) {
    const DeviceShare share = share_of_devices(seen, process);
    all.devices.push_back(share.devices);
    all.sharers.push_back(share.sharers);
  }
  return all;
}

const Seen two = {device(1), device(2)};
const Seen four = {device(1), device(2), device(3), device(4)};

TEST(DeviceShare, OneProcessHasAllThatItSees) {
  EXPECT_THAT(shares_of({four}).devices, ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(shares_of({{}}).devices, ElementsAre(IsEmpty()));
}

TEST(DeviceShare, ProcessesOfANodeHaveEquallyMany) {
  const Shares shares = shares_of({four, four});
  EXPECT_THAT(shares.devices, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(shares.sharers, ElementsAre(1, 1));
  EXPECT_THAT(shares_of({four, four, four}).devices,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

/// The bytes that are free on a device are divided by those that have it.
TEST(DeviceShare, FewerThanProcessesAreOfSeveral) {
  const Shares of_one = shares_of({{device(7)}, {device(7)}, {device(7)}});
  EXPECT_THAT(of_one.devices, ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(0)));
  EXPECT_THAT(of_one.sharers, ElementsAre(3, 3, 3));
  const Shares of_two = shares_of({two, two, two});
  EXPECT_THAT(of_two.devices, ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(of_two.sharers, ElementsAre(2, 2, 1));
}

TEST(DeviceShare, ThoseSeenInAnotherOrderAreTheSame) {
  const Seen turned = {device(2), device(3), device(4), device(1)};
  const Shares shares = shares_of({four, turned});
  EXPECT_THAT(shares.devices, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));  // 1 and 2, 3 and 4
  EXPECT_THAT(shares.sharers, ElementsAre(1, 1));
  const Seen back = {device(2), device(1)};
  EXPECT_THAT(shares_of({two, back, two}).devices,
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(1)));
}

/// As a batch system binds them, or as they are on several nodes.
TEST(DeviceShare, ThoseThatNoOtherSeesAreItsOwn) {
  const Seen others = {device(3), device(4)};
  const Shares apart = shares_of({two, others});
  EXPECT_THAT(apart.devices, ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1)));
  EXPECT_THAT(apart.sharers, ElementsAre(1, 1));
  const Shares nodes = shares_of({two, others, two, others});
  EXPECT_THAT(nodes.devices, ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(1), ElementsAre(1)));
}

}  // namespace test_device_share
}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "problem/ranked/device_share.hpp"

#include <algorithm>

namespace cisolve {

DeviceShare share_of_devices(std::span<const std::vector<DeviceId>> seen, std::size_t process) {
  // Whoever sees the same ones may see them in another order.
  const auto ascending = [](std::vector<DeviceId> ids) {
    std::ranges::sort(ids);
    return ids;
  };
  const std::vector<DeviceId> mine = ascending(seen[process]);
  std::size_t companions = 0, place = 0;  // this process among them
  for (std::size_t q = 0; q < seen.size(); ++q) {
    if (ascending(seen[q]) != mine) continue;
    if (q < process) ++place;
    ++companions;
  }
  DeviceShare share;
  const std::size_t each = mine.size() / companions;
  const auto place_of = [&](std::size_t k) {
    return static_cast<std::size_t>(std::ranges::find(seen[process], mine[k]) - seen[process].begin());
  };
  for (std::size_t k = 0; k < each; ++k) share.devices.push_back(place_of(place * each + k));
  if (mine.empty() || each > 0) return share;
  const auto device_of = [&](std::size_t companion) { return companion * mine.size() / companions; };
  share.devices = {place_of(device_of(place))};
  share.sharers = 0;
  for (std::size_t q = 0; q < companions; ++q) share.sharers += device_of(q) == device_of(place) ? 1 : 0;
  return share;
}

}  // namespace cisolve

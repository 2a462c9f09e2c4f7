// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "cisolve/core/error.hpp"
#include "problem/devices.hpp"

// How many devices a plan takes, whatever it is of.

namespace cisolve {

/// Of NCCL on each device, for messages on their way.
inline constexpr std::int64_t exchange_scratch = std::int64_t{1} << 30;

/// Seconds that starting one more device is expected to take.
inline constexpr double start_of_a_device = 0.5;
/// Products for each root that a search is expected to take.
inline constexpr double products_per_root = 20.0;

/// The fewest of 1, 2, 4, ... devices within a tenth of the fastest.
/// @param expected_seconds  (devices)
/// @param[out] why          in words
template <class Seconds>
int fastest_number(int most, const Seconds& expected_seconds, std::string& why) {
  constexpr double as_good_as = 1.1;
  double best = expected_seconds(1);
  for (int devices = 2; devices <= most; devices *= 2) best = std::min(best, expected_seconds(devices));
  int devices = 1;
  while (expected_seconds(devices) > as_good_as * best) devices *= 2;
  if (devices > 1) {
    why = fmt::format("expected to take {:.1f} s for the roots, and one {:.1f} s", expected_seconds(devices),
                      expected_seconds(1));
  } else if (most > 1) {
    why = "more are not expected to be a tenth faster";
  }
  return devices;
}

/// Takes as many devices as are asked for, or as are expected to be fastest and have room.
/// @param expected_seconds  (devices), of finding the roots, without what devices share on the host
/// @param place_on          (devices, is_last): puts a plan there if there is room, and says so in placement.on_device;
///                          `is_last`: nothing else is tried where there is none
/// @throws InputError  more are asked for than there are
template <class Seconds, class PlaceOn>
void place_on_devices(const Resources& resources, Placement& placement, const Seconds& expected_seconds,
                      const PlaceOn& place_on) {
  const auto most = static_cast<int>(std::ssize(resources.devices));
  const bool is_free = resources.ranks == 0;
  if (resources.ranks > most)
    throw InputError(fmt::format("{} ranks need as many devices, but there {} {}", resources.ranks,
                                 most == 1 ? "is" : "are", most));
  for (int devices = is_free ? fastest_number(most, expected_seconds, placement.why_ranks) : resources.ranks;;
       devices *= 2) {
    const bool is_last = !is_free || 2 * devices > most;
    place_on(std::span(resources.devices).first(static_cast<std::size_t>(devices)), is_last);
    if (placement.on_device || is_last) return;
    placement.why_ranks = fmt::format("{} {} no room", devices, devices == 1 ? "has" : "have");
  }
}

/// Bytes that each of some devices has free.
inline std::int64_t room_on(std::span<const Device> devices) {
  std::int64_t room = devices.front().free_bytes;
  for (const Device& other : devices.subspan(1)) {
    if (devices.front().ordinal != Device::not_here) room = std::min(room, free_memory(other));
  }
  return room;
}

/// Notes the devices that a plan is for.
inline void take_devices(Placement& placement, std::span<const Device> devices) {
  const Device& device = devices.front();
  placement.on_device = true;
  placement.why_not_device.clear();  // fewer had no room
  placement.device = device.name;
  placement.ordinal = device.ordinal;
  if (placement.ranks == 1) return;
  for (const Device& one : devices) placement.ordinals.push_back(one.ordinal);
  placement.device = fmt::format("{} x {}", placement.ranks, device.name);
}

}  // namespace cisolve

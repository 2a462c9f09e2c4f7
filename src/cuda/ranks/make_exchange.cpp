// SPDX-License-Identifier: MIT
#include "cuda/ranks/make_exchange.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/ranks/nccl_exchange.hpp"
#include "cuda/ranks/peer_exchange.hpp"
#include "cuda/ranks/staged_exchange.hpp"

namespace cisolve::cuda {
namespace {

/// Where a rank is.
struct Place {
  std::array<char, 16> device;  ///< its number in the world
  std::array<char, 64> host;
  pid_t process;

  bool is_in_process_of(const Place& other) const { return host == other.host && process == other.process; }
};

Place place_of_this_rank() {
  int ordinal = 0;
  cudaDeviceProp properties;
  check(cudaGetDevice(&ordinal));
  check(cudaGetDeviceProperties(&properties, ordinal));
  Place place{.device = {}, .host = {}, .process = getpid()};
  std::memcpy(place.device.data(), properties.uuid.bytes, place.device.size());
  gethostname(place.host.data(), place.host.size() - 1);
  return place;
}

bool have_own_devices(const std::vector<Place>& places) {
  std::vector<std::array<char, 16>> devices;
  for (const Place& place : places) devices.push_back(place.device);
  std::ranges::sort(devices);
  return std::ranges::adjacent_find(devices) == devices.end();
}

}  // namespace

std::unique_ptr<DeviceExchange> make_exchange(const Communicator& ranks) {
  const std::vector<Place> places = all_values(ranks, place_of_this_rank());
  if (has_nccl() && have_own_devices(places)) return make_nccl_exchange(ranks);
  const bool is_one_process =
      std::ranges::all_of(places, [&](const Place& place) { return place.is_in_process_of(places.front()); });
  if (is_one_process) return std::make_unique<PeerExchange>(ranks);
  return std::make_unique<StagedExchange>(ranks);
}

}  // namespace cisolve::cuda

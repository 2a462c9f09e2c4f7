// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/device_profile.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve::cuda {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

constexpr DeviceProfile::OppositeCosts opposite_costs{.tile_loads = 2.0,
                                                      .tile_stores = 2.0,
                                                      .same_spin = 400.0,
                                                      .least_rows = 16,
                                                      .least_pairs = 6.0,
                                                      .least_share = 0.5,
                                                      .least_factors = 1536,
                                                      .enough_pairs = 24};

constexpr DeviceProfile::Budgets budgets_of_large_cards{.dense_matrices = 512 * mib,
                                                        .panel_matrices = 128 * mib,
                                                        .intermediates = gib,
                                                        .preferred_intermediates = 256 * mib,
                                                        .packs = 256 * mib};

/// A multiplication in a dense product takes about a fiftieth of the time of one whose operand comes from the
/// second-level cache.
DeviceProfile hopper(std::string name, std::int64_t memory) {
  return {.name = std::move(name),
          .compute_major = 9,
          .compute_minor = 0,
          .memory = memory,
          .shared_memory = 228 * kib,
          .rates = {.dense = 55e12, .small_dense = 40e12, .memory = 4e12, .cache = 5e12},
          .budgets = budgets_of_large_cards,
          .dense = {.size = 96, .share = 0.02},
          .opposite = opposite_costs};
}

/// 19.5e12 operations per second with matrix units, 2.0e12 bytes per second.
DeviceProfile a100() {
  return {.name = "A100",
          .compute_major = 8,
          .compute_minor = 0,
          .memory = 80 * gib,
          .shared_memory = 164 * kib,
          .rates = {.dense = 16e12, .small_dense = 12e12, .memory = 1.7e12, .cache = 3e12},
          .budgets = budgets_of_large_cards,
          .dense = {.size = 96, .share = 0.05},
          .opposite = opposite_costs};
}

/// 0.32e12 operations per second in double precision, so that a dense product gains little; 0.45e12 bytes per second.
DeviceProfile rtx3070() {
  return {.name = "RTX 3070",
          .compute_major = 8,
          .compute_minor = 6,
          .memory = 8 * gib,
          .shared_memory = 100 * kib,
          .rates = {.dense = 0.3e12, .small_dense = 0.25e12, .memory = 0.4e12, .cache = 1.2e12},
          .budgets = {.dense_matrices = 128 * mib,
                      .panel_matrices = 32 * mib,
                      .intermediates = 256 * mib,
                      .preferred_intermediates = 64 * mib,
                      .packs = 64 * mib},
          .dense = {.size = 96, .share = 0.5},
          .opposite = opposite_costs};
}

}  // namespace

std::span<const DeviceProfile> device_profiles() {
  static const std::array<DeviceProfile, 4> profiles{hopper("H200", 141 * gib), hopper("H100", 80 * gib),
                                                     a100(), rtx3070()};
  return profiles;
}

const DeviceProfile& device_profile(std::string_view name) {
  const auto found = std::ranges::find(device_profiles(), name, &DeviceProfile::name);
  if (found != device_profiles().end()) return *found;
  std::string names;
  for (const DeviceProfile& profile : device_profiles())
    names += (names.empty() ? "\"" : ", \"") + profile.name + "\"";
  throw InputError("there is no profile of a device \"" + std::string(name) + "\"; there are " + names);
}

DeviceProfile device_profile_for(std::int64_t memory) {
  DeviceProfile result = *std::ranges::min_element(
      device_profiles(), {}, [&](const DeviceProfile& profile) { return std::abs(profile.memory - memory); });
  result.memory = memory;
  return result;
}

DeviceProfile device_profile_of(std::string name, int compute_major, int compute_minor, std::int64_t memory,
                                std::int64_t shared_memory) {
  const bool fast = compute_minor == 0 && compute_major < 12;
  DeviceProfile result = device_profile(!fast ? "RTX 3070" : compute_major < 9 ? "A100" : "H200");
  result.name = std::move(name);
  result.compute_major = compute_major;
  result.compute_minor = compute_minor;
  result.memory = memory;
  result.shared_memory = shared_memory;
  return result;
}

}  // namespace cisolve::cuda

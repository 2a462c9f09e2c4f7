// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/core/host_device.hpp"

namespace cisolve {

/// Four words of 32 bits: the counter that `philox` takes, and what it makes of it.
struct PhiloxBlock {
  std::uint32_t word[4];

  CISOLVE_HOST_DEVICE constexpr std::uint32_t operator[](int at) const { return word[at]; }
};

/// Two words of 32 bits that tell one stream of pseudo-random numbers from another: the seed.
struct PhiloxKey {
  std::uint32_t word[2];
};

/// The key of a seed: its low word, then its high word.
CISOLVE_HOST_DEVICE constexpr PhiloxKey philox_key(std::uint64_t seed) {
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
}

/// Philox4x32-10: four pseudo-random words as a function of a counter and a key, without any state. So every
/// step of every chain has random numbers of its own, whoever takes the step and when.
/// @see J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, SC '11 (2011), doi:10.1145/2063384.2063405
CISOLVE_HOST_DEVICE constexpr PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9, weyl_1 = 0xBB67AE85;  // golden ratio, sqrt(3) - 1
  std::uint32_t k0 = key.word[0], k1 = key.word[1];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = multiplier_0 * counter.word[0];
    const std::uint64_t p1 = multiplier_1 * counter.word[2];
    counter = {{static_cast<std::uint32_t>(p1 >> 32) ^ counter.word[1] ^ k0, static_cast<std::uint32_t>(p1),
                static_cast<std::uint32_t>(p0 >> 32) ^ counter.word[3] ^ k1, static_cast<std::uint32_t>(p0)}};
    k0 += weyl_0;
    k1 += weyl_1;
  }
  return counter;
}

/// A multiple of 2^-53 in [0, 1) from two random words: 27 bits of the first, 26 of the second.
CISOLVE_HOST_DEVICE constexpr double unit_interval(std::uint32_t high, std::uint32_t low) {
  constexpr double two_to_26 = 67108864.0;
  constexpr double two_to_minus_53 = 1.0 / 9007199254740992.0;
  return (static_cast<double>(high >> 5) * two_to_26 + static_cast<double>(low >> 6)) * two_to_minus_53;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/core/host_device.hpp"

namespace cisolve {

/// A pseudo-random vector that leans towards low diagonal elements, where low eigenvectors live: element i is
/// uniform in [-w_i, w_i] with w_i = (s / (D_i - D_min + s))^4. The power keeps the many high rows of a large
/// space from outweighing the few low ones. No element is zero for certain, so it has a part in every
/// eigenvector. The same `number` gives the same vector.
struct LowLyingNoise {
  double lowest = 0.0;       ///< D_min, hartree
  double spread = 1.0;       ///< s > 0, hartree
  std::uint64_t number = 0;  ///< of the vector

  /// Element `row` of the vector.
  /// @param row       from 0
  /// @param rows      of the vector
  /// @param diagonal  D of that row, hartree
  /// @see SplitMix64, a hash of the counter, so that elements can be made in any order: G. L. Steele, D. Lea,
  ///      C. H. Flood, OOPSLA (2014) 453, doi:10.1145/2660193.2660195
  CISOLVE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t rows, double diagonal) const {
    std::uint64_t z = (number * static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(row) + 1) *
                      0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const double uniform = 2.0 * (static_cast<double>(z >> 11) * 0x1.0p-53) - 1.0;
    const double weight = spread / (diagonal - lowest + spread);
    return weight * weight * weight * weight * uniform;
  }
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace cisolve::bench {

/// SplitMix64, doi:10.1145/2714064.2660195: small, and every row can have its own sequence.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// The sequence of one row of a matrix.
  Random(std::uint64_t seed, std::int64_t row)
      : Random(seed * 0x2545f4914f6cdd1dU + static_cast<std::uint64_t>(row)) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// In (0, 1), and never 1/2.
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

private:
  std::uint64_t state_;
};

}  // namespace cisolve::bench

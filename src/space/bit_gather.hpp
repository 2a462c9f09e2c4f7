// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#ifdef __BMI2__
#include <immintrin.h>
#endif

// Bits moved together and apart, by an instruction where the build may use it.

namespace cisolve {

/// The bits of `from` where `mask` has bits, moved together at the low end: PEXT, as its definition says.
constexpr std::uint64_t gather_bits_by_loop(std::uint64_t from, std::uint64_t mask) {
  std::uint64_t gathered = 0;
  for (std::uint64_t at = 1; mask != 0; mask &= mask - 1, at <<= 1) {
    if ((from & mask & -mask) != 0) gathered |= at;
  }
  return gathered;
}

/// The low bits of `from`, moved to where `mask` has bits: PDEP, as its definition says.
constexpr std::uint64_t scatter_bits_by_loop(std::uint64_t from, std::uint64_t mask) {
  std::uint64_t scattered = 0;
  for (; mask != 0; mask &= mask - 1, from >>= 1) {
    if ((from & 1U) != 0) scattered |= mask & -mask;
  }
  return scattered;
}

inline std::uint64_t gather_bits(std::uint64_t from, std::uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(from, mask);
#else
  return gather_bits_by_loop(from, mask);
#endif
}

inline std::uint64_t scatter_bits(std::uint64_t from, std::uint64_t mask) {
#ifdef __BMI2__
  return _pdep_u64(from, mask);
#else
  return scatter_bits_by_loop(from, mask);
#endif
}

}  // namespace cisolve

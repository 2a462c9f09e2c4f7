// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cisolve {

/// What an excitation does to a string and its phase, in one number: bit 0 is 1 if the phase is negative. A single
/// excitation a+_p a_h, p != h, has h in bits 9 to 16 and p in bits 1 to 8; a double one the pairs of its holes and of
/// its particles in bits 16 to 30 and 1 to 15.
struct ExcitationCode {
  static constexpr std::uint32_t single(int hole, int particle, bool negative) {
    return static_cast<std::uint32_t>(hole) << 9 | static_cast<std::uint32_t>(particle) << 1 |
           (negative ? 1U : 0U);
  }
  static constexpr int hole(std::uint32_t single) { return static_cast<int>(single >> 9); }
  static constexpr int particle(std::uint32_t single) { return static_cast<int>(single >> 1 & 255U); }

  /// The pairs h1 < h2 and p1 < p2; the phase is that of a+_p2 a_h2 a+_p1 a_h1.
  static constexpr std::uint32_t twofold(int h1, int h2, int p1, int p2, bool negative) {
    return strict_pair(h2, h1) << 16 | strict_pair(p2, p1) << 1 | (negative ? 1U : 0U);
  }
  static constexpr std::uint32_t holes(std::uint32_t twofold) { return twofold >> 16 & 0x7fffU; }
  static constexpr std::uint32_t particles(std::uint32_t twofold) { return twofold >> 1 & 0x7fffU; }

  /// Number of a pair p > q of up to 256 orbitals.
  static constexpr std::uint32_t strict_pair(int p, int q) {
    return static_cast<std::uint32_t>(p * (p - 1) / 2 + q);
  }

  static constexpr bool is_negative(std::uint32_t code) { return (code & 1U) != 0; }

  /// value, negated if bit 0 of `code` is set: no branch, no multiplication.
  static constexpr double with_phase(double value, std::uint32_t code) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{code} << 63));
  }
};

/// Excitations of the strings of one spin: to which strings they lead, through which orbitals, with which phase.
struct StringExcitations {
  struct Link {
    std::int32_t target;
    std::uint32_t code;  ///< an ExcitationCode
  };
  std::vector<std::int64_t> offsets = {0};  ///< [strings + 1] into `links`
  std::vector<Link> links;                  ///< of a string by holes, then particles, ascending

  std::span<const Link> operator[](std::int32_t string) const {
    const std::size_t at = string;
    return {links.data() + offsets[at], links.data() + offsets[at + 1]};
  }
};

}  // namespace cisolve

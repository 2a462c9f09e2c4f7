// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace cisolve::cuda {

/// BitString on the device.
template <int Words>
struct Bits {
  std::uint64_t words[Words];

  __device__ static Bits load(const std::uint64_t* strings, std::int64_t at) {
    Bits s;
#pragma unroll
    for (int w = 0; w < Words; ++w) s.words[w] = strings[at * Words + w];
    return s;
  }
  __device__ void store(std::uint64_t* strings, std::int64_t at) const {
#pragma unroll
    for (int w = 0; w < Words; ++w) strings[at * Words + w] = words[w];
  }

  __device__ bool test(int p) const {
    if constexpr (Words == 1) return (words[0] >> p & 1U) != 0;
    return (word(p >> 6) >> (p & 63) & 1U) != 0;
  }
  /// The string with orbital p the other way round.
  __device__ Bits flipped(int p) const {
    Bits s = *this;
#pragma unroll
    for (int w = 0; w < Words; ++w)
      s.words[w] ^= Words == 1 || w == p >> 6 ? std::uint64_t{1} << (p & 63) : 0;
    return s;
  }
  /// Whether an odd number of orbitals below p are occupied.
  __device__ bool parity(int p) const {
    int n = 0;
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      const int in_word = p - 64 * w;
      const std::uint64_t below = in_word >= 64  ? ~std::uint64_t{0}
                                  : in_word <= 0 ? 0
                                                 : (std::uint64_t{1} << in_word) - 1;
      n += __popcll(words[w] & below);
    }
    return (n & 1) != 0;
  }

  /// visit(p) for each occupied orbital, ascending.
  template <class Visit>
  __device__ void for_each(const Visit& visit) const {
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1) visit(64 * w + __ffsll(rest) - 1);
    }
  }

  __device__ bool operator==(const Bits& other) const {
    std::uint64_t difference = 0;
#pragma unroll
    for (int w = 0; w < Words; ++w) difference |= words[w] ^ other.words[w];
    return difference == 0;
  }

  /// mix of bit_string.hpp.
  __device__ std::uint64_t mixed() const {
    std::uint64_t h = 0;
#pragma unroll
    for (int w = 0; w < Words; ++w) {
      h += words[w] + 0x9e3779b97f4a7c15ULL;
      h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
      h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
      h ^= h >> 31;
    }
    return h;
  }

private:
  __device__ std::uint64_t word(int w) const {
    std::uint64_t found = words[0];
#pragma unroll
    for (int k = 1; k < Words; ++k) found = w == k ? words[k] : found;
    return found;
  }
};

/// What stands for a string in hash tables: itself, or 64 well-mixed bits of it, which two of a million that meet in a table
/// share with a probability of 3e-8, two of 1e9, the most that a table holds, with one of 0.03.
template <int Words>
__device__ std::uint64_t key_of(const Bits<Words>& s, std::uint64_t none) {
  if constexpr (Words == 1) return s.words[0];
  const std::uint64_t key = s.mixed();
  return key == none ? key ^ 1U : key;
}

/// Where the search for a key begins.
__device__ inline std::uint64_t place_of(std::uint64_t key) {
  const std::uint64_t product = key * 0x9e3779b97f4a7c15ULL;  // the golden ratio
  return product ^ product >> 32U;                            // the highest bits depend on all of the key
}

__device__ inline std::uint32_t pair_of(int p, int q) {
  const int high = p > q ? p : q, low = p > q ? q : p;
  return static_cast<std::uint32_t>(high * (high + 1) / 2 + low);
}

/// value, negated if `negative`.
__device__ inline double with_phase(double value, bool negative) { return negative ? -value : value; }

}  // namespace cisolve::cuda

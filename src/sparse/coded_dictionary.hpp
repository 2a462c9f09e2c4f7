// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "cisolve/sparse/coded_matrix.hpp"

namespace cisolve {

/// Bits of |value|: what a dictionary distinguishes.
inline std::uint64_t magnitude_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) & 0x7fffffffffffffffU;
}

/// More distinct magnitudes than codes.
struct TooManyMagnitudes {};

/// The magnitudes found so far by all threads, in an order that depends on the threads. The first has
/// code 1.
class SharedMagnitudes {
public:
  /// @param can_grow  false: what is not among `magnitudes` has no code
  SharedMagnitudes(std::vector<std::uint64_t> magnitudes, std::int32_t max_codes, bool can_grow)
      : magnitudes_(std::move(magnitudes)), max_codes_(max_codes), can_grow_(can_grow) {}

  const std::vector<std::uint64_t>& all() const { return magnitudes_; }

private:
  friend class MagnitudeCodes;
  std::mutex mutex_;
  std::vector<std::uint64_t> magnitudes_;
  std::int32_t max_codes_;
  bool can_grow_;
};

/// One thread's view of them: a flat hash table, sparse enough that most look-ups end at the first slot.
class MagnitudeCodes {
public:
  explicit MagnitudeCodes(SharedMagnitudes& shared) : shared_(shared) { rehash(10); }

  /// Code of a magnitude; 0 for 0.0, and for what has none because the dictionary cannot grow.
  /// @throws TooManyMagnitudes
  CodedWord code(std::uint64_t bits) {
    const std::size_t at = first_slot(bits);
    if (slots_[at].bits == bits) return slots_[at].code;
    return search(bits, at);
  }

private:
  struct Slot {
    std::uint64_t bits = 0;  ///< 0: free, which makes 0.0 the magnitude of code 0
    CodedWord code = 0;
  };

  std::size_t first_slot(std::uint64_t bits) const {
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> shift_);
  }
  CodedWord search(std::uint64_t bits, std::size_t at);
  CodedWord learn(std::uint64_t bits);
  void insert(std::uint64_t bits, CodedWord code);
  void rehash(int log2_slots);

  SharedMagnitudes& shared_;
  std::size_t num_known_ = 0;  ///< of shared_.magnitudes_, in the table
  int shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<Slot> slots_;
};

/// The max_codes most frequent magnitudes among up to 2^23 coded entries of rows spread over the matrix;
/// equally frequent ones in ascending order.
std::vector<std::uint64_t> most_frequent_magnitudes(const RowSource& source, std::int32_t max_codes);

/// Final numbers of provisional codes: by first touch along some slices, as a warp reads them, so that the
/// codes of one step lie in different banks of shared memory; then the others by ascending magnitude.
/// @return  [magnitudes + 1], with 0 for 0
std::vector<CodedWord> number_by_first_touch(const CodedMatrix& a,
                                             const std::vector<std::uint64_t>& magnitudes);

}  // namespace cisolve

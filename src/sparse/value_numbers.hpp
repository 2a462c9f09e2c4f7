// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// Bits of |value|: what a dictionary distinguishes.
inline std::uint64_t magnitude_bits(double value) {
  return std::bit_cast<std::uint64_t>(value) & 0x7fffffffffffffffU;
}

/// Calls visit(position, is_general) for the positions of a row, ascending.
/// @throws DimensionError if the row contradicts itself
template <class Visit>
void for_each_element(const MatrixRow& row, Visit&& visit) {
  if (row.columns.size() != row.values.size()) {
    throw DimensionError("row source: a row has unlike numbers of columns and values");
  }
  std::size_t at = 0;
  for (const std::int32_t position : row.general) {
    const std::size_t end = position;
    if (end < at || end >= row.columns.size()) {
      throw DimensionError("row source: general positions are not ascending");
    }
    for (; at < end; ++at) visit(at, false);
    visit(at++, true);
  }
  for (; at < row.columns.size(); ++at) visit(at, false);
}

/// Magnitudes and their numbers: a flat hash table, sparse enough that most look-ups end at the first slot.
class MagnitudeMap {
public:
  static constexpr std::uint32_t none = 0xffffffffU;

  MagnitudeMap() { rehash(10); }

  std::size_t size() const { return size_; }

  /// Number of a magnitude that was inserted, or none. 0.0 never is.
  std::uint32_t find(std::uint64_t bits) const {
    std::size_t at = first_slot(bits);
    for (; slots_[at].bits != 0; at = (at + 1) & mask_) {
      if (slots_[at].bits == bits) return slots_[at].number;
    }
    return none;
  }

  /// Gives a magnitude > 0 the next number unless it has one.
  void insert(std::uint64_t bits);

  /// Bits of all, in no particular order.
  std::vector<std::uint64_t> all() const;

private:
  struct Slot {
    std::uint64_t bits = 0;  ///< 0: free
    std::uint32_t number = none;
  };

  std::size_t first_slot(std::uint64_t bits) const {
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15U) >> shift_);
  }
  void place(const Slot& slot);
  void rehash(int log2_slots);

  std::size_t size_ = 0;
  int shift_ = 0;
  std::size_t mask_ = 0;
  std::vector<Slot> slots_;
};

/// Numbers the values of a source that does not do so itself, by their bits. One pass over the rows finds
/// the magnitudes, ascending in the table. Should they be more than `most`, the table has the most frequent
/// ones among up to 2^23 entries of rows spread over the matrix; others become general elements.
///
/// @param source  must outlive the result
/// @throws Interrupted if a stop was requested; whatever the source throws
std::unique_ptr<const NumberedRowSource> number_values(const RowSource& source, std::size_t most,
                                                       const BuildOptions& options);

}  // namespace cisolve

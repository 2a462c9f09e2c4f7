// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace cisolve {

/// What a hybrid matrix of some ELL width costs, in bytes:
///
///   cost(w) = bytes_per_slot * (sum over rows of max(length, w)) + bytes_per_tail * (rows longer than w)
///
/// The first term is what is allocated and, but for the padding, streamed by every product. The second is
/// the extra step of a warp whose row goes on in the tail: a dependent load of the tail's offset, then
/// lanes that start unaligned and end half empty. Its default is one step of a warp, 32 lanes times
/// 4 nonzeros, half of it lost.
struct EllCostModel {
  double bytes_per_slot = 12.0;
  double bytes_per_tail = 0.5 * 32 * 4 * 12.0;
};

/// The costs of a matrix of other elements than doubles, in proportion to what an element and its column take.
template <class Scalar>
constexpr EllCostModel ell_costs() noexcept {
  constexpr double share = (sizeof(Scalar) + 4.0) / (sizeof(double) + 4.0);
  const EllCostModel real;
  return {.bytes_per_slot = share * real.bytes_per_slot, .bytes_per_tail = share * real.bytes_per_tail};
}

/// Widths are chosen among multiples of this: rows of 4-byte columns then start 16-byte aligned.
inline constexpr std::int32_t ell_alignment = 4;

/// The slots between two rows: `ell_width` rounded up to a multiple of ell_alignment.
constexpr std::int32_t ell_stride_of(std::int32_t ell_width) noexcept {
  return (ell_width + ell_alignment - 1) / ell_alignment * ell_alignment;
}

/// The multiple of ell_alignment from 0 to the longest row (rounded up) with the least cost; the smallest
/// of several. Takes time and memory proportional to rows + longest row.
/// @throws DimensionError if a length is negative or 2^31 - 4 or more
std::int32_t choose_ell_width(std::span<const std::int64_t> lengths, const EllCostModel& model = {});

}  // namespace cisolve

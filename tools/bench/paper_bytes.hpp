// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cisolve/core/error.hpp"

namespace cisolve::bench {

// Storage by the formulae of M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45,
// doi:10.3390/computation6030045: 8-byte values, 4-byte indices, offsets and counts. What cisolve
// allocates differs (64-bit offsets, aligned rows): see array_bytes.

/// Bytes of CSR by the storage paper's formula: Value and Column of each nonzero, RowPtr of rows + 1.
constexpr std::int64_t paper_csr_bytes(std::int64_t rows, std::int64_t nonzeros) noexcept {
  return 12 * nonzeros + 4 * (rows + 1);
}

/// Bytes of ELL by the storage paper's formula: every row padded to the longest.
constexpr std::int64_t paper_ell_bytes(std::int64_t rows, std::int64_t longest_row) noexcept {
  return 12 * rows * longest_row;
}

/// Bytes of ELL-R by the storage paper's formula: ELL and a count per row.
constexpr std::int64_t paper_ell_r_bytes(std::int64_t rows, std::int64_t longest_row) noexcept {
  return paper_ell_bytes(rows, longest_row) + 4 * rows;
}

/// Bytes of Sliced ELL by the storage paper's formula: every row padded to the longest of its slice of
/// consecutive rows; the last slice may have fewer rows.
/// @throws DimensionError if slice_size < 1
inline std::int64_t paper_sliced_ell_bytes(std::span<const std::int64_t> lengths, std::int64_t slice_size) {
  if (slice_size < 1) throw DimensionError("paper_sliced_ell_bytes: slices need at least one row");
  std::int64_t slots = 0;
  for (std::size_t first = 0; first < lengths.size(); first += static_cast<std::size_t>(slice_size)) {
    const auto slice =
        lengths.subspan(first, std::min(static_cast<std::size_t>(slice_size), lengths.size() - first));
    slots += *std::max_element(slice.begin(), slice.end()) * static_cast<std::int64_t>(slice.size());
  }
  return 12 * slots;
}

/// Bytes of Sliced ELL-R by the storage paper's formula: Sliced ELL and a count per row.
inline std::int64_t paper_sliced_ell_r_bytes(std::span<const std::int64_t> lengths, std::int64_t slice_size) {
  return paper_sliced_ell_bytes(lengths, slice_size) + 4 * static_cast<std::int64_t>(lengths.size());
}

/// Bytes of the hybrid format by the storage paper's formula: ELL of width `ell_width` (BOUNDARY), CSR of the
/// rest, and StartArr, EndArr and AllNonZerosCount of each row.
constexpr std::int64_t paper_hybrid_bytes(std::int64_t rows, std::int64_t ell_width,
                                          std::int64_t tail_nonzeros) noexcept {
  return 12 * rows * ell_width + 12 * tail_nonzeros + 12 * rows;
}

}  // namespace cisolve::bench

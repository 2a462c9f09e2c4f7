// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/ell_width.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Nonzeros of every row, counted in parallel: the first of the two passes that build a matrix, on
/// its own so that its size is known before memory is taken. Progress runs from 0 to 1.
///
/// @throws DimensionError if the source has 2^31 rows or more; Interrupted if a stop was requested
std::vector<std::int64_t> count_rows(const RowPattern& source, const BuildOptions& options = {});

/// Bytes of a matrix in CSR, ELL and hybrid form, from the lengths of its rows.
struct StorageSizes {
  std::int64_t nonzeros = 0;
  std::int64_t longest_row = 0;
  std::int64_t csr_bytes = 0;
  std::int64_t ell_bytes = 0;  ///< plain ELL: every row as long as the longest
  std::int64_t hybrid_bytes = 0;
  std::int32_t ell_width = 0;  ///< of the hybrid format
  std::int64_t tail_nonzeros = 0;
};

/// What each stored format would allocate for rows of these lengths.
/// @param lengths    those of count_rows
/// @param ell_width  of the hybrid format; none: choose_ell_width decides
StorageSizes storage_sizes(std::span<const std::int64_t> lengths, std::optional<std::int32_t> ell_width);

}  // namespace cisolve

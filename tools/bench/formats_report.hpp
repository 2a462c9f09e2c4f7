// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve::bench {

struct FormatsOptions {
  std::optional<std::int32_t> ell_width;  ///< of the hybrid formats; none: automatic
  /// Rows of a slice in the paper's Sliced ELL, which it doesn't give: its bytes are quarters of what whole
  /// rows of 32,768 would take, so there were four slices.
  std::int64_t slice_rows = 8192;
  bool allocate = false;  ///< build every format, one after the other, and count what it holds
};

/// Rows, nonzeros, the longest row, nonzeros in the left tenth of the columns (the paper's reference
/// region) and beyond, and the bytes of every format: `bytes` as cisolve allocates them, `paper_bytes` by the
/// formulae of doi:10.3390/computation6030045 (null where it gives none). Two passes over the rows.
nlohmann::json describe_formats(const RowSource& rows, const FormatsOptions& options);

/// The same as a table on stdout.
void print_formats(const nlohmann::json& matrix);

}  // namespace cisolve::bench

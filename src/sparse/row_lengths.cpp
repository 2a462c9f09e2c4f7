// SPDX-License-Identifier: MIT
#include "cisolve/sparse/row_lengths.hpp"

#include <algorithm>

#include "sparse/row_chunks.hpp"

namespace cisolve {

std::vector<std::int64_t> count_rows(const RowPattern& source, const BuildOptions& options) {
  const std::int64_t num_rows = source.num_rows();
  const std::int64_t num_columns = source.num_columns();
  require_indexable(num_rows, num_columns);
  std::vector<std::int64_t> lengths(num_rows);
  for_each_chunk(num_rows, options, [&](RowRange range) {
    const auto part = std::span(lengths).subspan(range.first, range.size());
    source.count(range, part);
    for (const std::int64_t length : part) {
      if (length < 0 || length > num_columns) throw DimensionError("row source: impossible row length");
    }
  });
  return lengths;
}

StorageSizes storage_sizes(std::span<const std::int64_t> lengths, std::optional<std::int32_t> ell_width) {
  StorageSizes sizes;
  const auto rows = static_cast<std::int64_t>(lengths.size());
  for (const std::int64_t length : lengths) {
    sizes.nonzeros += length;
    sizes.longest_row = std::max(sizes.longest_row, length);
  }
  const std::int32_t width = ell_width ? *ell_width : choose_ell_width(lengths);
  if (width < 0) throw DimensionError("a hybrid matrix needs ell_width >= 0");
  sizes.ell_width = static_cast<std::int32_t>(std::min<std::int64_t>(width, sizes.longest_row));
  for (const std::int64_t length : lengths) {
    sizes.tail_nonzeros += std::max<std::int64_t>(length - sizes.ell_width, 0);
  }
  sizes.csr_bytes = 12 * sizes.nonzeros + 8 * (rows + 1);
  sizes.ell_bytes = 12 * rows * sizes.longest_row;
  sizes.hybrid_bytes =
      12 * rows * ell_stride_of(sizes.ell_width) + 12 * sizes.tail_nonzeros + 4 * rows + 8 * (rows + 1);
  return sizes;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "sparse/row_chunks.hpp"

#include <limits>
#include <string>

namespace cisolve {

BuildOptions options_of_pass(const BuildOptions& options, double from, double to) {
  BuildOptions result = options;
  if (options.progress) {
    result.progress = [&progress = options.progress, from, to](double fraction) {
      progress(from + (to - from) * fraction);
    };
  }
  return result;
}

void require_indexable(std::int64_t num_rows, std::int64_t num_columns) {
  const auto require = [](std::int64_t count, const char* what) {
    if (count < 0 || count > std::numeric_limits<ColumnIndex>::max())
      throw DimensionError(std::string("a stored matrix has fewer than 2^31 ") + what + ", not " +
                           std::to_string(count));
  };
  require(num_rows, "rows");
  require(num_columns, "columns");
}

std::int64_t checked_rows(const RowPattern& source, std::span<const std::int64_t> lengths,
                          const char* builder) {
  require_indexable(source.num_rows(), source.num_columns());
  if (std::ssize(lengths) == source.num_rows()) return source.num_rows();
  throw DimensionError(std::string(builder) + ": one length per row is needed");
}

}  // namespace cisolve

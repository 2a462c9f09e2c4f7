// SPDX-License-Identifier: MIT
#include "analysis/row_products.hpp"

#include "core/instruction_set.hpp"

#define CISOLVE_KERNELS "analysis/row_products_of_set.hpp"
#include "core/each_instruction_set.hpp"

namespace cisolve {

void RowProducts::resize(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t of_cache_line = 8;
  rows_ = rows;
  stride_ = (columns + of_cache_line - 1) / of_cache_line * of_cache_line;
  // Blocks at the end take in rows that are not there.
  const auto size = static_cast<std::size_t>((rows + std::max(bras, kets)) * stride_);
  if (size > values_.size()) values_ = Array<double>(size);
  std::fill_n(values_.data(), size, 0.0);
}

RowProducts::Multiply RowProducts::multiply_of_this_processor() {
  return of_this_processor<Multiply>(&baseline::multiply_rows<bras, kets>, &avx2::multiply_rows<bras, kets>,
                                     &avx512::multiply_rows<bras, kets>);
}

}  // namespace cisolve

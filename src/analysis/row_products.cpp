// SPDX-License-Identifier: MIT
#include "analysis/row_products.hpp"

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

void RowProducts::multiply(std::int64_t i, std::int64_t j, Block& products) const {
  using Vector __attribute__((vector_size(lanes * sizeof(double)), may_alias)) = double;
  Vector sums[bras][kets] = {};
  const double* bra = values_.data() + i * stride_;
  const double* ket = values_.data() + j * stride_;
  for (std::int64_t k = 0; k < stride_; k += lanes) {
    Vector of_ket[kets];
#pragma GCC unroll 4
    for (std::int64_t b = 0; b < kets; ++b)
      of_ket[b] = *reinterpret_cast<const Vector*>(ket + b * stride_ + k);
#pragma GCC unroll 4
    for (std::int64_t a = 0; a < bras; ++a) {
      const Vector of_bra = *reinterpret_cast<const Vector*>(bra + a * stride_ + k);
#pragma GCC unroll 4
      for (std::int64_t b = 0; b < kets; ++b) sums[a][b] += of_bra * of_ket[b];
    }
  }
#pragma GCC unroll 4
  for (std::int64_t a = 0; a < bras; ++a) {
#pragma GCC unroll 4
    for (std::int64_t b = 0; b < kets; ++b) {
      double sum = 0.0;
      for (std::int64_t lane = 0; lane < lanes; ++lane) sum += sums[a][b][lane];
      products[a][b] = sum;
    }
  }
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "lapw/rank_updates.hpp"

#include <algorithm>

#include "cisolve/core/parallel.hpp"
#include "lapw/blas.hpp"
#include "lapw/generation.hpp"

namespace cisolve::lapw {
namespace {

void grow(Array<double>& array, std::int64_t size) {
  if (std::ssize(array) >= size) return;
  array = {};  // free first
  array = Array<double>(static_cast<std::size_t>(size));
}

std::int64_t rows_of(std::span<const RankUpdates::Term> terms) {
  std::int64_t rows = 0;
  for (const RankUpdates::Term& term : terms) rows += term.k;
  return rows;
}

}  // namespace

std::int64_t RankUpdates::bytes(std::int64_t n, std::int64_t k) {
  return n * (3 * padded_rows(k) + 2 * n) * static_cast<std::int64_t>(sizeof(double));
}

void RankUpdates::add(std::span<const Term> terms, Complex* c) {
  if (!in_three_) {
    for (const Term& term : terms) blas::herk(n_, term.k, term.alpha, term.x, term.ld, 1.0, c, n_);
    return;
  }
  const std::int64_t rows = rows_of(terms);
  if (rows == 0) return;
  separate(terms);
  blas::gemm(n_, n_, rows, sums_.data(), ld_, differences_.data(), ld_, w_.data(), n_);
  double beta = 0.0;
  std::int64_t row = 0;
  for (const Term& term : terms) {
    blas::syrk(n_, term.k, 2.0 * term.alpha, imaginary_.data() + row, ld_, beta, squares_.data(), n_);
    beta = 1.0;
    row += term.k;
  }
  combine(c);
}

void RankUpdates::separate(std::span<const Term> terms) {
  ld_ = padded_rows(rows_of(terms));
  for (Array<double>* array : {&sums_, &differences_, &imaginary_}) grow(*array, ld_ * n_);
  for (Array<double>* array : {&w_, &squares_}) grow(*array, n_ * n_);
  parallel_for(n_, 16, [&](std::int64_t column) {
    double* sum = sums_.data() + column * ld_;
    double* difference = differences_.data() + column * ld_;
    double* imaginary = imaginary_.data() + column * ld_;
    for (const Term& term : terms) {
      const Complex* x = term.x + column * term.ld;
      for (std::int64_t row = 0; row < term.k; ++row) {
        const double re = x[row].real(), im = x[row].imag();
        sum[row] = re + im;
        difference[row] = term.alpha * (re - im);
        imaginary[row] = im;
      }
      sum += term.k;
      difference += term.k;
      imaginary += term.k;
    }
  });
}

void RankUpdates::combine(Complex* c) const {
  constexpr std::int64_t tile = 32;  // of W and of its transpose both lie in the first cache
  parallel_for((n_ + tile - 1) / tile, 1, [&](std::int64_t part) {
    const std::int64_t first = part * tile, last = std::min(n_, first + tile);
    for (std::int64_t top = first; top < n_; top += tile) {
      for (std::int64_t j = first; j < last; ++j) {
        for (std::int64_t i = std::max(j, top); i < std::min(n_, top + tile); ++i) {
          const std::int64_t at = j * n_ + i;
          const double w = w_.data()[at], transposed = w_.data()[i * n_ + j];
          c[at] += Complex(0.5 * (w + transposed) + squares_.data()[at], 0.5 * (transposed - w));
        }
      }
    }
  });
}

}  // namespace cisolve::lapw

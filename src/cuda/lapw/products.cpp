// SPDX-License-Identifier: MIT
#include "cuda/lapw/products.hpp"

#include <algorithm>

namespace cisolve::cuda::lapw {
namespace {

cublasOperation_t to_cublas(Products::Op op) { return op == Products::Op::none ? CUBLAS_OP_N : CUBLAS_OP_C; }
constexpr cuDoubleComplex one = {1.0, 0.0};

}  // namespace

void Products::gemm(Op op, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
                    const cuDoubleComplex* a, std::int64_t lda, const cuDoubleComplex* b, std::int64_t ldb,
                    double beta, cuDoubleComplex* c, std::int64_t ldc) const {
  if (m == 0 || n == 0) return;
  const cuDoubleComplex ca = {alpha, 0.0}, cb = {beta, 0.0};
  check(cublasZgemm_64(handle(), to_cublas(op), CUBLAS_OP_N, m, n, k, &ca, a, lda, b, ldb, &cb, c, ldc));
}

void Products::gemm_batch(std::int64_t m, std::int64_t n, std::int64_t k, const cuDoubleComplex* a,
                          std::int64_t lda, const cuDoubleComplex* b, std::int64_t ldb, std::int64_t step_b,
                          double beta, cuDoubleComplex* c, std::int64_t ldc, std::int64_t step_c,
                          int count) const {
  if (m == 0 || n == 0 || count == 0) return;
  const cuDoubleComplex cb = {beta, 0.0};
  check(cublasZgemmStridedBatched_64(handle(), CUBLAS_OP_C, CUBLAS_OP_N, m, n, k, &one, a, lda, 0, b, ldb,
                                     step_b, &cb, c, ldc, step_c, count));
}

void Products::herk(std::int64_t n, std::int64_t columns, std::int64_t k, double alpha,
                    const cuDoubleComplex* x, std::int64_t ldx, cuDoubleComplex* c, std::int64_t ldc,
                    bool three_multiplications) const {
  if (columns == 0 || k == 0) return;
  const double beta = 1.0;
  if (!three_multiplications) {
    check(cublasZherk_64(handle(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, columns, k, &alpha, x, ldx, &beta, c,
                         ldc));
    gemm(Op::adjoint, n - columns, columns, k, alpha, x + columns * ldx, ldx, x, ldx, 1.0, c + columns, ldc);
    return;
  }
  constexpr std::int64_t width = 512;  // of a diagonal block and of the columns below it
  const cuDoubleComplex ca = {alpha, 0.0};
  for (std::int64_t first = 0; first < columns; first += width) {
    const std::int64_t own_columns = std::min(width, columns - first), below = n - first - own_columns;
    const cuDoubleComplex* own = x + first * ldx;
    cuDoubleComplex* corner = c + first * ldc + first;
    check(cublasZherk_64(handle(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, own_columns, k, &alpha, own, ldx,
                         &beta, corner, ldc));
    if (below > 0)
      check(cublasZgemm3m_64(handle(), CUBLAS_OP_C, CUBLAS_OP_N, below, own_columns, k, &ca,
                             own + own_columns * ldx, ldx, own, ldx, &one, corner + own_columns, ldc));
  }
}

void Products::her2k(std::int64_t n, std::int64_t columns, std::int64_t k, const cuDoubleComplex* x,
                     std::int64_t ldx, const cuDoubleComplex* y, std::int64_t ldy, cuDoubleComplex* c,
                     std::int64_t ldc) const {
  if (columns == 0 || k == 0) return;
  const double beta = 1.0;
  check(cublasZher2k_64(handle(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, columns, k, &one, x, ldx, y, ldy,
                        &beta, c, ldc));
  const std::int64_t below = n - columns;
  gemm(Op::adjoint, below, columns, k, 1.0, x + columns * ldx, ldx, y, ldy, 1.0, c + columns, ldc);
  gemm(Op::adjoint, below, columns, k, 1.0, y + columns * ldy, ldy, x, ldx, 1.0, c + columns, ldc);
}

void Products::hemm(std::int64_t n, std::int64_t columns, const cuDoubleComplex* a, const cuDoubleComplex* x,
                    cuDoubleComplex* y) const {
  const cuDoubleComplex zero = {0.0, 0.0};
  check(cublasZhemm_64(handle(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, columns, &one, a, n, x, n,
                       &zero, y, n));
}

void Products::trsm(Op op, std::int64_t n, std::int64_t columns, const cuDoubleComplex* l,
                    cuDoubleComplex* b) const {
  if (columns == 1) {
    check(
        cublasZtrsv_64(handle(), CUBLAS_FILL_MODE_LOWER, to_cublas(op), CUBLAS_DIAG_NON_UNIT, n, l, n, b, 1));
    return;
  }
  check(cublasZtrsm_64(handle(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, to_cublas(op),
                       CUBLAS_DIAG_NON_UNIT, n, columns, &one, l, n, b, n));
}

void Products::trsm_right(std::int64_t n, const cuDoubleComplex* l, cuDoubleComplex* b) const {
  check(cublasZtrsm_64(handle(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                       n, n, &one, l, n, b, n));
}

}  // namespace cisolve::cuda::lapw

// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "cisolve/lapw/lattice.hpp"

// What lapw asks of BLAS and LAPACK, for column-major complex matrices on the host. Orders are below 2^31.
namespace cisolve::lapw::blas {

enum class Op : char { none = 'N', adjoint = 'C' };

/// C = alpha op(A) op(B) + beta C, with op(A) m x k, op(B) k x n.
void gemm(Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k, Complex alpha, const Complex* a,
          std::int64_t lda, const Complex* b, std::int64_t ldb, Complex beta, Complex* c, std::int64_t ldc);

/// Lower triangle of C = alpha X^H X + beta C, with X k x n.
void herk(std::int64_t n, std::int64_t k, double alpha, const Complex* x, std::int64_t ldx, double beta,
          Complex* c, std::int64_t ldc);

/// C = A^T B of real numbers, with A k x m, B k x n.
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc);

/// Lower triangle of C = alpha X^T X + beta C of real numbers, with X k x n.
void syrk(std::int64_t n, std::int64_t k, double alpha, const double* x, std::int64_t ldx, double beta,
          double* c, std::int64_t ldc);

/// Lower triangle of C = X^H Y + Y^H X + beta C, with X and Y k x n.
void her2k(std::int64_t n, std::int64_t k, const Complex* x, std::int64_t ldx, const Complex* y,
           std::int64_t ldy, double beta, Complex* c, std::int64_t ldc);

/// C = alpha A B + beta C with A Hermitian m x m, its lower triangle read, and B m x n.
void hemm(std::int64_t m, std::int64_t n, Complex alpha, const Complex* a, std::int64_t lda, const Complex* b,
          std::int64_t ldb, Complex beta, Complex* c, std::int64_t ldc);

/// B = L^H B with L m x m lower triangular and B m x n.
void trmm_adjoint(std::int64_t m, std::int64_t n, const Complex* l, std::int64_t ldl, Complex* b,
                  std::int64_t ldb);

/// B = L^-1 B, or L^-H B, with L m x m lower triangular and B m x n.
void trsm(Op op, std::int64_t m, std::int64_t n, const Complex* l, std::int64_t ldl, Complex* b,
          std::int64_t ldb);

/// Cholesky factor in the lower triangle. False: not positive definite; the triangle is then spoilt.
bool potrf(std::int64_t n, Complex* a, std::int64_t lda);

/// Lower triangle of A = L^-1 A L^-H.
void hegst(std::int64_t n, Complex* a, std::int64_t lda, const Complex* l, std::int64_t ldl);

/// Lowest `count` eigenpairs of a Hermitian matrix whose lower triangle is given and spoilt; all of them by divide and conquer.
/// @param values   count of them, ascending
/// @param vectors  n x count; null: none
/// @throws Error  LAPACK did not converge
void heev(std::int64_t n, Complex* a, std::int64_t lda, std::int64_t count, double* values, Complex* vectors,
          std::int64_t ldv);

/// "OpenBLAS 0.3.21, SkylakeX kernels", or "BLAS" of what doesn't say its name.
std::string name();

/// Why the BLAS is slower than this processor allows, its kernels or its threads, and what to do; empty: it isn't.
std::string warning();

/// Flop/s of a ZGEMM of n x n matrices, the best of some repetitions that take about `seconds` together.
double gemm_rate(std::int64_t n, double seconds);

/// 8 m n k and so on: useful flops.
constexpr double gemm_flops(double m, double n, double k) { return 8.0 * m * n * k; }
constexpr double herk_flops(double n, double k) { return 4.0 * n * n * k; }

}  // namespace cisolve::lapw::blas

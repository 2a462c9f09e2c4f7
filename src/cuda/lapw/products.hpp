// SPDX-License-Identifier: MIT
#pragma once

#include <cuComplex.h>

#include <complex>
#include <cstdint>

#include "cuda/core/cublas_handle.hpp"

namespace cisolve::cuda::lapw {

inline cuDoubleComplex* to_cuda(std::complex<double>* x) { return reinterpret_cast<cuDoubleComplex*>(x); }
inline const cuDoubleComplex* to_cuda(const std::complex<double>* x) {
  return reinterpret_cast<const cuDoubleComplex*>(x);
}

/// Products of complex matrices on one stream, as lapw::blas has them on the host. Column-major.
class Products {
public:
  explicit Products(const Stream& stream) : cublas_(stream) {}
  cublasHandle_t handle() const noexcept { return cublas_.get(); }

  enum class Op { none, adjoint };

  /// C = alpha op(A) B + beta C, with op(A) m x k, B k x n.
  void gemm(Op op, std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const cuDoubleComplex* a,
            std::int64_t lda, const cuDoubleComplex* b, std::int64_t ldb, double beta, cuDoubleComplex* c,
            std::int64_t ldc) const;

  /// C_i = A^H B_i + beta C_i of the same A for all i, whose B and C stand so many elements apart.
  void gemm_batch(std::int64_t m, std::int64_t n, std::int64_t k, const cuDoubleComplex* a, std::int64_t lda,
                  const cuDoubleComplex* b, std::int64_t ldb, std::int64_t step_b, double beta,
                  cuDoubleComplex* c, std::int64_t ldc, std::int64_t step_c, int count) const;

  /// First columns of the lower triangle of C += alpha X^H X, with X k x n.
  /// @param three_multiplications  off the diagonal by ZGEMM3M, which is faster and errs a little more
  void herk(std::int64_t n, std::int64_t columns, std::int64_t k, double alpha, const cuDoubleComplex* x,
            std::int64_t ldx, cuDoubleComplex* c, std::int64_t ldc, bool three_multiplications) const;

  /// First columns of the lower triangle of C += X^H Y + Y^H X.
  void her2k(std::int64_t n, std::int64_t columns, std::int64_t k, const cuDoubleComplex* x, std::int64_t ldx,
             const cuDoubleComplex* y, std::int64_t ldy, cuDoubleComplex* c, std::int64_t ldc) const;

  /// Y = A X with A Hermitian n x n, its lower triangle read.
  void hemm(std::int64_t n, std::int64_t columns, const cuDoubleComplex* a, const cuDoubleComplex* x,
            cuDoubleComplex* y) const;

  /// B = op(L)^-1 B, with L n x n lower triangular.
  void trsm(Op op, std::int64_t n, std::int64_t columns, const cuDoubleComplex* l, cuDoubleComplex* b) const;

  /// B = B L^-H, both n x n.
  void trsm_right(std::int64_t n, const cuDoubleComplex* l, cuDoubleComplex* b) const;

private:
  CublasHandle cublas_;
};

}  // namespace cisolve::cuda::lapw

// SPDX-License-Identifier: MIT
#pragma once

#include <cuComplex.h>
#include <cusolverDn.h>

#include <cstdint>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda::lapw {

/// Dense factorisations and eigenproblems of complex Hermitian matrices by cuSOLVER, whose lower triangles are read. One
/// stream; workspaces come and go with each call.
class Cusolver {
public:
  explicit Cusolver(const Stream& stream);

  /// Cholesky factor in the lower triangle. False: not positive definite.
  bool potrf(std::int64_t n, cuDoubleComplex* a) const;

  /// The lower triangle of the inverse, in place of the Cholesky factor.
  void potri(std::int64_t n, cuDoubleComplex* a) const;

  /// Lowest `count` eigenpairs, ascending; the vectors take the place of the first columns of the matrix.
  /// @param values  on the device, n of them
  /// @throws CudaError if the iteration does not converge
  void heev(std::int64_t n, std::int64_t count, cuDoubleComplex* a, double* values) const;

private:
  const Stream& stream_;
  Owned<cusolverDnHandle_t, cusolverDnDestroy> handle_;
};

}  // namespace cisolve::cuda::lapw

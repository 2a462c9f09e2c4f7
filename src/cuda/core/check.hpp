// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>

#include "cisolve/core/error.hpp"

namespace cisolve::cuda {

/// A call of the CUDA runtime or of one of its libraries, or a kernel launch, failed.
class CudaError : public SystemError {
public:
  using SystemError::SystemError;
};

namespace detail {
[[noreturn]] void throw_error(cudaError_t status, const std::source_location& where);
[[noreturn]] void throw_error(cublasStatus_t status, const std::source_location& where);
}  // namespace detail

/// Returns if `status` says success.
/// @throws ResourceError if device or pinned memory ran out, CudaError otherwise; both name the call site
inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
  if (status != cudaSuccess) detail::throw_error(status, where);
}

inline void check(cublasStatus_t status, std::source_location where = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) detail::throw_error(status, where);
}

}  // namespace cisolve::cuda

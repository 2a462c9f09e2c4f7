// SPDX-License-Identifier: MIT
#include "cuda/core/check.hpp"

#include <string>

namespace cisolve::cuda::detail {
namespace {

std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": ";
}

}  // namespace

void throw_error(cudaError_t status, const std::source_location& where) {
  // An error that is not sticky must not be reported again by the next launch check.
  cudaGetLastError();
  const std::string text = place(where) + cudaGetErrorName(status) + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw ResourceError(text);
  throw CudaError(text);
}

void throw_error(cublasStatus_t status, const std::source_location& where) {
  const std::string text = place(where) + cublasGetStatusName(status) + ": " + cublasGetStatusString(status);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw ResourceError(text);
  throw CudaError(text);
}

}  // namespace cisolve::cuda::detail

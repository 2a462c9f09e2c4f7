// SPDX-License-Identifier: MIT
#include "cuda/lapw/cusolver.hpp"

#include <algorithm>
#include <cstddef>
#include <source_location>
#include <string>
#include <vector>

namespace cisolve::cuda::lapw {
namespace {

/// As check of other libraries.
void require(cusolverStatus_t status, std::source_location where = std::source_location::current()) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const std::string text = std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": cuSOLVER status " + std::to_string(static_cast<int>(status));
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) throw ResourceError(text);
  throw CudaError(text);
}

int read(const Stream& stream, const DeviceArray<int>& info) {
  int value = 0;
  check(cudaMemcpyAsync(&value, info.data(), sizeof(int), cudaMemcpyDeviceToHost, stream.get()));
  stream.synchronize();
  return value;
}

}  // namespace

Cusolver::Cusolver(const Stream& stream) : stream_(stream) {
  require(cusolverDnCreate(handle_.out()));
  require(cusolverDnSetStream(handle_.get(), stream.get()));
}

bool Cusolver::potrf(std::int64_t n, cuDoubleComplex* a) const {
  std::size_t device_bytes = 0, host_bytes = 0;
  require(cusolverDnXpotrf_bufferSize(handle_.get(), nullptr, CUBLAS_FILL_MODE_LOWER, n, CUDA_C_64F, a, n,
                                      CUDA_C_64F, &device_bytes, &host_bytes));
  DeviceArray<std::byte> device(device_bytes);
  std::vector<std::byte> host(std::max<std::size_t>(host_bytes, 1));
  DeviceArray<int> info(1);
  require(cusolverDnXpotrf(handle_.get(), nullptr, CUBLAS_FILL_MODE_LOWER, n, CUDA_C_64F, a, n, CUDA_C_64F,
                           device.data(), device_bytes, host.data(), host_bytes, info.data()));
  const int result = read(stream_, info);
  if (result < 0) throw CudaError("cuSOLVER refuses an argument of its Cholesky factorisation");
  return result == 0;
}

void Cusolver::potri(std::int64_t n, cuDoubleComplex* a) const {
  const int order = static_cast<int>(n);
  int elements = 0;
  require(cusolverDnZpotri_bufferSize(handle_.get(), CUBLAS_FILL_MODE_LOWER, order, a, order, &elements));
  DeviceArray<cuDoubleComplex> work(static_cast<std::size_t>(elements));
  DeviceArray<int> info(1);
  require(cusolverDnZpotri(handle_.get(), CUBLAS_FILL_MODE_LOWER, order, a, order, work.data(), elements,
                           info.data()));
  if (read(stream_, info) != 0) throw CudaError("cuSOLVER could not invert a positive definite matrix");
}

void Cusolver::heev(std::int64_t n, std::int64_t count, cuDoubleComplex* a, double* values) const {
  std::size_t device_bytes = 0, host_bytes = 0;
  const auto range = count < n ? CUSOLVER_EIG_RANGE_I : CUSOLVER_EIG_RANGE_ALL;
  double low = 0.0, high = 0.0;
  std::int64_t found = 0;
  require(cusolverDnXsyevdx_bufferSize(handle_.get(), nullptr, CUSOLVER_EIG_MODE_VECTOR, range,
                                       CUBLAS_FILL_MODE_LOWER, n, CUDA_C_64F, a, n, &low, &high, 1, count,
                                       &found, CUDA_R_64F, values, CUDA_C_64F, &device_bytes, &host_bytes));
  DeviceArray<std::byte> device(device_bytes);
  std::vector<std::byte> host(std::max<std::size_t>(host_bytes, 1));
  DeviceArray<int> info(1);
  require(cusolverDnXsyevdx(handle_.get(), nullptr, CUSOLVER_EIG_MODE_VECTOR, range, CUBLAS_FILL_MODE_LOWER,
                            n, CUDA_C_64F, a, n, &low, &high, 1, count, &found, CUDA_R_64F, values,
                            CUDA_C_64F, device.data(), device_bytes, host.data(), host_bytes, info.data()));
  const int failed = read(stream_, info);
  if (failed != 0 || found < count)
    throw CudaError("cuSOLVER found " + std::to_string(found) + " of " + std::to_string(count) +
                    " eigenpairs, info = " + std::to_string(failed));
}

}  // namespace cisolve::cuda::lapw

// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <utility>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Owning cuBLAS handle that works on one stream with a workspace of its own, as bitwise repeatable
/// results need (cuBLAS documentation, 2.1.4 "Results Reproducibility"). Move-only; the destructor
/// never throws. The stream must outlive it.
class CublasHandle {
public:
  /// What NVIDIA recommends for Hopper; older devices need less.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  explicit CublasHandle(const Stream& stream) : workspace_(workspace_bytes) {
    check(cublasCreate(&handle_));
    try {
      check(cublasSetStream(handle_, stream.get()));
      // After the stream: setting a stream resets the workspace.
      check(cublasSetWorkspace(handle_, workspace_.data(), workspace_.size()));
    } catch (...) {
      cublasDestroy(handle_);
      throw;
    }
  }
  ~CublasHandle() {
    if (handle_ != nullptr) cublasDestroy(handle_);
  }
  CublasHandle(CublasHandle&& other) noexcept
      : workspace_(std::move(other.workspace_)), handle_(std::exchange(other.handle_, nullptr)) {}
  CublasHandle& operator=(CublasHandle&& other) noexcept {
    std::swap(workspace_, other.workspace_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  cublasHandle_t get() const noexcept { return handle_; }

private:
  DeviceArray<std::byte> workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace cisolve::cuda

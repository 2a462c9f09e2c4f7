// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>

#include <cstddef>

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
    check(cublasCreate(handle_.out()));
    check(cublasSetStream(get(), stream.get()));
    // After the stream: setting a stream resets the workspace.
    check(cublasSetWorkspace(get(), workspace_.data(), workspace_.size()));
  }

  cublasHandle_t get() const noexcept { return handle_.get(); }

private:
  DeviceArray<std::byte> workspace_;
  Owned<cublasHandle_t, cublasDestroy> handle_;  // after workspace_: destroyed before it
};

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <source_location>
#include <type_traits>

#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// How a kernel is run: `Launch{stream, grid, block}(kernel, parameters...)` enqueues it; nothing where the grid is empty,
/// which would be an error.
struct Launch {
  const Stream& stream;
  dim3 grid;   ///< blocks of threads
  dim3 block;  ///< threads
  std::size_t shared_bytes = 0;
  std::source_location where = std::source_location::current();

  /// @throws CudaError if the kernel cannot be launched
  template <class... Parameters>
  void operator()(void (*kernel)(Parameters...),
                  const std::type_identity_t<Parameters>&... parameters) const {
    if (grid.x == 0 || grid.y == 0) return;
    constexpr std::size_t usual_shared_bytes = 47 << 10;  // of 48 KiB; kernels may have some by themselves
    if (shared_bytes > usual_shared_bytes) {
      const auto bytes = static_cast<int>(shared_bytes);
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), where);
    }
    kernel<<<grid, block, shared_bytes, stream.get()>>>(parameters...);
    check(cudaGetLastError(), where);
  }
};

}  // namespace cisolve::cuda

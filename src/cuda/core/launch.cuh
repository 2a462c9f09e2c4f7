// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Enqueues a kernel whose blocks may take more shared memory than those of other kernels.
/// @throws CudaError if it cannot be launched
template <class... Parameters>
void launch_with_shared_memory(const Stream& stream, void (*kernel)(Parameters...), unsigned blocks,
                               int threads, std::size_t bytes,
                               const std::type_identity_t<Parameters>&... parameters) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<blocks, threads, bytes, stream.get()>>>(parameters...);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/core/check.hpp"
#include "cuda/core/owned.hpp"

namespace cisolve::cuda {

/// A vector of double in device memory, read through the texture units as int2 elements. Gathers that
/// scatter over many cache lines pass there at a higher rate than by ordinary loads.
class VectorTexture {
public:
  /// Longest vector that a linear texture may show on every device of compute capability 5.0 and above.
  static constexpr std::int64_t most_elements = std::int64_t{1} << 27;

  VectorTexture() = default;
  /// @param data  must outlive the texture
  /// @throws CudaError if the texture cannot be made
  VectorTexture(const double* data, std::size_t size) : size_(size) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<double*>(data);
    resource.res.linear.desc = {32, 32, 0, 0, cudaChannelFormatKindSigned};
    resource.res.linear.sizeInBytes = size * sizeof(double);
    cudaTextureDesc texture{};
    texture.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(texture_.out(), &resource, &texture, nullptr));
  }

  cudaTextureObject_t get() const noexcept { return texture_.get(); }
  std::size_t size() const noexcept { return size_; }

private:
  Owned<cudaTextureObject_t, cudaDestroyTextureObject> texture_;
  std::size_t size_ = 0;
};

}  // namespace cisolve::cuda

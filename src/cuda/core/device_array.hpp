// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "cuda/core/check.hpp"
#include "cuda/core/owned.hpp"

namespace cisolve::cuda {

/// Owning, fixed-size, uninitialised array in memory of CUDA's. Move-only; the destructor never throws.
template <class T, cudaError_t (*allocate)(void**, std::size_t), cudaError_t (*release)(void*)>
class CudaArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  CudaArray() = default;

  /// @throws ResourceError if there is not that much memory left
  explicit CudaArray(std::size_t size) : size_(size) {
    if (size > 0) check(allocate(reinterpret_cast<void**>(data_.out()), size * sizeof(T)));
  }
  CudaArray(CudaArray&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  CudaArray& operator=(CudaArray&& other) noexcept {
    data_ = std::move(other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

private:
  Owned<T*, release> data_;
  std::size_t size_ = 0;
};

/// In device memory (256-byte aligned).
template <class T>
using DeviceArray = CudaArray<T, cudaMalloc, cudaFree>;

/// In page-locked host memory.
template <class T>
using PinnedArray = CudaArray<T, cudaMallocHost, cudaFreeHost>;

/// `array` with at least `size` elements: kept if large enough, else a fresh one with room to grow.
/// Frees the old one, which waits for the device: a cost of the first iterations only.
template <class OwningArray>
void grow(OwningArray& array, std::size_t size) {
  if (array.size() >= size) return;
  array = OwningArray();  // Free first: both need not fit.
  array = OwningArray(size + size / 4);
}

}  // namespace cisolve::cuda

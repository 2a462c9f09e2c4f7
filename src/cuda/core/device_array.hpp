// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "cuda/core/check.hpp"

namespace cisolve::cuda {

/// Owning, fixed-size, uninitialised array in device memory (256-byte aligned). Move-only; the
/// destructor never throws.
template <class T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  DeviceArray() = default;

  /// @throws ResourceError if the device has not that much memory left
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0) check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  ~DeviceArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Owning, fixed-size, uninitialised array in page-locked host memory. Move-only; the destructor never
/// throws.
template <class T>
class PinnedArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  PinnedArray() = default;

  /// @throws ResourceError if the system refuses the memory
  explicit PinnedArray(std::size_t size) : size_(size) {
    if (size > 0) check(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  ~PinnedArray() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  PinnedArray(PinnedArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// `array` with at least `size` elements: kept if large enough, else a fresh one with room to grow.
/// Frees the old one, which waits for the device: a cost of the first iterations only.
template <class OwningArray>
void grow(OwningArray& array, std::size_t size) {
  if (array.size() >= size) return;
  array = OwningArray();  // Free first: both need not fit.
  array = OwningArray(size + size / 4);
}

}  // namespace cisolve::cuda

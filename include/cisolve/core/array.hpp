// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>

namespace cisolve {

/// Uninitialised memory for `bytes` > 0, aligned to 64 bytes at least; released by std::free. Large
/// pieces are aligned to huge pages and asked for as such: a matrix of gigabytes is first touched two
/// megabytes at a time instead of four kilobytes.
/// @throws std::bad_alloc if the system refuses the memory
void* allocate_array(std::size_t bytes);

/// Owning, fixed-size, uninitialised array, aligned to 64 bytes. Move-only.
///
/// For what a large matrix is made of: std::vector would write every element once before the
/// parallel fill does (twice the page faults, and all pages on one NUMA node).
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  Array() = default;

  /// @throws std::bad_alloc if the system refuses the memory
  explicit Array(std::size_t size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(allocate_array(size * sizeof(T)));
  }
  ~Array() { std::free(data_); }
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  T& operator[](std::size_t at) noexcept { return data_[at]; }
  const T& operator[](std::size_t at) const noexcept { return data_[at]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cisolve

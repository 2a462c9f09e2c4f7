// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

namespace cisolve::cuda {

/// Owns what a CUDA library hands out and `destroy` gives back. Move-only; the destructor never throws.
template <class Handle, auto destroy>
class Owned {
public:
  Owned() = default;
  ~Owned() {
    if (handle_ != Handle{}) destroy(handle_);
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  Handle get() const noexcept { return handle_; }
  /// Where a create function is to write it.
  Handle* out() noexcept { return &handle_; }

private:
  Handle handle_{};
};

}  // namespace cisolve::cuda

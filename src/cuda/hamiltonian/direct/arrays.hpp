// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Each part of a direct product has the arrays that its kernels read in a struct, which is a template of where they are. It
// names each array once as a member and once in `for_each_array`, from which bytes, uploads and kernel parameters follow.
namespace cisolve::cuda::direct {

/// Made by a plan.
template <class T>
using HostArray = std::vector<T>;

/// In host memory that the direct product of the host has.
template <class T>
using HostView = std::span<const T>;

/// What kernels are given: device memory, of which they know the sizes otherwise.
template <class T>
using Pointer = const T*;

/// Bytes of all arrays, wherever they are.
template <class Arrays>
std::int64_t array_bytes(const Arrays& arrays) {
  std::int64_t sum = 0;
  Arrays::for_each_array(
      [&](const auto& array) { sum += static_cast<std::int64_t>(array.size() * sizeof(*array.data())); },
      arrays);
  return sum;
}

/// Kernel parameters.
template <template <template <class> class> class Arrays, template <class> class Array>
Arrays<Pointer> pointers_to(const Arrays<Array>& arrays) {
  Arrays<Pointer> result;
  Arrays<Array>::for_each_array([](const auto& array, auto& pointer) { pointer = array.data(); }, arrays,
                                result);
  return result;
}

}  // namespace cisolve::cuda::direct

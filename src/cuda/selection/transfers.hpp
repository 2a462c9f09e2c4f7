// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Sets all bytes of the first elements of an array, which grows as needed.
template <class T>
void clear(const Stream& stream, DeviceArray<T>& array, std::size_t size, int byte = 0) {
  grow(array, size);
  if (size > 0) check(cudaMemsetAsync(array.data(), byte, size * sizeof(T), stream.get()));
}

/// An array of zeros, of that size and no larger.
template <class T>
DeviceArray<T> zeros(const Stream& stream, std::size_t size) {
  DeviceArray<T> array(size);
  if (size > 0) check(cudaMemsetAsync(array.data(), 0, array.size_bytes(), stream.get()));
  return array;
}

/// The first elements of an array, on the host.
template <class T>
std::vector<T> download(const Stream& stream, const DeviceArray<T>& array, std::size_t size) {
  std::vector<T> host(size);
  if (size > 0) {
    check(cudaMemcpyAsync(host.data(), array.data(), size * sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
  }
  return host;
}

/// A vector to the front of an array, which grows as needed; the vector may go when the stream has got there.
template <class T>
void put(const Stream& stream, const std::vector<T>& host, DeviceArray<T>& array) {
  grow(array, host.size());
  check(cudaMemcpyAsync(array.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice,
                        stream.get()));
}

}  // namespace cisolve::cuda

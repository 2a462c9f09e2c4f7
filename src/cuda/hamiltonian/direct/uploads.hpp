// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <utility>

#include "cuda/core/host_transfer.hpp"
#include "cuda/hamiltonian/direct/arrays.hpp"

namespace cisolve::cuda::direct {

/// Arrays on their way to the device.
class Uploads {
public:
  explicit Uploads(const Stream& stream) : stream_(stream) {}

  const Stream& stream() const noexcept { return stream_; }

  /// All arrays of a part.
  /// @throws CudaError; ResourceError if the device has not that much memory left
  template <template <template <class> class> class Arrays, template <class> class Array>
  Arrays<DeviceArray> operator()(const Arrays<Array>& host) {
    Arrays<DeviceArray> result;
    Arrays<Array>::for_each_array(
        [&](const auto& from, auto& to) { to = (*this)(std::span(std::as_const(from))); }, host, result);
    return result;
  }

  template <class T>
  DeviceArray<T> operator()(std::span<const T> host) {
    DeviceArray<T> device(host.size());
    if (!host.empty()) upload(stream_, transfer_, host, device);
    return device;
  }

private:
  const Stream& stream_;
  HostTransfer transfer_;
};

}  // namespace cisolve::cuda::direct

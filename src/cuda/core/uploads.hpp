// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "cisolve/core/arrays.hpp"
#include "cuda/core/host_transfer.hpp"

namespace cisolve::cuda {

/// Arrays on their way to the device.
class Uploads {
public:
  /// @param spare  elements of zeros behind every array that is not empty
  explicit Uploads(const Stream& stream, std::size_t spare = 0) : stream_(stream), spare_(spare) {}

  const Stream& stream() const noexcept { return stream_; }

  /// A struct of arrays. The device has them once the stream gets there; the host's may be changed at once.
  /// @throws CudaError; ResourceError if the device has not that much memory left
  template <class Host>
  Elsewhere<Host, DeviceArray> operator()(const Host& host) {
    Elsewhere<Host, DeviceArray> result{};
    for_each_member(host, result, [&]<class From, class To>(const From& from, To& to) {
      if constexpr (std::is_arithmetic_v<From>)
        to = from;
      else
        to = (*this)(std::span(from));
    });
    return result;
  }

  template <class T>
  DeviceArray<T> operator()(std::span<const T> host) {
    if (host.empty()) return {};
    DeviceArray<T> device(host.size() + spare_);
    upload(stream_, transfer_, host, device);
    if (spare_ > 0) check(cudaMemsetAsync(device.data() + host.size(), 0, spare_ * sizeof(T), stream_.get()));
    return device;
  }

private:
  const Stream& stream_;
  std::size_t spare_;
  HostTransfer transfer_;
};

}  // namespace cisolve::cuda

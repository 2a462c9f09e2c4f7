// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Copies large arrays between ordinary host memory and the device at the rate of the link: chunks go
/// through two page-locked buffers, one being filled, by all threads where it is large, while the other is on its way.
class HostTransfer {
public:
  static constexpr std::size_t chunk_bytes = std::size_t{8} << 20;

  /// Host data may be changed or freed when it returns; the device has it once the stream gets there.
  /// @throws CudaError, ResourceError
  void upload(const Stream& stream, const void* host, void* device, std::size_t bytes);

  /// Host data is complete when it returns.
  /// @throws CudaError, ResourceError
  void download(const Stream& stream, const void* device, void* host, std::size_t bytes);

  /// Waits until no copy reads or writes the buffers.
  void finish() const;

  ~HostTransfer();
  HostTransfer() = default;
  HostTransfer(HostTransfer&&) noexcept = default;
  HostTransfer& operator=(HostTransfer&&) noexcept = default;

private:
  struct Buffer {
    PinnedArray<std::byte> bytes;
    Event done;
  };
  void reserve(std::size_t bytes);
  std::size_t chunk_size() const;

  std::array<Buffer, 2> buffers_;
};

/// All elements of `host` to the front of `device`.
template <class T>
void upload(const Stream& stream, HostTransfer& transfer, std::span<const T> host,
            DeviceArray<std::type_identity_t<T>>& device) {
  if (device.size() < host.size()) throw DimensionError("upload: the device array is too small");
  transfer.upload(stream, host.data(), device.data(), host.size_bytes());
}

}  // namespace cisolve::cuda

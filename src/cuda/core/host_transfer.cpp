// SPDX-License-Identifier: MIT
#include "cuda/core/host_transfer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cisolve::cuda {
namespace {

/// memcpy by all threads: one core alone is slower than the link. Of what is small, by one: threads take longer to come.
void copy_in_parallel(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{256} << 10, small = std::size_t{4} << 20;
  const auto num_pieces = static_cast<std::int64_t>((bytes + piece - 1) / piece);
#pragma omp parallel for schedule(static) if (bytes > small)
  for (std::int64_t at = 0; at < num_pieces; ++at) {
    const std::size_t first = static_cast<std::size_t>(at) * piece;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                std::min(piece, bytes - first));
  }
}

}  // namespace

HostTransfer::~HostTransfer() {
  // A buffer must not be freed under a copy; errors show up where the stream is next used.
  for (const Buffer& buffer : buffers_) {
    if (buffer.done.get() != nullptr) cudaEventSynchronize(buffer.done.get());
  }
}

void HostTransfer::reserve(std::size_t bytes) {
  const std::size_t needed = std::min(bytes, chunk_bytes);
  for (Buffer& buffer : buffers_) {
    if (buffer.bytes.size() >= needed) continue;
    buffer.done.synchronize();
    grow(buffer.bytes, needed);
  }
}

std::size_t HostTransfer::chunk_size() const {
  return std::min(buffers_[0].bytes.size(), buffers_[1].bytes.size());
}

void HostTransfer::upload(const Stream& stream, const void* host, void* device, std::size_t bytes) {
  reserve(bytes);
  const std::size_t chunk = chunk_size();
  for (std::size_t first = 0, turn = 0; first < bytes; first += chunk, ++turn) {
    Buffer& buffer = buffers_[turn % 2];
    const std::size_t size = std::min(chunk, bytes - first);
    buffer.done.synchronize();
    copy_in_parallel(buffer.bytes.data(), static_cast<const std::byte*>(host) + first, size);
    check(cudaMemcpyAsync(static_cast<std::byte*>(device) + first, buffer.bytes.data(), size,
                          cudaMemcpyHostToDevice, stream.get()));
    buffer.done.record(stream);
  }
}

void HostTransfer::download(const Stream& stream, const void* device, void* host, std::size_t bytes) {
  if (bytes == 0) return;
  reserve(bytes);
  finish();
  const std::size_t chunk = chunk_size();
  const std::size_t num_chunks = (bytes + chunk - 1) / chunk;
  const auto size_of = [&](std::size_t at) { return std::min(chunk, bytes - at * chunk); };
  const auto fetch = [&](std::size_t at) {
    Buffer& buffer = buffers_[at % 2];
    check(cudaMemcpyAsync(buffer.bytes.data(), static_cast<const std::byte*>(device) + at * chunk,
                          size_of(at), cudaMemcpyDeviceToHost, stream.get()));
    buffer.done.record(stream);
  };
  fetch(0);
  for (std::size_t at = 0; at < num_chunks; ++at) {
    if (at + 1 < num_chunks) fetch(at + 1);
    Buffer& buffer = buffers_[at % 2];
    buffer.done.synchronize();
    copy_in_parallel(static_cast<std::byte*>(host) + at * chunk, buffer.bytes.data(), size_of(at));
  }
}

void HostTransfer::finish() const {
  for (const Buffer& buffer : buffers_) buffer.done.synchronize();
}

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "cuda/core/check.hpp"

namespace cisolve::cuda {

/// Owning CUDA stream of the current device. Move-only; the destructor never throws.
class Stream {
public:
  /// @throws CudaError if there is no device
  Stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  ~Stream() {
    if (handle_ != nullptr) cudaStreamDestroy(handle_);
  }
  Stream(Stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  cudaStream_t get() const noexcept { return handle_; }

  /// Waits for everything enqueued.
  /// @throws CudaError if any of it failed
  void synchronize() const { check(cudaStreamSynchronize(handle_)); }

private:
  cudaStream_t handle_ = nullptr;
};

/// Owning CUDA event. Move-only; the destructor never throws.
class Event {
public:
  enum class Kind { timing, ordering };

  explicit Event(Kind kind = Kind::ordering) {
    check(
        cudaEventCreateWithFlags(&handle_, kind == Kind::timing ? cudaEventDefault : cudaEventDisableTiming));
  }
  ~Event() {
    if (handle_ != nullptr) cudaEventDestroy(handle_);
  }
  Event(Event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  cudaEvent_t get() const noexcept { return handle_; }
  void record(const Stream& stream) const { check(cudaEventRecord(handle_, stream.get())); }

  /// Waits until the stream has passed the last record; at once if there was none.
  void synchronize() const { check(cudaEventSynchronize(handle_)); }

private:
  cudaEvent_t handle_ = nullptr;
};

/// Whatever is enqueued on `stream` from here on waits for the event's last record.
inline void wait(const Stream& stream, const Event& event) {
  check(cudaStreamWaitEvent(stream.get(), event.get()));
}

/// Milliseconds between two recorded events of kind timing; waits for the second.
inline double milliseconds(const Event& first, const Event& second) {
  second.synchronize();
  float elapsed = 0.0F;
  check(cudaEventElapsedTime(&elapsed, first.get(), second.get()));
  return static_cast<double>(elapsed);
}

}  // namespace cisolve::cuda

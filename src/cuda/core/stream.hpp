// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/check.hpp"
#include "cuda/core/owned.hpp"

namespace cisolve::cuda {

/// Owning CUDA stream of the current device. Move-only; the destructor never throws.
class Stream {
public:
  /// What waits for a multiprocessor on a stream of high priority is served before all others.
  enum class Priority { normal, high };

  /// @throws CudaError if there is no device
  explicit Stream(Priority priority = Priority::normal) {
    int least = 0, greatest = 0;
    if (priority == Priority::high) check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    check(cudaStreamCreateWithPriority(handle_.out(), cudaStreamNonBlocking, greatest));
  }

  cudaStream_t get() const noexcept { return handle_.get(); }

  /// Waits for everything enqueued.
  /// @throws CudaError if any of it failed
  void synchronize() const { check(cudaStreamSynchronize(get())); }

private:
  Owned<cudaStream_t, cudaStreamDestroy> handle_;
};

/// Owning CUDA event. Move-only; the destructor never throws.
class Event {
public:
  enum class Kind { timing, ordering };

  explicit Event(Kind kind = Kind::ordering) {
    check(cudaEventCreateWithFlags(handle_.out(),
                                   kind == Kind::timing ? cudaEventDefault : cudaEventDisableTiming));
  }

  cudaEvent_t get() const noexcept { return handle_.get(); }
  void record(const Stream& stream) const { check(cudaEventRecord(get(), stream.get())); }

  /// Waits until the stream has passed the last record; at once if there was none.
  void synchronize() const { check(cudaEventSynchronize(get())); }

private:
  Owned<cudaEvent_t, cudaEventDestroy> handle_;
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

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

namespace cisolve {

/// body(i) for 0 <= i < count, the threads taking `chunk` values at a time. The first exception ends the
/// loop and is thrown again on the calling thread: one that left an OpenMP region would end the program.
template <class Body>
void parallel_for(std::int64_t count, int chunk, const Body& body) {
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp parallel for schedule(dynamic, chunk)
  for (std::int64_t i = 0; i < count; ++i) {
    if (ended.load(std::memory_order_relaxed)) continue;
    try {
      body(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      ended.store(true, std::memory_order_relaxed);
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cisolve

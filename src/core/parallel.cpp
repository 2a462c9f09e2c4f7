// SPDX-License-Identifier: MIT
#include "cisolve/core/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>

namespace cisolve {

void parallel_for(std::int64_t count, int chunk, const std::function<void(std::int64_t)>& body) {
  std::atomic<bool> ended{false};
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp parallel for schedule(dynamic, chunk) if (count > chunk)
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

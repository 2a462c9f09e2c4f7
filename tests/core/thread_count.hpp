// SPDX-License-Identifier: MIT
#pragma once

#include <omp.h>

namespace cisolve::test {

/// So many OpenMP threads while it lives.
class ThreadCount {
public:
  explicit ThreadCount(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

private:
  int before_;
};

}  // namespace cisolve::test

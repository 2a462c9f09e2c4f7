// SPDX-License-Identifier: MIT
#include "cisolve/core/thread_scope.hpp"

#include <omp.h>

#include "core/work_memory.hpp"

namespace cisolve {

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
  const int taken = threads > 0 ? threads : before_;
  take_work_memory(taken);
  omp_set_num_threads(taken);
}

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/core/thread_scope.hpp"

#include <omp.h>

namespace cisolve {

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
  if (threads > 0) omp_set_num_threads(threads);
}

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace cisolve

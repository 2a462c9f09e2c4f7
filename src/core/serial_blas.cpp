// SPDX-License-Identifier: MIT
#include "core/serial_blas.hpp"

#include <mutex>

// Of OpenBLAS; absent in others.
extern "C" {
__attribute__((weak)) int openblas_get_parallel();
__attribute__((weak)) int openblas_get_num_threads();
__attribute__((weak)) void openblas_set_num_threads(int);
}

namespace cisolve {
namespace {

std::mutex scopes_guard;
int open_scopes = 0;
int threads_before = 1;

}  // namespace

bool blas_has_own_threads() {
  constexpr int pthreads = 1;
  return openblas_get_parallel != nullptr && openblas_get_num_threads != nullptr &&
         openblas_set_num_threads != nullptr && openblas_get_parallel() == pthreads;
}

SerialBlas::SerialBlas() {
  if (!blas_has_own_threads()) return;
  const std::lock_guard lock(scopes_guard);
  if (open_scopes++ > 0) return;
  threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SerialBlas::~SerialBlas() {
  if (!blas_has_own_threads()) return;
  const std::lock_guard lock(scopes_guard);
  if (--open_scopes == 0) openblas_set_num_threads(threads_before);
}

}  // namespace cisolve

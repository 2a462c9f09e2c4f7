// SPDX-License-Identifier: MIT
// OpenBLAS takes work memory for every thread as it is loaded, before main, and asks for ever where the system refuses it.
// Whether there is room is therefore asked before the constructors of libraries run.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/work_memory.hpp"

// The address sanitizer reserves terabytes and works only without a limit.
#ifndef CISOLVE_SANITIZE

/// There where the BLAS is OpenBLAS.
extern "C" __attribute__((weak)) char* openblas_get_config();

namespace cisolve::app {
namespace {

constexpr int does_not_fit = 3;

/// As many threads as OpenBLAS will count: no more than cores, whatever is asked for.
int blas_threads(char** environment) {
  cpu_set_t cores;
  const int available = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  using namespace std::string_view_literals;
  for (const auto name : {"OPENBLAS_NUM_THREADS="sv, "GOTO_NUM_THREADS="sv, "OMP_NUM_THREADS="sv}) {
    for (char** variable = environment; *variable != nullptr; ++variable) {
      if (!std::string_view(*variable).starts_with(name)) continue;
      const int asked = std::atoi(*variable + name.size());
      if (asked > 0) return std::min(asked, available);
    }
  }
  return available;
}

void check_address_space(int /*argc*/, char** /*argv*/, char** environment) {
  rlimit limit = {};
  if (openblas_get_config == nullptr || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return;
  const int threads = blas_threads(environment);
  if (has_address_space(static_cast<std::size_t>(threads) * blas_work_memory)) return;
  std::array<char, 400> text;
  const int length =
      std::snprintf(text.data(), text.size(),
                    "cisolve: error: the address space is limited to %zu MiB (ulimit -v), which has no room "
                    "for the %zu MiB that OpenBLAS takes for each thread, %d here; raise the limit or lower "
                    "OMP_NUM_THREADS\n",
                    static_cast<std::size_t>(limit.rlim_cur >> 20), blas_work_memory >> 20, threads);
  static_cast<void>(write(STDERR_FILENO, text.data(), static_cast<std::size_t>(std::max(length, 0))) == 0);
  _exit(does_not_fit);
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**,
                                                                                char**) = check_address_space;

}  // namespace
}  // namespace cisolve::app

#endif

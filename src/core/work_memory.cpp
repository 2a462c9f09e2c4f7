// SPDX-License-Identifier: MIT
#include "core/work_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <Eigen/Core>
#include <atomic>
#include <fstream>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

bool is_limited(int resource) {
  rlimit limit = {};
  return getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool may_be_refused() {
  if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return true;
  constexpr int strict = 2;
  int overcommit = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit;
  return overcommit == strict;
}

}  // namespace

bool has_address_space(std::size_t bytes) noexcept {
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

void take_work_memory(int threads) {
  // OpenBLAS keeps for the process what it took.
  static std::atomic<int> taken = 0;
  if (threads <= taken || !may_be_refused()) return;
  // What OpenBLAS took when it was loaded is for its own threads; ours take as much when they call it. Each has a stack, and
  // an arena of malloc, which maps twice its size to align it.
  constexpr std::size_t stack = std::size_t{16} << 20, arena = std::size_t{128} << 20;
  const std::size_t bytes = static_cast<std::size_t>(threads) * (blas_work_memory + stack + arena);
  if (!has_address_space(bytes)) {
    throw ResourceError(
        fmt::format("the system has no room for {} MiB of address space, work memory of {} thread{}; raise "
                    "the limit (ulimit -v) or lower "
                    "run.threads",
                    bytes >> 20, threads, threads == 1 ? "" : "s"));
  }
  // Larger than what OpenBLAS multiplies without work memory.
  constexpr Eigen::Index size = 160;
  const Eigen::MatrixXd factor = Eigen::MatrixXd::Ones(size, size);
  Eigen::MatrixXd product = factor * factor;
#pragma omp parallel num_threads(threads)
  {
    const Eigen::MatrixXd own = factor * factor;
#pragma omp critical
    product += own;
  }
  taken = threads;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "cisolve/core/array.hpp"

#include <sys/mman.h>

#include <new>

namespace cisolve {

void* allocate_array(std::size_t bytes) {
  constexpr std::size_t cache_line = 64;
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const bool large = bytes >= 4 * huge_page;
  const std::size_t alignment = large ? huge_page : cache_line;
  void* data = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (data == nullptr) throw std::bad_alloc();
  // Advice only: where huge pages are switched off, small ones serve.
  if (large) static_cast<void>(madvise(data, bytes, MADV_HUGEPAGE));
  return data;
}

}  // namespace cisolve

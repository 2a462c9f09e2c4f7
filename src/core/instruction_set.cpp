// SPDX-License-Identifier: MIT
#include "core/instruction_set.hpp"

#include <algorithm>
#include <atomic>

namespace cisolve {
namespace {

InstructionSet find_best() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  if (has_avx512) return InstructionSet::avx512;
  if (has_avx2) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

std::atomic<InstructionSet> limit = InstructionSet::avx512;

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet best = find_best();
  return std::min(best, limit.load());
}

void limit_instruction_set(InstructionSet most) { limit = most; }

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return "baseline";
    case InstructionSet::avx2:
      return "AVX2";
    case InstructionSet::avx512:
      return "AVX-512";
  }
  return "";
}

}  // namespace cisolve

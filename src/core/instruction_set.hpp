// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// Vector instructions that kernels are compiled for by themselves, whatever the rest of the library is compiled for: see
/// core/each_instruction_set.hpp.
enum class InstructionSet {
  baseline,  ///< those that the library is compiled for: of x86-64 packages SSE2, which every processor has
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, BW, DQ and VL: those of x86-64-v4
};

/// The best of them that this processor has, and no more than limit_instruction_set allows.
InstructionSet instruction_set();

/// For tests and measurements, of the whole process: kernels that are chosen from now on use no more than this.
void limit_instruction_set(InstructionSet most);

/// Of kernels for each of them, those for instruction_set().
template <class Kernels>
const Kernels& of_this_processor(const Kernels& baseline, const Kernels& avx2, const Kernels& avx512) {
  const InstructionSet set = instruction_set();
  return set == InstructionSet::avx512 ? avx512 : set == InstructionSet::avx2 ? avx2 : baseline;
}

/// "baseline", "AVX2" or "AVX-512".
const char* name_of(InstructionSet set);

}  // namespace cisolve

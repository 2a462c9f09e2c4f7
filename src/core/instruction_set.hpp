// SPDX-License-Identifier: MIT
#pragma once

namespace cisolve {

/// Vector instructions that kernels are compiled for by themselves, whatever the rest of the library is compiled for: see
/// core/each_instruction_set.hpp.
enum class InstructionSet {
  baseline,  ///< those of every processor that the library is for: of x86-64 SSE2
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, BW, DQ and VL: those of x86-64-v4
};

/// The best of them that this processor has, and no more than limit_instruction_set allows.
InstructionSet instruction_set();

/// For tests and measurements: kernels that are chosen from now on use no more than this.
void limit_instruction_set(InstructionSet most);

/// "baseline", "AVX2" or "AVX-512".
const char* name_of(InstructionSet set);

}  // namespace cisolve

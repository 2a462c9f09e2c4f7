// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "core/instruction_set.hpp"

namespace cisolve::test {

inline constexpr std::array all_instruction_sets = {InstructionSet::baseline, InstructionSet::avx2,
                                                    InstructionSet::avx512};

/// While it lives, kernels use no more than this; a processor that has less gives the same kernels again.
class InstructionLimit {
public:
  explicit InstructionLimit(InstructionSet most) { limit_instruction_set(most); }
  ~InstructionLimit() { limit_instruction_set(InstructionSet::avx512); }
  InstructionLimit(const InstructionLimit&) = delete;
  InstructionLimit& operator=(const InstructionLimit&) = delete;
};

}  // namespace cisolve::test

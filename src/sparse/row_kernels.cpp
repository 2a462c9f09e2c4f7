// SPDX-License-Identifier: MIT
#include "sparse/row_kernels.hpp"

#include "core/instruction_set.hpp"

#define CISOLVE_KERNELS "sparse/row_kernels_of_set.hpp"
#include "core/each_instruction_set.hpp"

namespace cisolve {

const RowKernels& row_kernels() {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return avx512::row_kernels;
    case InstructionSet::avx2:
      return avx2::row_kernels;
    case InstructionSet::baseline:
      break;
  }
  return baseline::row_kernels;
}

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#include "sparse/row_kernels.hpp"

#include "core/instruction_set.hpp"

#define CISOLVE_KERNELS "sparse/row_kernels_of_set.hpp"
#include "core/each_instruction_set.hpp"

namespace cisolve {

const RowKernels& row_kernels() {
  return of_this_processor(baseline::row_kernels, avx2::row_kernels, avx512::row_kernels);
}

}  // namespace cisolve

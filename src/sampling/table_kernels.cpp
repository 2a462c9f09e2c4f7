// SPDX-License-Identifier: MIT
#include "sampling/table_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/instruction_set.hpp"

#define CISOLVE_KERNELS "sampling/table_kernels_of_set.hpp"
#include "core/each_instruction_set.hpp"

namespace cisolve::sampling {

const TableKernels& table_kernels() {
  return of_this_processor(baseline::kernels, avx2::kernels, avx512::kernels);
}

}  // namespace cisolve::sampling

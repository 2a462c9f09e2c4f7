// SPDX-License-Identifier: MIT
#include "hamiltonian/direct_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/instruction_set.hpp"
#include "core/planted_error.hpp"

#define CISOLVE_KERNELS "hamiltonian/direct_kernels_of_set.hpp"
#include "core/each_instruction_set.hpp"

namespace cisolve::direct {

const Kernels& kernels() { return of_this_processor(baseline::kernels, avx2::kernels, avx512::kernels); }

}  // namespace cisolve::direct

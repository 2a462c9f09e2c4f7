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

const Kernels& kernels() {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return avx512::kernels;
    case InstructionSet::avx2:
      return avx2::kernels;
    case InstructionSet::baseline:
      break;
  }
  return baseline::kernels;
}

}  // namespace cisolve::direct

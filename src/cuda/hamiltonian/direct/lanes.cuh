// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/matrix_units.cuh"
#include "cuda/hamiltonian/direct/types.hpp"

// What the lanes of a warp load for matrix units, which multiply excitations with columns of x.
namespace cisolve::cuda::direct {

__device__ inline int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
__device__ inline int warp() { return static_cast<int>(threadIdx.x) / warp_size; }

__device__ inline double with_sign(double value, unsigned sign_bit) {
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign_bit << 31), __double2loint(value));
}

/// Elements of x that a thread multiplies in a step: those of two columns and two excitations.
struct Operands {
  double values[4] = {};

  /// Two columns of both; beyond the last column nothing.
  __device__ void load(const double* a, const double* b, bool inside) {
    if (!inside) return;
    const auto first = __ldg(reinterpret_cast<const double2*>(a));
    const auto second = __ldg(reinterpret_cast<const double2*>(b));
    values[0] = first.x;
    values[1] = first.y;
    values[2] = second.x;
    values[3] = second.y;
  }
};

/// Walks the steps of some columns: all excitations of tile_columns columns, then those `ahead` of them.
template <int ahead>
struct Cursor {
  const double* x;
  const std::int64_t* rows;
  int num_excitations, stride;
  int column, excitation, end;

  /// Loads the operands of the step, if there is one, and goes to the next.
  __device__ void load(Operands& operands) {
    if (column >= end) return;
    operands.load(x + rows[excitation] + column, x + rows[excitation + 4] + column, column < stride);
    excitation += excitation_step;
    if (excitation >= num_excitations) {
      excitation = 0;
      column += ahead;
    }
  }
};

/// sums += operands of a step times factors of eights of pairs.
/// @param f  of the lane, [excitations][ld]
template <int eights>
__device__ void multiply_step(double (&sums)[eights][4], const Operands& operands, const double* f) {
  constexpr int ld = 8 * eights + factor_padding;
#pragma unroll
  for (int k = 0; k < eights; ++k) multiply_add(sums[k], operands.values, f[8 * k], f[4 * ld + 8 * k]);
}

/// Does step after step with operands that are loaded `depth` steps ahead, into registers that the last step has just
/// used.
/// @param step  step(operands) loads the next into them and says whether there are more steps
template <int depth, int ahead, class Step>
__device__ void walk_steps(Cursor<ahead>& cursor, const Step& step) {
  Operands operands[depth];
#pragma unroll
  for (int k = 0; k < depth; ++k) cursor.load(operands[k]);
  for (bool more = true; more;) {
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (more) more = step(operands[k]);
    }
  }
}

}  // namespace cisolve::cuda::direct

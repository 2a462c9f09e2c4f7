// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/matrix_units.cuh"
#include "cuda/hamiltonian/direct/types.hpp"

// What the lanes of a warp load for matrix units, which multiply excitations with columns of x.
namespace cisolve::cuda::direct {

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

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sparse/coded_matrix.hpp"

namespace cisolve {

/// Cache lines of x (128 bytes) that a warp reads in one step, its 32 lanes side by side, on average over
/// slices spread over the matrix: 2 at best, 32 at worst. It decides how a device reads x. 0 for a matrix
/// without coded entries.
double lines_per_step(const CodedMatrix& a);

}  // namespace cisolve

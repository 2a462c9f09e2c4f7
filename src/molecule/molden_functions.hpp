// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/molecule/basis_set.hpp"

namespace cisolve::detail {

/// The last angular momentum that Molden files have an order of functions for: g.
inline constexpr int molden_largest_angular_momentum = 4;

/// A function of a shell as a Molden file has it.
struct MoldenFunction {
  int ours = 0;         ///< number of the function in the shell of a GaussianBasis
  double factor = 1.0;  ///< the file's function is this times ours: it is normalised to one, ours as xx
};

/// The functions of a shell in the order of Molden files, up to g.
std::vector<MoldenFunction> molden_functions(int angular_momentum, bool spherical);

/// (2 n - 1)!!
double odd_factorial(int n);

/// Radial overlap of two contractions of normalised primitives of one angular momentum about one centre: of one with
/// itself, what it is to be divided by.
double contraction_overlap(const GaussianShell& a, const GaussianShell& b);

}  // namespace cisolve::detail

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve {

/// Basis functions as the groups `basis` and `ao` of a TREXIO file have them. Function i of shell s, about its nucleus, is
///     normalization_i P_i(x, y, z) shell_factor_s sum_k coefficient_k prim_factor_k exp(-exponent_k r^2),
/// where P is a product of powers, in alphabetical order (xx, xy, xz, yy, ...), or a real solid harmonic that is z^l on the
/// z axis for m = 0, in the order m = 0, 1, -1, 2, -2, ...: p functions are then z, x, y. All count from 0.
/// @see E. Posenitskiy et al., J. Chem. Phys. 158 (2023) 174801, doi:10.1063/5.0148161
struct TrexioBasis {
  bool cartesian = false;
  std::vector<std::int64_t> nucleus_index, shell_angular_momentum;  ///< [shells]
  std::vector<double> shell_factor;                                 ///< [shells]
  std::vector<std::int64_t> shell_index;                            ///< [primitives]
  std::vector<double> exponent, coefficient, prim_factor;           ///< [primitives]; exponents bohr^-2
  std::vector<std::int64_t> ao_shell;                               ///< [functions]
  std::vector<double> ao_normalization;                             ///< [functions]
};

/// A function of a TREXIO file.
struct TrexioFunction {
  int ours = 0;         ///< number of the function of a GaussianBasis
  double factor = 1.0;  ///< the file's function is this times ours
};

/// Why a TREXIO file can't hold a basis, in one sentence: it has Cartesian and spherical shells. Empty if it can.
std::string trexio_obstacle(const GaussianBasis& basis);

/// The functions of a basis in the order of a TREXIO file.
/// @param cartesian  whether the file's are Cartesian, which decides the order of p functions
std::vector<TrexioFunction> trexio_functions(const GaussianBasis& basis, bool cartesian);

/// A basis as a TREXIO file has it, every contraction normalised to one by its shell_factor; all else is normalised as ours.
/// @param cartesian  whether shells of l >= 2 are Cartesian
TrexioBasis trexio_basis(const GaussianBasis& basis, bool cartesian);

/// The basis that a TREXIO file describes, and its functions in the file's order.
struct BasisOfTrexio {
  GaussianBasis basis;
  std::vector<TrexioFunction> functions;
};

/// Our basis from that of a file, whatever the order of its shells and the factors that it splits functions into.
/// @param file      arrays of the lengths that their shapes above say
/// @param geometry  the nuclei
/// @param where     begins the message
/// @throws InputError  sizes or numbers that fit no basis, shells beyond h
BasisOfTrexio gaussian_basis(const TrexioBasis& file, const Geometry& geometry, const std::string& where);

}  // namespace cisolve

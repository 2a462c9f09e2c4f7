// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "cisolve/problem/basis.hpp"

namespace cisolve {

/// Determinants with complex coefficients, as twice as many real functions: of coefficient k the real part in row 2 k, the
/// imaginary one in row 2 k + 1. H is then real and symmetric, (A, -B; B, A) of every complex element A + iB, and each of
/// its eigenvectors x comes with i x: what finds roots of real matrices finds those of complex ones.
/// @param definition  with complex integrals
/// @param real        the same determinants over definition.integrals, which have the diagonal of H
/// @throws DimensionError if there are no complex integrals
std::unique_ptr<Basis> make_complex_basis(const BasisDefinition& definition, std::unique_ptr<Basis> real);

}  // namespace cisolve

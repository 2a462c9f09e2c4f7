// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/core/matrix.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/geometry.hpp"

namespace cisolve::detail {

/// Superposition of atomic densities: each neutral atom by a spherically averaged Hartree-Fock calculation in
/// its own functions. Total density (alpha + beta), [functions x functions].
/// @see J. H. Van Lenthe et al., J. Comput. Chem. 27 (2006) 926, doi:10.1002/jcc.20393
Matrix superposed_atomic_density(const Geometry& geometry, const GaussianBasis& basis);

}  // namespace cisolve::detail

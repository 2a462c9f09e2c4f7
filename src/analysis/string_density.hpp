// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// density_matrices over a product space, from strings: what an excitation of one spin joins are whole rows of a block,
/// or a list of columns of it. Every step adds something, however few determinants the blocks have, and nothing of the
/// length of a vector is needed.
/// @param vectors  column-major, shape [space.size(), num_vectors]
DensityMatrices string_density_matrices(const StringProduct& space, std::span<const double> vectors,
                                        int num_vectors);

}  // namespace cisolve

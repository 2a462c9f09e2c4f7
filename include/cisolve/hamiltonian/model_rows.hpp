// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/space.hpp"

namespace cisolve {

/// Sizes of the model space in which start vectors are found.
struct ModelRowsConfig {
  std::int64_t minimum = 200;   ///< determinants wanted; a dense block of this order is free
  std::int64_t maximum = 1000;  ///< at most; diagonalising the block takes the third power of its order
  bool cover_all_spins = true;  ///< one configuration for each S >= |Ms| that the space holds
  bool may_cut = true;          ///< the lowest configuration, if it has more than `maximum` determinants
};

/// Rows of the determinants in which start vectors are found: the lowest configuration, the references from
/// the lowest on, then the other determinants of lowest diagonal energy; always all arrangements of a
/// configuration's open-shell spins that the space holds, so that the eigenvectors of H over them have pure
/// spin where the space allows. Distinct, ascending. A configuration that would lead beyond `maximum` is left
/// out. If that is the lowest one, there are the `maximum` lowest determinants, whatever their spins, or, unless
/// it may be cut, none: a preconditioner that mixes spins is worse than none where they are projected out.
///
/// @param diagonal  of H, hartree, shape [space.size()]
template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/space/space.hpp"

namespace cisolve {

struct ModelRowsConfig {
  std::int64_t minimum = 200;       ///< determinants wanted; a dense block of this order is free
  std::int64_t maximum = 1000;      ///< a configuration that would lead beyond is left out
  bool cover_all_spins = true;      ///< one configuration for each S >= |Ms| that the space holds
};

/// Rows of the determinants in which start vectors are found: the references, then those of lowest
/// diagonal energy, always all arrangements of a configuration's open-shell spins that the space
/// holds, so that the eigenvectors of H over them have pure spin where the space allows.
/// Distinct, ascending. The references and the lowest configuration are taken even beyond `maximum`.
///
/// @param diagonal  of H, hartree, shape [space.size()]
template <int Words>
std::vector<std::int64_t> choose_model_rows(const Space<Words>& space, std::span<const double> diagonal,
                                            const ModelRowsConfig& config);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/analysis/two_particle_density.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// two_particle_density over a product space, from strings. What annihilators leave of the vector,
///     Y[qs, J] = <J| a_s a_q |c>,   G[p,q,r,s] = sum_J Y[pr, J] Y[qs, J],
/// is made for one remainder of one spin and many of the other at a time, and multiplied with itself as a dense matrix.
/// The determinants J without two electrons are all that are needed: nothing is left out in truncated spaces.
TwoParticleDensity string_pair_density(const StringProduct& space, std::span<const double> vector,
                                       std::int64_t max_bytes);

}  // namespace cisolve

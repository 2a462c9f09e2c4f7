// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/analysis/two_particle_density.hpp"

namespace cisolve {

/// two_particle_density of any space, by the definition: with |J> any determinant of two electrons less,
///     G^st[p,q,r,s] = sum_J <J| a_rt a_ps |c> <J| a_st a_qs |c>,
/// determinants are sorted by what is left of them when two electrons are taken, and those that leave the same are
/// multiplied with each other. A part of the remainders at a time, so that memory is bounded.
template <int Words>
TwoParticleDensity listed_pair_density(const Space<Words>& space, std::span<const double> vector,
                                       std::int64_t max_bytes);

}  // namespace cisolve

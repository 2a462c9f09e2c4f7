// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace cisolve {

/// Bytes that spin_densities takes beside the spaces and their vectors: sums that are joined to its result, of which there
/// are up to 64, and eight where they are large.
std::int64_t spin_density_bytes(int num_orbitals, int num_bras, int num_kets);

/// Most bytes of the sums that two_particle_density holds, its result among them.
/// @param max_bytes  as there
std::int64_t pair_density_bytes(int num_orbitals, std::int64_t max_bytes);

}  // namespace cisolve

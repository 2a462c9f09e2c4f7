// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "cisolve/analysis/two_particle_density.hpp"

namespace cisolve {

/// Sums on their way to a TwoParticleDensity: of pairs of annihilated electrons, all three matrices symmetric, of which
/// only the lower triangle (bra pair >= ket pair) is added to. `ab` is by p * n + r and q * n + s here.
struct PairSums : TwoParticleDensity {
  using TwoParticleDensity::TwoParticleDensity;

  /// Into how many shares the work is cut, whatever the number of threads: as many as copies of the sums fit into the
  /// memory, but so few that beginning and joining them is little beside it; from 1 to 32.
  /// @param work  multiplications
  static std::int64_t num_shares(int num_orbitals, std::int64_t max_bytes, double work);

  /// The density of all shares: each summed by add(share, sums), on any thread, then in their order.
  static TwoParticleDensity sum(int num_orbitals, std::int64_t num_shares,
                                const std::function<void(std::int64_t, PairSums&)>& add);
};

}  // namespace cisolve

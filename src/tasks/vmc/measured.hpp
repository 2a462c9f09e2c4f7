// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/sampling/sampler.hpp"
#include "cisolve/sampling/series.hpp"

namespace cisolve {

/// What blocks of sweeps add up to: of each chain by itself, in the order of time, so that it does not matter who walked it.
class Measured {
public:
  /// Sums over the measurements of each chain: [chains], correlations [chains x displacements].
  struct Sums {
    std::vector<double> kinetic, exchange, double_occupancy, density;
    std::vector<double> n_n, sz_sz, s_s, hop_up, hop_down;
    std::vector<double> drift;                    ///< largest
    std::vector<std::int64_t> accepted;           ///< moves
    std::vector<std::int32_t> stuck;              ///< blocks without an accepted move
    std::int64_t energies = 0, correlations = 0;  ///< measurements of each chain

    bool operator==(const Sums&) const = default;
  };

  Measured(int chains, int displacements);
  Measured(Sums sums, const SeriesState& energies);

  /// Takes the sums of the next block.
  void add(const BlockSums& block);

  const Sums& sums() const { return sums_; }
  const ChainSeries& energies() const { return energies_; }  ///< of the whole cluster

private:
  Sums sums_;
  ChainSeries energies_;
};

}  // namespace cisolve

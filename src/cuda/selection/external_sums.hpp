// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/externals.hpp"
#include "cisolve/selection/moves.hpp"

namespace cisolve::cuda {

/// How the sums over externals are cut into pieces.
struct ExternalSumsConfig {
  std::int64_t batch_slots = std::int64_t{1} << 24;  ///< of hash tables that are filled together
  std::int64_t choice_slots =
      0;  ///< for externals that are chosen; 0: as many as their number and memory ask for
  std::uint32_t least_parts = 1;  ///< of the alpha strings of externals, each with its own list of sources
  double memory_share = 0.5;      ///< of the free device memory, for the lists of a part
  double table_share = 0.25;      ///< likewise, for a table; larger ones are filled portion by portion
  std::int64_t most_slots = 0;    ///< of a table; 0: what its share of the memory holds
  double first_density = 1.0;     ///< externals to a contribution, before it is known
  std::int64_t chunk = 0;         ///< determinants of sources that a warp takes; 0: as their number asks for
};

/// ExternalSpace on the current device: the same sums in another order.
///
/// Alpha strings of externals are gone through part by part, by their hashes. Of each part all sources are listed; then its
/// strings, some at a time, have their contributions summed in hash tables, one for each, by atomic additions of integers;
/// a table that would be too large, portion by portion, by the hash of the other string.
/// H_ac is the same to the last bit each time. H_aa is summed up along the excitation that came first, so that results may
/// differ by some 1e-15 of themselves. Nothing of the length of all externals is ever held.
template <int Words>
class ExternalSums {
public:
  /// @param determinants  the list, distinct; is copied, as are the others
  /// @throws CudaError; ResourceError if the device has not that much memory left
  ExternalSums(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
               const SameSpinMoves& beta_moves, std::span<const Determinant<Words>> determinants,
               const ExternalSumsConfig& config = {});
  ~ExternalSums();
  ExternalSums(ExternalSums&&) noexcept;

  /// As ExternalSpace::sum.
  /// @throws Interrupted, CudaError, ResourceError
  SecondOrder sum(const Wavefunctions& wavefunctions, const ExternalOptions& options = {});
  SecondOrder sum(const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                  std::vector<External<Words>>& chosen, const ExternalOptions& options = {});

  /// As ExternalSpace::estimate, with the same sample but for rounding of weights: the same seed gives the same bits.
  SecondOrder estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                       const ExternalOptions& options = {});

private:
  class Sweep;
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/hamiltonian/direct/layout/exchange_part.hpp"
#include "cuda/hamiltonian/direct/layout/layout_part.hpp"
#include "cuda/hamiltonian/direct/long_rows/long_rows_part.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_part.hpp"
#include "cuda/hamiltonian/direct/plan.hpp"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"
#include "cuda/hamiltonian/direct/spin/spin_part.hpp"

namespace cisolve::cuda::direct {

/// A direct product in device memory; of one rank, if there are ranks.
struct Parts {
  VectorSizes vectors;
  bool uses_layout_1;
  ExcitationArrays<DeviceArray> excitations;
  IntegralArrays<DeviceArray> integrals;
  LayoutPart layout;
  SameSpinPart same_spin;
  OppositePart opposite;
  LongRowsPart long_rows;
  std::optional<ExchangePart> exchange;  ///< of a rank
  std::optional<SpinPart> spin;          ///< once S^2 has been asked for
  std::vector<SourceStrip> strips;       ///< as DirectPlan has them

  /// @param host      the product that was planned
  /// @param diagonal  of H, hartree, one element per row that was planned for
  Parts(const cisolve::DirectProduct& host, std::span<const double> diagonal, const DirectPlan& plan,
        Uploads put);

  /// Bytes of all arrays.
  std::int64_t bytes() const {
    return array_bytes(excitations, integrals) + layout.bytes() + same_spin.bytes() + opposite.bytes() +
           long_rows.bytes() + (exchange ? exchange->bytes() : 0) + (spin ? spin->bytes() : 0);
  }
};

}  // namespace cisolve::cuda::direct

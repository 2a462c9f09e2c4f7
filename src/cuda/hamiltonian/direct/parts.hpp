// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/hamiltonian/direct/layout/layout_part.hpp"
#include "cuda/hamiltonian/direct/long_rows/long_rows_part.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_part.hpp"
#include "cuda/hamiltonian/direct/plan.hpp"
#include "cuda/hamiltonian/direct/same_spin/same_spin_part.hpp"

namespace cisolve::cuda::direct {

/// A direct product in device memory.
struct Parts {
  VectorSizes vectors;
  bool uses_layout_1;
  ExcitationArrays<DeviceArray> excitations;
  IntegralArrays<DeviceArray> integrals;
  LayoutPart layout;
  SameSpinPart same_spin;
  OppositePart opposite;
  LongRowsPart long_rows;

  /// @param host  the product that was planned
  Parts(const cisolve::DirectProduct& host, const DirectPlan& plan, Uploads put);

  /// Bytes of all arrays.
  std::int64_t bytes() const {
    return array_bytes(excitations, integrals) + layout.bytes() + same_spin.bytes() + opposite.bytes() +
           long_rows.bytes();
  }
};

}  // namespace cisolve::cuda::direct

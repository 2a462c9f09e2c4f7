// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/opposite/opposite_plan.hpp"

namespace cisolve::cuda::direct {

/// What packs are made from.
struct PackTables {
  ExcitationTables excitations;
  PhaseArrays<Pointer> lists;
};

/// What rows of y are summed from.
struct SumsTables {
  PackTables pack;
  GatherArrays<Pointer> gather;
  std::int32_t most_columns;
  const double* packs;  ///< of all rows; null: made as they are needed
};

/// The opposite-spin part of rows that are not long, on a device.
class OppositePart {
public:
  /// @param excitations  must stay on the device
  OppositePart(const OppositePlan& plan, const ExcitationTables& excitations, Uploads& put);

  std::int64_t bytes() const { return array_bytes(arrays_, gather_, packs_); }

  /// Enqueues, for the rows of blocks, opposite-spin excitations, what those of one spin feel of the other, and same-spin
  /// excitations where Block::first_same_spin says so.
  /// @throws CudaError if the kernel cannot be launched
  void add(const Stream& stream, const Panels& panels) const;

private:
  Shape shape_;
  ExcitationTables excitations_;
  PhaseArrays<DeviceArray> arrays_;
  GatherArrays<DeviceArray> gather_;
  DeviceArray<double> packs_;
};

}  // namespace cisolve::cuda::direct

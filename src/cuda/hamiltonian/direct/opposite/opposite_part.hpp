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
  bool adds;            ///< y is added to everywhere
};

/// The opposite-spin part of rows that are not long, on a device.
class OppositePart {
public:
  /// @param adds         y is added to also where same-spin excitations are summed
  /// @param excitations  must stay on the device
  OppositePart(const OppositePlan& plan, bool adds, const ExcitationTables& excitations, Uploads& put);

  std::int64_t bytes() const { return array_bytes(arrays_, gather_, packs_); }

  /// Enqueues, for the rows of blocks, opposite-spin excitations, what those of one spin feel of the other, and same-spin
  /// excitations where Block::first_same_spin says so.
  /// @throws CudaError if the kernel cannot be launched
  void add(const Stream& stream, const Panels& panels) const {
    add(stream, panels, {0, static_cast<std::int64_t>(arrays_.tasks.size())});
  }

  /// The same of one layout, as planned for a rank.
  void add(const Stream& stream, const Panels& panels, int layout) const {
    add(stream, panels, span_of(layout, tasks_in_layout_1_, arrays_.tasks.size()));
  }

private:
  void add(const Stream& stream, const Panels& panels, const TaskSpan& tasks) const;

  Shape shape_;
  bool adds_;
  std::int64_t tasks_in_layout_1_;
  ExcitationTables excitations_;
  PhaseArrays<DeviceArray> arrays_;
  GatherArrays<DeviceArray> gather_;
  DeviceArray<double> packs_;
};

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/long_rows/long_rows_plan.hpp"

namespace cisolve::cuda::direct {

/// What kernels read.
struct LongRowsTables {
  ExcitationTables excitations;
  LongRowArrays<Pointer> lists;
  std::int32_t pairs_at_a_time, most_excitations;
  std::int64_t t_size, factors_size;
};

/// The opposite-spin part of long rows on a device.
class LongRowsPart {
public:
  /// @param excitations  must stay on the device
  LongRowsPart(const LongRowsPlan& plan, const ExcitationTables& excitations, Uploads& put);

  std::int64_t bytes() const { return array_bytes(arrays_); }

  /// Enqueues: adds to long rows of y opposite-spin excitations, and what those of one spin feel of the other.
  /// @throws CudaError if the kernel cannot be launched
  void add(const Stream& stream, const Panels& panels) const {
    add(stream, panels, {0, static_cast<std::int64_t>(arrays_.tasks.size())});
  }

  /// The same of one layout, as planned for a rank.
  void add(const Stream& stream, const Panels& panels, int layout) const {
    add(stream, panels, span_of(layout, tasks_in_layout_1_, arrays_.tasks.size()));
  }

  /// What comes from a strip of x, which `panels` has as x in layout 0.
  void add_strip(const Stream& stream, const Panels& panels, std::size_t strip) const {
    add(stream, panels, of_strips_[strip]);
  }

private:
  void add(const Stream& stream, const Panels& panels, const TaskSpan& tasks) const;

  LongRowArrays<DeviceArray> arrays_;
  std::int64_t tasks_in_layout_1_;
  std::vector<TaskSpan> of_strips_;
  bool shared_;  ///< as LongRowsPlan has it
  std::size_t shared_bytes_;
  LongRowsTables tables_;
};

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/spin/spin_plan.hpp"

namespace cisolve::cuda::direct {

/// S^2 of own rows, on a device.
class SpinPart {
public:
  /// @throws ResourceError if the device has not that much memory left
  SpinPart(const SpinPlan& plan, Uploads put) : arrays_(put(plan.arrays)), numbers_(plan.numbers) {}

  std::int64_t bytes() const { return array_bytes(arrays_); }

  /// Enqueues y = S^2 x, hbar^2: sums in a fixed order.
  /// @param x  all rows in layout 0
  /// @param y  own rows
  /// @throws CudaError if the kernel cannot be launched
  void multiply(const Stream& stream, const double* x, double* y) const;

private:
  SpinArrays<DeviceArray> arrays_;
  SpinNumbers numbers_;
};

}  // namespace cisolve::cuda::direct

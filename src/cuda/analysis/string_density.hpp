// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/analysis/spin_density.hpp"
#include "cuda/analysis/string_density_plan.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Spin-resolved density and transition density matrices of vectors over a product space, summed on the device where the
/// vectors are: string_spin_densities there. The sums have a fixed order: results repeat to the last bit on the same
/// device. One call at a time.
class StringDensities {
public:
  /// @param space   is not kept
  /// @param stream  must outlive this object
  /// @throws ResourceError  its plan would be too long, or the device has not that much memory left
  /// @throws CudaError
  StringDensities(const StringProduct& space, const Stream& stream)
      : StringDensities(StringDensityPlan(space, StringDensityConfig::for_device()), stream) {}
  StringDensities(const StringDensityPlan& plan, const Stream& stream);

  /// Bytes on the device.
  std::int64_t bytes() const;

  /// Of every vector with every other.
  /// @param vectors  [space.size() x any], in the order of the space
  /// @throws DimensionError  they are not that long
  /// @throws CudaError
  SpinDensities operator()(ConstDeviceView vectors);

  /// <bra|a+_p a_q|ket> for p >= q alone; elements above the diagonal are zero.
  /// @param bra, ket  [space.size()], in the order of the space
  /// @throws CudaError
  SpinDensity lower(const double* bra, const double* ket);

private:
  const Stream& stream_;
  std::vector<StringDensityPlan::Element> elements_;
  std::int64_t num_rows_, doubles_of_two_, doubles_of_one_;
  int num_orbitals_;
  StringDensityArrays<DeviceArray> arrays_;
  DeviceArray<double> partial_, results_;
  PinnedArray<double> found_;
};

/// Fills in what StringDensities::lower leaves out, of every vector with every other.
void complete_densities(SpinDensities& densities);

}  // namespace cisolve::cuda

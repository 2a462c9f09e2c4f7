// SPDX-License-Identifier: MIT
#pragma once

#include "cisolve/sampling/sampler.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sampling/views.hpp"

namespace cisolve::cuda::sampling {

/// What a block measures.
struct SumsShape {
  int chains = 0, energies = 0, correlations = 0, parameters = 0, places = 0;

  SumsShape(const BlockPlan& plan, int num_chains, int num_parameters, int displacements);
};

/// The sums of a block in device memory, zeros at first.
class DeviceSums {
public:
  /// Room for a block, which is used again for the next.
  SumsView prepare(const Stream& stream, const SumsShape& shape);

  /// To the host, but for the numbers of accepted moves.
  void download(const Stream& stream, const SumsShape& shape, BlockSums& sums) const;

private:
  DeviceArray<double> energy_, parts_, derivatives_now_, derivative_, derivative_energy_, derivative_product_,
      correlations_, drift_;
};

/// Appends the sums of further chains of the same block.
void append(BlockSums& all, const BlockSums& more);

}  // namespace cisolve::cuda::sampling

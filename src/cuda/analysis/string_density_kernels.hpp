// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/core/arrays.hpp"
#include "cuda/analysis/string_density_plan.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

// The sums of a StringDensityPlan. All pointers are device memory; everything is enqueued on the stream and returns. x and
// y are vectors in the order of the space, which may be the same. All throw CudaError if a kernel cannot be launched.

/// partial[k] = sum of the k-th of the alpha tasks.
void launch_alpha_sums(const Stream& stream, const StringDensityArrays<Pointer>& arrays, std::size_t tasks,
                       const double* x, const double* y, double* partial);

/// Partial sums of the beta tasks, where their groups say.
/// @param shared_doubles  that a task needs for its tiles
void launch_beta_sums(const Stream& stream, const StringDensityArrays<Pointer>& arrays, std::size_t tasks,
                      std::int64_t shared_doubles, const double* x, const double* y, double* partial);

/// results[k] = sum of the partial sums of the k-th element.
void launch_element_sums(const Stream& stream, const StringDensityArrays<Pointer>& arrays,
                         std::size_t elements, const double* partial, double* results);

}  // namespace cisolve::cuda

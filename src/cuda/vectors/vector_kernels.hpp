// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cisolve/vectors/noise.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

// Kernels behind CudaBackend. All pointers are device memory; everything is enqueued on the stream and
// returns. Shapes are the caller's care. All throw CudaError if a kernel cannot be launched.

/// y(i, k) = value.
void launch_fill(const Stream& stream, DeviceView y, double value);

/// x(i, k) *= factors[k].
void launch_scale(const Stream& stream, DeviceView x, const double* factors);

/// y(i, k) /= shifts[k] - diagonal(i), denominators kept away from zero by `floor`.
void launch_divide_by_shifted_diagonal(const Stream& stream, ConstDeviceView diagonal, const double* shifts,
                                       double floor, DeviceView y);

/// y(i) = noise(i, rows, diagonal(i)); one column.
void launch_fill_with_noise(const Stream& stream, const LowLyingNoise& noise, ConstDeviceView diagonal,
                            DeviceView y);

/// Blocks that share the sum of one column: fixed, so that sums do not depend on the device.
inline constexpr int norm_blocks = 256;

/// norms[k] = |x(:, k)|_2, by way of partial[norm_blocks * x.columns].
void launch_norms(const Stream& stream, ConstDeviceView x, double* partial, double* norms);

/// values[k * count + i] = x(rows[i], k).
void launch_gather(const Stream& stream, ConstDeviceView x, const std::int64_t* rows, std::size_t count,
                   double* values);

/// y(rows[i], k) = values[k * count + i].
void launch_scatter(const Stream& stream, const double* values, const std::int64_t* rows, std::size_t count,
                    DeviceView y);

}  // namespace cisolve::cuda

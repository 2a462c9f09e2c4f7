// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cisolve/ranks/row_map.hpp"
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

/// y(i) = noise(row of i, rows, diagonal(i)); one column.
/// @param slabs  `count` of a row map that has the rows of y, in device memory
/// @param rows   of the whole vector
void launch_fill_with_noise(const Stream& stream, const LowLyingNoise& noise, ConstDeviceView diagonal,
                            DeviceView y, const RowMap::Slab* slabs, std::size_t count, std::int64_t rows);

/// Blocks that share the sum of one column: fixed, so that sums do not depend on the device.
inline constexpr int norm_blocks = 256;

/// norms[k] = |x(:, k)|_2, by way of partial[norm_blocks * x.columns].
void launch_norms(const Stream& stream, ConstDeviceView x, double* partial, double* norms);

/// Most columns of b that launch_gram takes; columns of y up to which, and rows from which, the two are faster than BLAS.
inline constexpr int most_gram_columns = 2;
inline constexpr int most_combine_columns = 8;
inline constexpr std::int64_t least_rows = std::int64_t{1} << 18;
/// Rows from which they make all gram matrices, some columns of b at a time: cuBLAS's long sums lose small squares, 6e-12
/// of 1 with 5.4e8 rows, which the energy shows.
inline constexpr std::int64_t long_rows = std::int64_t{1} << 24;

/// Blocks that share the rows of a gram matrix: fixed, as norm_blocks.
inline constexpr int gram_blocks = 1024;

/// result[j * a.columns + i] = a(:, i)^T b(:, j), by way of partial[gram_blocks * a.columns * b.columns].
void launch_gram(const Stream& stream, ConstDeviceView a, ConstDeviceView b, double* partial, double* result);

/// y = a s + beta y, s[j * a.columns + i]; what y held is not read if beta is 0. y must not overlap a.
void launch_combine(const Stream& stream, ConstDeviceView a, const double* s, double beta, DeviceView y);

/// Rows whose lowest element launch_lowest_of_pieces finds.
inline constexpr std::int64_t lowest_piece = 4096;

/// lowest[k] = the lowest of x(k * lowest_piece, 0) and those that follow, lowest_piece in all; one column.
void launch_lowest_of_pieces(const Stream& stream, ConstDeviceView x, double* lowest);

/// values[k * count + i] = x(rows[i], k).
void launch_gather(const Stream& stream, ConstDeviceView x, const std::int64_t* rows, std::size_t count,
                   double* values);

/// y(rows[i], k) = values[k * count + i].
void launch_scatter(const Stream& stream, const double* values, const std::int64_t* rows, std::size_t count,
                    DeviceView y);

}  // namespace cisolve::cuda

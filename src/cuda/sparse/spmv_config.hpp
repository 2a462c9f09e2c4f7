// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cisolve/sparse/product_update.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/device_view.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/core/vector_texture.hpp"

namespace cisolve::cuda {

/// Largest block of threads: what the register allocation of the product kernels must allow.
inline constexpr int largest_block = 1024;

/// Shape of a product kernel. 0 means: chosen from the matrix. cisolve-bench tries many
/// of them.
struct SpmvConfig {
  int elements_per_lane = 0;   ///< consecutive nonzeros a lane loads at once: 1, 2 or 4. Wide loads are
                               ///< fewer; narrow ones let a warp's gathers of x fall closer together
  int lanes_per_row = 0;       ///< 4, 8, 16 or 32
  int products_in_flight = 0;  ///< nonzeros a lane loads before it uses the first: 4 or 8 for one vector
                               ///< and 32 lanes (fewer registers against more loads), else fixed
  int block_size = 0;          ///< threads: a multiple of 32, at most 1024
  int rows_per_group = 0;      ///< rows that the lanes of a row do one after the other, >= 1
};

/// Every field filled in.
/// @param mean_row_length  nonzeros per row
/// @throws DimensionError if a field that is given is not among the allowed
SpmvConfig resolve(SpmvConfig config, double mean_row_length);

/// Device scratch of the products. Keep one beside the matrix: it grows to what is needed and stays,
/// so that repeated products allocate nothing. Products that share one must share a stream.
class SpmvWorkspace {
public:
  /// Space for `size` numbers, contents undefined.
  double* packed_vectors(std::size_t size) {
    if (packed_.size() < size) {
      texture_ = VectorTexture();
      packed_ = DeviceArray<double>();  // Free first: both need not fit.
      packed_ = DeviceArray<double>(size);
    }
    return packed_.data();
  }
  /// The first `size` of the packed numbers as a texture; size <= the last packed_vectors.
  cudaTextureObject_t texture(std::size_t size) {
    if (texture_.size() != size) texture_ = VectorTexture(packed_.data(), size);
    return texture_.get();
  }
  std::size_t size_bytes() const noexcept { return packed_.size_bytes(); }

private:
  DeviceArray<double> packed_;
  VectorTexture texture_;  // after packed_: destroyed before what it shows
};

/// The aligned loads of a row may read so many elements beyond its ends: arrays of nonzeros of unaligned
/// rows have as many spare elements, zeroed.
inline constexpr std::size_t spare_elements = 4;

/// Enqueues packed(i, k) = x(i, k) in the order [row][width], zero for x.columns <= k < width.
/// @param width  1, 2 or 4
/// @param order  null, or x.rows row numbers: packed(i, k) = x(order[i], k)
void pack(const Stream& stream, ConstDeviceView x, int width, double* packed,
          const std::int32_t* order = nullptr);

}  // namespace cisolve::cuda

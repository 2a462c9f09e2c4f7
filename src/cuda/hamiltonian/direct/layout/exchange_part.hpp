// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/uploads.hpp"
#include "cuda/hamiltonian/direct/layout/exchange_plan.hpp"

namespace cisolve::cuda::direct {

/// Rectangles on a device.
class RectanglesPart {
public:
  RectanglesPart(const Rectangles& plan, Uploads& put)
      : list_(put(HostView<Rectangle>(plan.list))), num_squares_(plan.num_squares) {}

  std::int64_t bytes() const { return array_bytes(list_); }

  /// Enqueues: copies all, as they are or transposed.
  /// @throws CudaError if the kernel cannot be launched
  void copy(const Stream& stream, const double* from, double* to) const;
  void transpose(const Stream& stream, const double* from, double* to) const;

private:
  DeviceArray<Rectangle> list_;
  std::int32_t num_squares_;
};

/// What a rank gives the others and gets from them.
struct ExchangePart {
  std::vector<RankPiece> give_rows, take_rows, give_columns, take_columns;  ///< as ExchangePlan has them
  RectanglesPart pack_x, pack_y, unpack_x, transpose;

  ExchangePart(const ExchangePlan& plan, Uploads& put)
      : give_rows(plan.give_rows), take_rows(plan.take_rows), give_columns(plan.give_columns),
        take_columns(plan.take_columns), pack_x(plan.pack_x, put), pack_y(plan.pack_y, put),
        unpack_x(plan.unpack_x, put), transpose(plan.transpose, put) {}

  std::int64_t bytes() const {
    return pack_x.bytes() + pack_y.bytes() + unpack_x.bytes() + transpose.bytes();
  }
};

}  // namespace cisolve::cuda::direct

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cisolve/sparse/row_shares.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/ranks/device_exchange.hpp"
#include "cuda/sparse/device_matrix.hpp"

namespace cisolve::cuda {

/// Device scratch of a rank's part of a product. Keep one beside the matrix; one product at a time.
class RankedMatrixWorkspace {
  friend class RankedMatrix;
  DeviceArray<double> x;  ///< whole, a column after the other; own elements are 0
  SpmvWorkspace near_part, far_part;
  std::vector<int> known_columns;  ///< of products that have been made: these take no more memory
};

/// One rank's rows of y = A x, where every rank stores some rows of A on a device of its own. What others have of x comes
/// while the near part is multiplied by own elements; then the far part is added.
///
/// Repeatable to the last bit with as many ranks on devices of a kind. All ranks call the members of theirs in the same
/// order.
class RankedMatrix {
public:
  /// Columns that are multiplied together, and for which x is there whole.
  static constexpr int most_columns = 4;

  /// Makes own rows and copies them.
  /// @param besides   bytes of device memory that are needed for something else later
  /// @param exchange  between the ranks; must outlive this object
  /// @param stream    on which all products run; must outlive this object
  /// @throws ResourceError if the device has not that much memory left; what RowsOfRank throws
  RankedMatrix(RowsOfRank& rows, RowShares shares, std::int64_t besides, DeviceExchange& exchange,
               const Stream& stream);

  std::int64_t local_rows() const noexcept { return shares_.own().size(); }

  std::int64_t bytes() const noexcept;  ///< of device memory

  /// Transfers hide behind the near part, as they do if nothing is said; or are waited for first, to be measured.
  void set_overlap(bool overlaps) noexcept { overlaps_ = overlaps; }

  /// Bytes that come from other ranks for a column.
  std::int64_t received_bytes() const noexcept;

  /// Enqueues the transfers of a product alone, to be measured.
  /// @throws as multiply
  void exchange_alone(ConstDeviceView x, RankedMatrixWorkspace& workspace) const;

  /// Enqueues y = A x and returns; local_rows() x k for any k, the same on all ranks; x must not overlap y. Allocates
  /// nothing once there was a product of as many columns.
  /// @throws DimensionError if shapes disagree
  /// @throws CudaError if a kernel cannot be launched, ResourceError if the workspace cannot grow, RankFailed
  void multiply(ConstDeviceView x, DeviceView y, RankedMatrixWorkspace& workspace) const;

private:
  void prepare(int columns, RankedMatrixWorkspace& workspace) const;
  void multiply_some(ConstDeviceView x, DeviceView y, RankedMatrixWorkspace& workspace) const;
  void exchange(ConstDeviceView x, RankedMatrixWorkspace& workspace) const;

  RowShares shares_;
  DeviceExchange& exchange_;
  const Stream& stream_;
  std::unique_ptr<DeviceMatrix> near_, far_;  ///< null: there is no such part
  bool overlaps_ = true;
  Event ready_, here_;
};

}  // namespace cisolve::cuda

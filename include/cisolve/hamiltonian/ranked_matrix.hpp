// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "cisolve/core/array.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/sparse/row_shares.hpp"

namespace cisolve {

/// Scratch of a rank's part of a product. Keep one beside the matrix; one product at a time.
class RankedMatrixWorkspace {
  friend class RankedMatrix;
  Array<double> x;  ///< whole, a column after the other
  SpmvWorkspace product;
};

/// One rank's rows of y = A x on the host, where every rank stores some rows of A. For a product it gathers all of x, and it
/// alone sums its elements of y.
class RankedMatrix {
public:
  /// Columns for which x is there whole at a time.
  static constexpr int most_columns = 4;

  /// @param rows   own rows with all columns; null: the rank has none
  /// @param ranks  who takes part, as many as there are shares; must outlive this object
  /// @throws DimensionError if the matrix has other rows than the share
  RankedMatrix(std::unique_ptr<StoredMatrix> rows, RowShares shares, const Communicator& ranks);

  std::int64_t local_rows() const { return shares_.own().size(); }

  /// Own rows of y = A x; local_rows() x k, k the same on all ranks, which all call it.
  /// @throws DimensionError if shapes disagree; RankFailed
  void multiply(ConstHostView x, HostView y, RankedMatrixWorkspace& workspace) const;

private:
  void gather(const double* own, std::span<double> whole) const;
  void multiply_some(ConstHostView x, HostView y, RankedMatrixWorkspace& workspace) const;

  std::unique_ptr<StoredMatrix> rows_;
  RowShares shares_;
  const Communicator& ranks_;
};

}  // namespace cisolve

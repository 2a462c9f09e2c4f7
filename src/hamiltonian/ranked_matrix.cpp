// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/ranked_matrix.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"

namespace cisolve {

RankedMatrix::RankedMatrix(std::unique_ptr<StoredMatrix> rows, RowShares shares, const Communicator& ranks)
    : rows_(std::move(rows)), shares_(std::move(shares)), ranks_(ranks) {
  const bool fits = rows_ == nullptr
                        ? local_rows() == 0
                        : rows_->num_rows() == local_rows() && rows_->num_columns() == shares_.num_rows();
  if (!fits || shares_.ranks() != ranks.size() || shares_.rank != ranks.rank())
    throw DimensionError("RankedMatrix: the rows are not those of the rank's share");
}

void RankedMatrix::gather(const double* own, std::span<double> whole) const {
  const std::span<const double> mine(own, static_cast<std::size_t>(local_rows()));
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int rank = 0; rank < shares_.ranks(); ++rank) {
    const RowRange rows = shares_.of(rank);
    send.push_back({rank, std::as_bytes(mine)});
    receive.push_back({rank, std::as_writable_bytes(whole.subspan(static_cast<std::size_t>(rows.first),
                                                                  static_cast<std::size_t>(rows.size())))});
  }
  ranks_.exchange(send, receive);
}

void RankedMatrix::multiply(ConstHostView x, HostView y, RankedMatrixWorkspace& workspace) const {
  if (x.rows != local_rows() || y.rows != local_rows() || x.columns != y.columns)
    throw DimensionError("RankedMatrix: x and y must have one row per own row and equally many columns");
  for (int first = 0; first < x.columns; first += most_columns) {
    const int count = std::min(x.columns - first, most_columns);
    multiply_some(x.slice(first, count), y.slice(first, count), workspace);
  }
}

void RankedMatrix::multiply_some(ConstHostView x, HostView y, RankedMatrixWorkspace& workspace) const {
  const auto n = static_cast<std::size_t>(shares_.num_rows());
  const std::size_t size = n * static_cast<std::size_t>(x.columns);
  if (workspace.x.size() < size) workspace.x = Array<double>(size);
  for (int k = 0; k < x.columns; ++k)
    gather(x.column(k), std::span(workspace.x).subspan(static_cast<std::size_t>(k) * n, n));
  if (rows_)
    rows_->multiply({workspace.x.data(), shares_.num_rows(), x.columns, shares_.num_rows()}, y,
                    workspace.product);
}

}  // namespace cisolve

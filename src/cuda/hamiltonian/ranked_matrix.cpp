// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/ranked_matrix.hpp"

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cuda/ranks/exchange_scope.hpp"
#include "cuda/sparse/formats.hpp"

namespace cisolve::cuda {
namespace {

std::size_t bytes_of(const RowRange& rows) { return static_cast<std::size_t>(rows.size()) * sizeof(double); }

}  // namespace

RankedMatrix::RankedMatrix(RowsOfRank& rows, RowShares shares, std::int64_t besides, DeviceExchange& exchange,
                           const Stream& stream)
    : shares_(std::move(shares)), exchange_(exchange), stream_(stream) {
  if (shares_.ranks() != exchange.ranks().size() || shares_.rank != exchange.ranks().rank())
    throw DimensionError("RankedMatrix: there are not as many shares as ranks");
  auto near_part = rows.near_part();
  const auto far_part = rows.far_part();
  if (near_part) near_ = upload(*near_part, stream, besides + (far_part ? far_part->bytes() : 0));
  near_part.reset();
  if (far_part) far_ = upload(*far_part, stream, besides);
}

std::int64_t RankedMatrix::bytes() const noexcept {
  return (near_ ? near_->bytes() : 0) + (far_ ? far_->bytes() : 0);
}

std::int64_t RankedMatrix::received_bytes() const noexcept {
  return (shares_.num_rows() - local_rows()) * static_cast<std::int64_t>(sizeof(double));
}

/// All that products of so many columns take, while nothing is on its way.
void RankedMatrix::prepare(int columns, RankedMatrixWorkspace& workspace) const {
  const std::size_t size = static_cast<std::size_t>(shares_.num_rows()) * static_cast<std::size_t>(columns);
  if (shares_.ranks() == 1 || workspace.x.size() >= size) return;
  workspace.x = DeviceArray<double>();  // Free first: both need not fit.
  workspace.x = DeviceArray<double>(size);
  check(cudaMemsetAsync(workspace.x.data(), 0, workspace.x.size_bytes(), stream_.get()));
}

void RankedMatrix::exchange(ConstDeviceView x, RankedMatrixWorkspace& workspace) const {
  std::vector<DeviceSend> send;
  std::vector<DeviceReceive> receive;
  for (int k = 0; k < x.columns; ++k) {
    double* whole = workspace.x.data() + k * shares_.num_rows();
    for (int rank = 0; rank < shares_.ranks(); ++rank) {
      if (rank == shares_.rank) continue;
      const RowRange rows = shares_.of(rank);
      if (local_rows() > 0) send.push_back({rank, x.column(k), bytes_of(shares_.own())});
      if (rows.size() > 0) receive.push_back({rank, whole + rows.first, bytes_of(rows)});
    }
  }
  ready_.record(stream_);
  exchange_.exchange(send, receive, ready_, here_);
}

void RankedMatrix::multiply_some(ConstDeviceView x, DeviceView y, RankedMatrixWorkspace& workspace) const {
  const bool exchanges = shares_.ranks() > 1;
  const bool is_first =
      std::ranges::find(workspace.known_columns, x.columns) == workspace.known_columns.end();
  if (exchanges) exchange(x, workspace);
  if (is_first && exchanges) {  // Kernels are loaded and workspaces grow when nothing is on its way anywhere.
    here_.synchronize();
    exchange_.ranks().barrier();
  }
  if (exchanges && !overlaps_) wait(stream_, here_);
  if (near_) near_->multiply(stream_, x, y, workspace.near_part);
  if (exchanges) wait(stream_, here_);
  if (far_) {
    const std::int64_t n = shares_.num_rows();
    far_->multiply(stream_, {workspace.x.data(), n, x.columns, n}, y, workspace.far_part, ProductUpdate::add);
  }
  if (!is_first) return;
  stream_.synchronize();
  exchange_.ranks().barrier();
  workspace.known_columns.push_back(x.columns);
}

void RankedMatrix::multiply(ConstDeviceView x, DeviceView y, RankedMatrixWorkspace& workspace) const {
  if (x.rows != local_rows() || y.rows != local_rows() || x.columns != y.columns)
    throw DimensionError("RankedMatrix: x and y must have one row per own row and equally many columns");
  prepare(std::min(x.columns, most_columns), workspace);
  const ExchangeScope scope(exchange_.ranks());
  for (int first = 0; first < x.columns; first += most_columns) {
    const int count = std::min(x.columns - first, most_columns);
    multiply_some(x.slice(first, count), y.slice(first, count), workspace);
  }
  scope.end();
}

void RankedMatrix::exchange_alone(ConstDeviceView x, RankedMatrixWorkspace& workspace) const {
  if (shares_.ranks() == 1) return;
  prepare(std::min(x.columns, most_columns), workspace);
  const ExchangeScope scope(exchange_.ranks());
  for (int first = 0; first < x.columns; first += most_columns)
    exchange(x.slice(first, std::min(x.columns - first, most_columns)), workspace);
  wait(stream_, here_);
  scope.end();
}

}  // namespace cisolve::cuda

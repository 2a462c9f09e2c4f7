// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/ranked_direct_product.hpp"

#include <algorithm>
#include <limits>

#include "cisolve/core/error.hpp"
#include "core/planted_error.hpp"
#include "cuda/hamiltonian/direct/parts.hpp"
#include "cuda/ranks/exchange_scope.hpp"

namespace cisolve::cuda {

/// What goes and comes in an exchange.
struct RankedDirectProduct::Transfers {
  std::vector<DeviceSend> send;
  std::vector<DeviceReceive> receive;

  Transfers(const std::vector<direct::RankPiece>& give, const std::vector<direct::RankPiece>& take,
            DeviceArray<double>& array) {
    const auto bytes = [](const direct::RankPiece& piece) {
      return static_cast<std::size_t>(piece.size) * sizeof(double);
    };
    for (const direct::RankPiece& piece : give)
      send.push_back({piece.rank, array.data() + piece.first, bytes(piece)});
    for (const direct::RankPiece& piece : take)
      receive.push_back({piece.rank, array.data() + piece.first, bytes(piece)});
  }
};

RankedDirectProduct::RankedDirectProduct(PlannedDirectProduct planned, std::span<const double> diagonal,
                                         DeviceExchange& exchange, const Stream& stream)
    : size_(planned.host_->size()), local_rows_(planned.local_rows()), parity_(planned.host_->parity()),
      exchange_(exchange), stream_(stream) {
  if (!planned.plan_->exchange) throw DimensionError("RankedDirectProduct: planned without ranks");
  parts_ = std::make_unique<direct::Parts>(*planned.host_, diagonal, *planned.plan_, Uploads(stream));
  // Whether there are exchanges between the layouts follows from what suits a device: those of ranks must be alike.
  require_same(exchange.ranks(), parts_->uses_layout_1 ? 1 : 0, "the layouts that they work in");
  require_same(exchange.ranks(), parts_->strips.size(), "the strips in which they gather vectors");
  if (parity_ == SpinParity::none) return;
  const double largest =
      diagonal.empty() ? std::numeric_limits<double>::lowest() : *std::ranges::max_element(diagonal);
  shift_ = std::ranges::max(all_values(exchange.ranks(), largest));
}

RankedDirectProduct::~RankedDirectProduct() = default;

std::int64_t RankedDirectProduct::bytes() const noexcept {
  return parts_->bytes() + static_cast<std::int64_t>(CublasHandle::workspace_bytes);
}
std::int64_t RankedDirectProduct::workspace_bytes() const noexcept { return parts_->vectors.bytes(); }

/// Begins an exchange behind what has been enqueued. In a first product none is on its way while kernels are loaded, which
/// can wait for the device.
void RankedDirectProduct::exchange(const Transfers& transfers, const Event& done) const {
  if (exchange_.ranks().size() == 1) return;
  ready_.record(stream_);
  exchange_.exchange(transfers.send, transfers.receive, ready_, done);
  if (!overlaps_) wait(stream_, done);
  if (is_first_) done.synchronize();
}

/// Whether x comes in strips.
bool RankedDirectProduct::in_strips() const noexcept { return !parts_->strips.empty(); }

/// Begins to gather a strip of x, once the strip that was there has been worked on.
void RankedDirectProduct::gather_strip(std::size_t number, DirectWorkspace& w) const {
  const direct::SourceStrip& strip = parts_->strips[number];
  DeviceArray<double>& to = w.strips[number % 2];
  const std::size_t width = sizeof(double) * static_cast<std::size_t>(strip.columns);
  for (const direct::StripRows& own : strip.own) {
    check(cudaMemcpy2DAsync(to.data() + own.to, width, w.x[0].data() + own.from,
                            sizeof(double) * static_cast<std::size_t>(strip.panel_stride), width,
                            static_cast<std::size_t>(own.rows), cudaMemcpyDeviceToDevice, stream_.get()));
  }
  exchange({strip.give, strip.take, to}, strips_here_[number % 2]);
}

/// Begins to bring what is needed of other ranks' rows of x: all, or what own beta strings have and the first strips.
void RankedDirectProduct::gather(const Transfers& rows, DirectWorkspace& w) const {
  if (!in_strips()) return exchange(rows, rows_here_);
  const direct::ExchangePart& pieces = *parts_->exchange;
  // The way that y goes, backwards.
  if (parts_->uses_layout_1) exchange({pieces.take_columns, pieces.give_columns, w.exchanged}, columns_here_);
  for (std::size_t k = 0; k < std::min<std::size_t>(parts_->strips.size(), 2); ++k) gather_strip(k, w);
}

/// Own rows of x by alpha, and if it comes in strips packed for the owners of beta strings; with a parity, of its part that
/// has it.
void RankedDirectProduct::mirror_x(const double* x, const Transfers& columns, DirectWorkspace& w) const {
  const direct::Parts& parts = *parts_;
  const bool mirrors = parity_ != SpinParity::none;
  const bool gives_columns = in_strips() && parts.uses_layout_1;
  parts.layout.distribute(stream_, x, w.x[0].data(), gives_columns ? w.exchanged.data() : nullptr);
  if (mirrors) parts.exchange->pack_x.copy(stream_, w.x[0].data(), w.exchanged.data());
  end(RankedStage::x_packed);
  if (!mirrors) return;
  exchange(columns, columns_here_);
  wait(stream_, columns_here_);
  end(RankedStage::x_received);
  parts.layout.mirror(stream_, static_cast<double>(parity_), w.exchanged.data(), w.x[0].data());
  end(RankedStage::x_mirrored);
}

/// Rows of x by beta: from x whole, or what has come.
void RankedDirectProduct::bring_layout_1(DirectWorkspace& w) const {
  const direct::ExchangePart& pieces = *parts_->exchange;
  if (!in_strips()) return pieces.transpose.transpose(stream_, w.x[0].data(), w.x[1].data());
  wait(stream_, columns_here_);
  pieces.unpack_x.copy(stream_, w.exchanged.data(), w.x[1].data());
}

/// Own rows of y in a layout, what joins both spins.
void RankedDirectProduct::add_opposite(int layout, DirectWorkspace& w) const {
  if (in_strips() && layout == 0) return add_strips(w);
  if (is_planted(PlantedError::device_direct)) return;
  const direct::Panels panels = w.panels();
  parts_->opposite.add(stream_, panels, layout);
  parts_->long_rows.add(stream_, panels, layout);
}

/// The same from strips of x, one after the other: the next one but one comes where the last was.
void RankedDirectProduct::add_strips(DirectWorkspace& w) const {
  direct::Panels panels = w.panels();
  for (std::size_t k = 0; k < parts_->strips.size(); ++k) {
    wait(stream_, strips_here_[k % 2]);
    panels.x[0] = w.strips[k % 2].data();
    if (!is_planted(PlantedError::device_direct)) parts_->long_rows.add_strip(stream_, panels, k);
    if (k + 2 < parts_->strips.size()) gather_strip(k + 2, w);
  }
}

/// Own rows of y in both layouts, from own rows of x by alpha.
void RankedDirectProduct::add_sums(const Transfers& rows, const Transfers& columns,
                                   DirectWorkspace& w) const {
  direct::Parts& parts = *parts_;
  const direct::Panels panels = w.panels();
  gather(rows, w);
  end(RankedStage::rows_sent);
  for (DeviceArray<double>& y : w.y) {
    if (y.size() > 0) check(cudaMemsetAsync(y.data(), 0, y.size_bytes(), stream_.get()));
  }
  parts.same_spin.add(stream_, panels, w.scratch.data(), 0);
  end(RankedStage::own_rows);
  wait(stream_, in_strips() ? strips_here_[0] : rows_here_);
  end(RankedStage::rows_received);
  if (parts.uses_layout_1) {
    bring_layout_1(w);
    parts.same_spin.add(stream_, panels, w.scratch.data(), 1);
  }
  parts.same_spin.write(stream_, panels, w.scratch.data());
  // What others own is on its way while layout 0 is worked on; with a parity that is all there is.
  const auto give_columns = [&](int layout) {
    parts.exchange->pack_y.copy(stream_, w.y[layout].data(), w.exchanged.data());
    end(RankedStage::first_sums);
    exchange(columns, columns_here_);
    end(RankedStage::columns_sent);
  };
  if (parts.uses_layout_1) {
    add_opposite(1, w);
    give_columns(1);
  }
  add_opposite(0, w);
  if (parity_ != SpinParity::none)
    give_columns(0);
  else
    end(RankedStage::last_sums);
}

void RankedDirectProduct::multiply(ConstDeviceView x, DeviceView y, DirectWorkspace& workspace) const {
  if (x.rows != local_rows_ || y.rows != local_rows_ || x.columns != y.columns) {
    throw DimensionError(
        "RankedDirectProduct: x and y must have one row per own determinant and equally many columns");
  }
  DirectWorkspace& w = workspace;
  w.prepare(parts_->vectors, stream_);
  const direct::ExchangePart& pieces = *parts_->exchange;
  const Transfers rows(pieces.give_rows, pieces.take_rows, w.x[0]);
  const Transfers columns(pieces.give_columns, pieces.take_columns, w.exchanged);
  const bool parity = parity_ != SpinParity::none;
  const bool gets_columns = parity || parts_->uses_layout_1;
  const ExchangeScope scope(exchange_.ranks());
  for (int k = 0; k < x.columns; ++k) {
    if (stages_ != nullptr) stages_->begin(stream_);
    mirror_x(x.column(k), columns, w);
    add_sums(rows, columns, w);
    if (gets_columns) wait(stream_, columns_here_);
    if (gets_columns) end(RankedStage::columns_received);
    const direct::Collected collected{x.column(k),
                                      w.y[0].data(),
                                      gets_columns ? w.exchanged.data() : nullptr,
                                      parity_ == SpinParity::odd ? -1.0 : 1.0,
                                      parity ? w.x[0].data() : nullptr,
                                      shift_};
    parts_->layout.collect(stream_, collected, y.column(k));
    end(RankedStage::y_collected);
  }
  scope.end();
  is_first_ = false;
}

int RankedDirectProduct::exchanges(Exchanged what) const noexcept {
  if (what == Exchanged::rows) return 1;
  if (parity_ != SpinParity::none) return 2;
  return !parts_->uses_layout_1 ? 0 : in_strips() ? 2 : 1;
}

std::int64_t RankedDirectProduct::received_bytes(Exchanged what) const noexcept {
  std::int64_t elements = 0;
  const auto add = [&](const std::vector<direct::RankPiece>& pieces) {
    for (const direct::RankPiece& piece : pieces) elements += piece.size;
  };
  add(what == Exchanged::rows ? parts_->exchange->take_rows : parts_->exchange->take_columns);
  if (what == Exchanged::rows) {
    for (const direct::SourceStrip& strip : parts_->strips) add(strip.take);
  }
  return elements * static_cast<std::int64_t>(sizeof(double));
}

void RankedDirectProduct::exchange_alone(Exchanged what, DirectWorkspace& workspace) const {
  DirectWorkspace& w = workspace;
  w.prepare(parts_->vectors, stream_);
  const direct::ExchangePart& pieces = *parts_->exchange;
  const bool rows = what == Exchanged::rows;
  const ExchangeScope scope(exchange_.ranks());
  if (rows && in_strips()) {
    for (std::size_t k = 0; k < parts_->strips.size(); ++k) gather_strip(k, w);
    for (const Event& here : strips_here_) wait(stream_, here);
  } else {
    const Event& done = rows ? rows_here_ : columns_here_;
    exchange(rows ? Transfers(pieces.give_rows, pieces.take_rows, w.x[0])
                  : Transfers(pieces.give_columns, pieces.take_columns, w.exchanged),
             done);
    wait(stream_, done);
  }
  scope.end();
}

void RankedDirectProduct::project(DeviceView x, DirectWorkspace& workspace) const {
  if (x.rows != local_rows_)
    throw DimensionError("RankedDirectProduct: x must have one row per own determinant");
  if (parity_ == SpinParity::none) return;
  DirectWorkspace& w = workspace;
  w.prepare(parts_->vectors, stream_);
  const direct::ExchangePart& pieces = *parts_->exchange;
  const Transfers columns(pieces.give_columns, pieces.take_columns, w.exchanged);
  const ExchangeScope scope(exchange_.ranks());
  for (int k = 0; k < x.columns; ++k) {
    mirror_x(x.column(k), columns, w);
    parts_->layout.restore(stream_, w.x[0].data(), x.column(k));
  }
  scope.end();
}

void RankedDirectProduct::prepare_spin(const StringProduct& space) {
  if (parts_->spin) return;
  const BlockStructure blocks(space);
  const Communicator& ranks = exchange_.ranks();
  parts_->spin.emplace(
      direct::SpinPlan(space, blocks, BlockLayout(blocks, true), {ranks.size(), ranks.rank()}),
      Uploads(stream_));
}

std::int64_t RankedDirectProduct::gathered_size() const noexcept { return parts_->vectors.x[0]; }

const double* RankedDirectProduct::gather_whole(const double* x, DirectWorkspace& workspace) const {
  DirectWorkspace& w = workspace;
  w.prepare(parts_->vectors, stream_);
  const direct::ExchangePart& pieces = *parts_->exchange;
  const Transfers rows(pieces.give_rows, pieces.take_rows, w.x[0]);
  const ExchangeScope scope(exchange_.ranks());
  parts_->layout.distribute(stream_, x, w.x[0].data(), nullptr);
  exchange(rows, rows_here_);
  rows_here_.synchronize();  // Kernels that are loaded next would wait for what others still wait for.
  scope.end();
  return w.x[0].data();
}

void RankedDirectProduct::multiply_s_squared(ConstDeviceView x, DeviceView y,
                                             DirectWorkspace& workspace) const {
  if (x.rows != local_rows_ || y.rows != local_rows_ || x.columns != y.columns)
    throw DimensionError(
        "RankedDirectProduct: x and y must have one row per own determinant and equally many columns");
  for (int k = 0; k < x.columns; ++k) {
    const double* all = gather_whole(x.column(k), workspace);
    parts_->spin->multiply(stream_, all, workspace.y[0].data());
    parts_->layout.restore_own(stream_, workspace.y[0].data(), y.column(k));
  }
}

}  // namespace cisolve::cuda

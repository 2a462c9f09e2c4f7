// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/ranked_direct_product.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

std::span<double> elements(Array<double>& all, std::int64_t first, std::int64_t end) {
  return {all.data() + first, static_cast<std::size_t>(end - first)};
}

}  // namespace

RankedDirectProduct::RankedDirectProduct(const StringProduct& space, const DirectProduct& host,
                                         const Communicator& ranks)
    : host_(host), ranks_(ranks), shares_{ranks.size(), ranks.rank()}, share_(host.share_of(shares_)) {
  if (space.size() != host.size())
    throw DimensionError("RankedDirectProduct: the product is of another space");
  host.plan(share_);
  find_places(space);
  list_blocks();
}

/// Where the pieces of all ranks stand when their rows are gathered.
void RankedDirectProduct::find_places(const StringProduct& space) {
  const BlockStructure& blocks = host_.direct_.blocks;
  const std::vector<std::int64_t>& pieces_of = host_.pieces_of_;
  places_.resize(host_.pieces_.size());
  for (int r = 0; r < shares_.ranks; ++r) {
    RowMap rows = rows_of(space, blocks, {shares_.ranks, r});
    for (int c = 0; c < blocks.alpha.count(); ++c) {
      const StringShares::Range range = shares_.of(r, blocks.alpha.size(c));
      const std::size_t offset = blocks.alpha.offsets[c];
      const std::int64_t end = pieces_of[offset + static_cast<std::size_t>(range.last)];
      for (std::int64_t p = pieces_of[offset + static_cast<std::size_t>(range.first)]; p < end; ++p)
        places_[p] = rows_of_rank_.back() + rows.local_below(host_.pieces_[p].row);
    }
    rows_of_rank_.push_back(rows_of_rank_.back() + rows.local_rows());
    if (r == shares_.rank) rows_ = std::move(rows);
  }
}

void RankedDirectProduct::Blocks::add(const BlockLayout& layout, int alpha_class, StringShares::Range alpha,
                                      int beta_class, StringShares::Range beta) {
  const std::int64_t row = layout.row(alpha_class, beta_class);
  if (row < 0 || alpha.size() == 0 || beta.size() == 0) return;
  const BlockLayout::Panel& panel = layout.panels[static_cast<std::size_t>(alpha_class)];
  blocks.push_back({panel.offset + (row + beta.first) * panel.stride + alpha.first, panel.stride, beta.size(),
                    alpha.size(), of_rank.back()});
  of_rank.back() += std::int64_t{beta.size()} * alpha.size();
}

void RankedDirectProduct::list_blocks() {
  const StringClasses& alpha = host_.direct_.blocks.alpha;
  const StringClasses& beta = host_.direct_.blocks.beta;
  const BlockLayout& layout = host_.direct_.beta_major;
  for (int other = 0; other < shares_.ranks; ++other) {
    for (Blocks* blocks : {&sent_, &received_}) blocks->of_rank.push_back(blocks->of_rank.back());
    if (other == shares_.rank) continue;
    for (int c = 0; c < alpha.count(); ++c) {
      for (int d = 0; d < beta.count(); ++d) {
        sent_.add(layout, c, shares_.of(other, alpha.size(c)), d, shares_.own(beta.size(d)));
        received_.add(layout, c, shares_.own(alpha.size(c)), d, shares_.of(other, beta.size(d)));
      }
    }
  }
}

template <class Copy>
void RankedDirectProduct::Blocks::for_each_row(const Copy& copy) const {
#pragma omp parallel
  for (const Block& block : blocks) {
#pragma omp for schedule(static) nowait
    for (std::int32_t row = 0; row < block.rows; ++row) copy(block, row);
  }
}

void RankedDirectProduct::use_diagonal(std::span<const double> diagonal) {
  if (std::ssize(diagonal) != local_rows())
    throw DimensionError("RankedDirectProduct: one diagonal element per row of the rank is needed");
  diagonal_ = diagonal;
  if (!host_.has_parity()) return;
  double largest = -std::numeric_limits<double>::infinity();
  for (const double element : diagonal) largest = std::max(largest, element);
  shift_ = std::ranges::max(all_values(ranks_, largest));
}

DirectProduct::Places RankedDirectProduct::own_places() const {
  return {places_.data(), rows_of_rank_[static_cast<std::size_t>(shares_.rank)]};
}

std::int64_t RankedDirectProduct::workspace_bytes() const {
  const std::int64_t alpha_major = host_.direct_.alpha_major.size;
  const std::int64_t beta_major = host_.direct_.beta_major.size;
  const std::int64_t y_size = alpha_major + (host_.has_parity() ? 0 : beta_major);
  return 8 * (size() + alpha_major + beta_major + y_size + sent_.of_rank.back() + received_.of_rank.back()) +
         8 * static_cast<std::int64_t>(share_.tile_size) * omp_get_max_threads();
}

void RankedDirectProduct::prepare(RankedDirectWorkspace& workspace) const {
  host_.prepare(share_, workspace.layouts);
  const auto fit = [](Array<double>& array, std::int64_t wanted) {
    if (std::ssize(array) != wanted) array = Array<double>(static_cast<std::size_t>(wanted));
  };
  fit(workspace.x, size());
  fit(workspace.sent, sent_.of_rank.back());
  fit(workspace.received, received_.of_rank.back());
}

/// All ranks' rows of a vector.
void RankedDirectProduct::gather(const double* x, RankedDirectWorkspace& workspace) const {
  workspace.outgoing.clear();
  workspace.incoming.clear();
  const auto mine = std::as_bytes(std::span(x, static_cast<std::size_t>(local_rows())));
  for (int r = 0; r < shares_.ranks; ++r) {
    const std::int64_t* rows = rows_of_rank_.data() + r;
    workspace.outgoing.push_back({r, mine});
    workspace.incoming.push_back({r, std::as_writable_bytes(elements(workspace.x, rows[0], rows[1]))});
  }
  ranks_.exchange(workspace.outgoing, workspace.incoming);
}

/// Brings what was computed by beta strings to the owners of the alpha strings, in the same layout.
void RankedDirectProduct::send_home(RankedDirectWorkspace& workspace) const {
  double* y = workspace.layouts.y[host_.has_parity() ? 0 : 1].data();
  sent_.for_each_row([&](const Block& block, std::int64_t row) {
    std::copy_n(y + block.at + row * block.stride, block.columns,
                workspace.sent.data() + block.packed + row * block.columns);
  });
  workspace.outgoing.clear();
  workspace.incoming.clear();
  for (int r = 0; r < shares_.ranks; ++r) {
    if (r == shares_.rank) continue;
    const std::int64_t* out = sent_.of_rank.data() + r;
    const std::int64_t* in = received_.of_rank.data() + r;
    workspace.outgoing.push_back({r, std::as_bytes(elements(workspace.sent, out[0], out[1]))});
    workspace.incoming.push_back({r, std::as_writable_bytes(elements(workspace.received, in[0], in[1]))});
  }
  ranks_.exchange(workspace.outgoing, workspace.incoming);
  received_.for_each_row([&](const Block& block, std::int64_t row) {
    std::copy_n(workspace.received.data() + block.packed + row * block.columns, block.columns,
                y + block.at + row * block.stride);
  });
}

void RankedDirectProduct::multiply(ConstHostView x, HostView y, RankedDirectWorkspace& workspace) const {
  if (x.rows != local_rows() || y.rows != local_rows() || x.columns != y.columns)
    throw DimensionError("RankedDirectProduct: x and y must have the rank's rows and equally many columns");
  if (std::ssize(diagonal_) != local_rows())
    throw DimensionError("RankedDirectProduct: no diagonal is known");
  prepare(workspace);
  for (int k = 0; k < x.columns; ++k) {
    gather(x.column(k), workspace);
    host_.distribute(workspace.x.data(), {places_.data()}, workspace.layouts);
    host_.run_tasks(share_, workspace.layouts);
    send_home(workspace);
    host_.collect(share_, {own_places(), x.column(k), diagonal_.data(), shift_, y.column(k)},
                  workspace.layouts);
  }
}

void RankedDirectProduct::project(HostView x, RankedDirectWorkspace& workspace) const {
  if (x.rows != local_rows()) throw DimensionError("RankedDirectProduct: x must have the rank's rows");
  if (!host_.has_parity()) return;
  prepare(workspace);
  for (int k = 0; k < x.columns; ++k) {
    gather(x.column(k), workspace);
    host_.distribute(workspace.x.data(), {places_.data()}, workspace.layouts);
    host_.take_projected(share_, own_places(), workspace.layouts, x.column(k));
  }
}

}  // namespace cisolve

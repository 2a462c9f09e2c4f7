// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"

namespace cisolve {

/// Scratch of a rank's part of a direct product. Keep one beside the operator; one product at a time.
class RankedDirectWorkspace {
  friend class RankedDirectProduct;
  DirectWorkspace layouts;
  Array<double> x;               ///< of all ranks, one after the other
  Array<double> sent, received;  ///< blocks of the layout by beta strings
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
};

/// One rank's rows of y = H x on the host, as DirectProduct computes them, to the last bit.
///
/// Each rank has the rows of its alpha strings (rows_of). For a product it gathers all of x, computes the rows of its
/// alpha strings in one layout and those of its beta strings in the other, and sends elements of the latter home to
/// the owners of their alpha strings. With a spin parity the second layout mirrors the first, whose elements it sends.
/// So every element is summed by one rank in the order that it always has.
/// @see DirectProduct, whose tables the ranks of a process share
class RankedDirectProduct {
public:
  /// @param space  that of the product; is not kept
  /// @param host   must outlive this object; needs no diagonal. It may be that of other rank threads as well
  /// @param ranks  who takes part; must outlive this object
  RankedDirectProduct(const StringProduct& space, const DirectProduct& host, const Communicator& ranks);
  RankedDirectProduct(const RankedDirectProduct&) = delete;
  RankedDirectProduct& operator=(const RankedDirectProduct&) = delete;

  /// Gives own rows of the diagonal of H, before the first product. Called by all ranks.
  /// @param diagonal  hartree, [local_rows()]; must outlive this object
  /// @throws DimensionError if it is not that long
  void use_diagonal(std::span<const double> diagonal);

  std::int64_t size() const { return host_.size(); }  ///< order of H
  std::int64_t local_rows() const { return rows_.local_rows(); }
  const RowMap& rows() const { return rows_; }  ///< that this rank has
  SpinParity parity() const { return host_.parity(); }

  /// The eigenvalue of everything that has not the parity asked for, hartree: the same on all ranks.
  double shift() const { return shift_; }

  /// Bytes that a workspace takes at most with the present number of threads.
  std::int64_t workspace_bytes() const;

  /// Own rows of y = H x; local_rows() x k, k the same on all ranks, which all call it.
  /// @throws DimensionError if shapes disagree, or the diagonal is not known
  void multiply(ConstHostView x, HostView y, RankedDirectWorkspace& workspace) const;

  /// Leaves of each column the part that has the parity; without a parity, all. Called by all ranks.
  /// @throws DimensionError if the rows are not the own ones
  void project(HostView x, RankedDirectWorkspace& workspace) const;

private:
  /// Beta strings of one class and rank with alpha strings of one class and another rank, in the layout by beta
  /// strings and, one row after the other, in what is sent.
  struct Block {
    std::int64_t at;  ///< elements
    std::int64_t stride;
    std::int32_t rows, columns;
    std::int64_t packed;
  };
  /// What goes to, or comes from, the other ranks.
  struct Blocks {
    std::vector<Block> blocks;
    std::vector<std::int64_t> of_rank{0};  ///< [ranks + 1] elements packed

    void add(const BlockLayout& layout, int alpha_class, StringShares::Range alpha, int beta_class,
             StringShares::Range beta);
    /// copy(Block, row) in parallel.
    template <class Copy>
    void for_each_row(const Copy& copy) const;
  };

  void find_places(const StringProduct& space);
  void list_blocks();
  DirectProduct::Places own_places() const;
  void prepare(RankedDirectWorkspace& workspace) const;
  void gather(const double* x, RankedDirectWorkspace& workspace) const;
  void send_home(RankedDirectWorkspace& workspace) const;

  const DirectProduct& host_;
  const Communicator& ranks_;
  StringShares shares_;
  DirectProduct::Share share_;
  RowMap rows_;
  std::vector<std::int64_t> rows_of_rank_{
      0};                             ///< [ranks + 1] first of each where they stand one after the other
  std::vector<std::int64_t> places_;  ///< [pieces] first row, there
  Blocks sent_, received_;
  std::span<const double> diagonal_;
  double shift_ = 0.0;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

namespace direct {
struct Kernels;
}

/// Sign that coefficients take when the strings of the two spins are exchanged, C(Ia, Ib) = +-C(Ib, Ia): for
/// Ms = 0 the sign of (-1)^S. `even`: S = 0, 2, ...; `odd`: S = 1, 3, ...
enum class SpinParity : int { none = 0, even = 1, odd = -1 };

/// What y = H x needs of a product space and its integrals, on any device: block structure, layouts and
/// the excitations of each spin's strings. Nothing of it grows with the number of determinants.
struct DirectTables {
  BlockStructure blocks;
  bool exchange_symmetric;  ///< H commutes with the exchange of the spins: same strings, same orbitals
  BlockLayout alpha_major;  ///< panels of beta classes, rows are alpha strings
  BlockLayout beta_major;   ///< panels of alpha classes, rows are beta strings
  SpinLinks alpha_links;
  CoulombTable alpha_coulomb;  ///< what beta excitations feel of alpha strings

private:
  std::optional<SpinLinks> own_beta_links_;  ///< none if they are those of alpha
  std::optional<CoulombTable> own_beta_coulomb_;

public:
  const SpinLinks& beta_links;
  const CoulombTable& beta_coulomb;

  DirectTables(const StringProduct& space, const IntegralTables& tables,
               OwnDoubles doubles = OwnDoubles::listed);
  DirectTables(const DirectTables&) = delete;
  DirectTables& operator=(const DirectTables&) = delete;

  std::int64_t bytes() const {
    return alpha_links.bytes() + alpha_coulomb.bytes() +
           (exchange_symmetric ? 0 : beta_links.bytes() + beta_coulomb.bytes());
  }
};

/// Scratch of a direct product: four vectors in the order of blocks and a tile per thread. Keep one
/// beside the operator; one product at a time.
class DirectWorkspace {
  friend class DirectProduct;
  friend class RankedDirectProduct;
  Array<double> x[2], y[2];
  std::vector<Array<double>> tiles;
};

/// y = H x over a StringProduct from strings alone: no element of H is stored.
///
/// H = diagonal + same-spin excitations + opposite-spin doubles. Same-spin excitations act on whole rows of
/// the block layout of their spin. Opposite-spin doubles sum (pq|rs) E_pq E_rs over pairs p != q, r != s: for
/// each pair rs the columns that it joins are gathered with their phase into a narrow tile, on which the
/// excitations pq of the other spin act as one sparse matrix with elements (pq|rs) for all columns of the
/// tile. Where classes are so large that it costs less, the sum over pq is done as a dense product over all
/// columns instead, and rs afterwards. Each block of y is computed in the layout whose columns are more.
///
/// Orbitals of their own for each spin (unrestricted) take two tables where restricted ones share one.
///
/// Told a spin parity, it is H within that parity, with half the work: y = P H P x + shift (1 - P) x, where P
/// makes x of that parity. All other eigenvectors of H then lie at `shift`, the largest diagonal element.
/// Sums have an order fixed by the space, so results don't depend on the number of threads.
/// @see RankedDirectProduct, which shares the work with others
/// @see J. Olsen, B. O. Roos, P. Jorgensen, H. J. Aa. Jensen, J. Chem. Phys. 89 (1988) 2185,
///      doi:10.1063/1.455063
class DirectProduct {
  friend class RankedDirectProduct;

public:
  /// @param space     is not kept
  /// @param tables    must outlive this object
  /// @param diagonal  of H, hartree, [space.size()]; must outlive this object. Empty: use_diagonal follows, and
  ///                  until then there are plans alone
  /// @param parity    the spin parity to keep to, or none
  /// @param doubles   left out: there are plans alone, in which every class is projected
  /// @throws DimensionError if the tables have a threshold (every element takes part here), the diagonal
  ///                        is not of the space, or a parity is asked for where H has none
  ///                        (DirectTables::exchange_symmetric)
  DirectProduct(const StringProduct& space, const IntegralTables& tables, std::span<const double> diagonal,
                SpinParity parity = SpinParity::none, OwnDoubles doubles = OwnDoubles::listed);

  /// Gives the diagonal of H afterwards: nothing else here is of the length of a vector.
  /// @param diagonal  hartree, [size()]; must outlive this object
  /// @throws DimensionError if it is not that long
  void use_diagonal(std::span<const double> diagonal);
  ~DirectProduct();
  DirectProduct(const DirectProduct&) = delete;
  DirectProduct& operator=(const DirectProduct&) = delete;

  /// Rows of a run of the space: an alpha string with consecutive beta strings of a class. Rows are
  /// consecutive, or where BlockStructure::places says.
  struct Piece {
    std::int64_t row;     ///< first of the run
    std::int64_t gather;  ///< as BlockStructure::ListPart has it
    std::int32_t beta_class, position, size;
  };

  std::int64_t size() const { return size_; }
  SpinParity parity() const { return parity_; }

  /// The eigenvalue of everything that has not the parity asked for, hartree.
  double shift() const { return shift_; }
  const DirectTables& tables() const { return direct_; }
  const IntegralTables& integrals() const { return integrals_; }
  std::span<const double> diagonal() const { return diagonal_; }

  /// Rows of an alpha string, numbered class after class, by beta class and position: all strings of a class
  /// have the same sequence.
  std::span<const Piece> pieces_of(std::int32_t ordinal) const {
    const std::size_t at = ordinal;
    return {pieces_.data() + pieces_of_[at], pieces_.data() + pieces_of_[at + 1]};
  }

  /// Some consecutive strings of an alpha class with one piece of each, the same for all, and where the layouts have
  /// them: the k-th string's with the j-th of the beta strings alpha_stride k + j behind by_alpha in the one, beta_stride
  /// j + k behind by_beta in the other.
  struct Tile {
    std::int32_t ordinal, strings;   ///< the first alpha string, and how many
    std::size_t piece;               ///< its number among the pieces of each
    std::int32_t beta_strings;       ///< of the piece
    std::int64_t by_alpha, by_beta;  ///< elements
    std::int64_t alpha_stride, beta_stride;
  };

  /// body(Tile) for every piece that some strings of an alpha class have.
  template <class Body>
  void for_each_tile(int alpha_class, std::int32_t first, std::int32_t count, const Body& body) const {
    const BlockLayout::Panel& transposed = direct_.beta_major.panels[alpha_class];
    const std::int32_t ordinal = direct_.blocks.alpha.offsets[alpha_class] + first;
    const std::span<const Piece> pieces = pieces_of(ordinal);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const auto& [row, gather, d, position, size] = pieces[p];
      const BlockLayout::Panel& panel = direct_.alpha_major.panels[d];
      const std::int64_t by_alpha =
          (direct_.alpha_major.row(d, alpha_class) + first) * panel.stride + position;
      const std::int64_t by_beta =
          (direct_.beta_major.row(alpha_class, d) + position) * transposed.stride + first;
      body(Tile{ordinal, count, p, size, panel.offset + by_alpha, transposed.offset + by_beta, panel.stride,
                transposed.stride});
    }
  }

  /// Nonzero elements that a stored H would have, counted from the tables (an element that vanishes because
  /// its terms happen to cancel is counted, as is all of the diagonal while it is not known).
  std::int64_t count_nonzeros() const;

  /// Bytes of the tables, without the workspace.
  std::int64_t bytes() const;

  /// Cycles of a core that a product with one vector is expected to take on the host, all threads together.
  double expected_cycles() const;

  /// Bytes that a workspace takes with the present number of threads.
  std::int64_t workspace_bytes() const;

  /// y = H x; size() x k for any k, in the order of the space.
  /// @throws DimensionError if shapes disagree
  void multiply(ConstHostView x, HostView y, DirectWorkspace& workspace) const;

  /// Leaves of each column the part that has the parity; without a parity, all.
  void project(HostView x, DirectWorkspace& workspace) const;

private:
  /// A part of a panel of y, computed by one thread.
  struct Task {
    int layout;  ///< 0: alpha major, 1: beta major
    int panel;
    std::int64_t first_row, last_row;  ///< of the panel's rows that are own, counted one after the other
    std::int64_t first_column, last_column;
    double cost;
  };
  using Ranges = std::span<const StringShares::Range>;  ///< [classes] of each, places of own strings
  /// Who does what of a product: makes the own strings' rows of either layout.
  struct Share {
    std::vector<StringShares::Range> own[2];  ///< alpha, beta
    std::vector<Task> tasks;
    std::size_t tile_size = 0;  ///< doubles
  };
  /// Where a vector has the first row of each piece.
  struct Places {
    const std::int64_t* first = nullptr;  ///< [pieces] none: in the order of the space
    std::int64_t base = 0;                ///< what counts as 0 there
  };
  /// The rows of own alpha strings in vectors.
  struct OwnRows {
    Places places;
    const double* x;
    const double* diagonal;
    double shift;
    double* y;
  };
  struct Side;
  struct Source;
  struct DensePlan;

  Side side(int layout, const Share& share) const;
  Share share_of(const StringShares& shares) const;
  void plan() const;
  void plan(Share& share) const;
  void choose_dense() const;
  void list_tasks(Share& share) const;
  double cost_of(const Task& task, const Share& share) const;
  void prepare(const Share& share, DirectWorkspace& workspace) const;
  void distribute(const double* x, const Places& places, DirectWorkspace& workspace) const;
  void run_tasks(const Share& share, DirectWorkspace& workspace) const;
  void collect(const Share& share, const OwnRows& rows, const DirectWorkspace& workspace) const;
  void take_projected(const Share& share, const Places& places, const DirectWorkspace& workspace,
                      double* x) const;
  template <class Body>
  void for_tiles_of(Ranges alpha, const Body& body) const;
  template <class Visit>
  void with_rows(const Tile& tile, std::int32_t string, const Places& places, const Visit& visit) const;
  void run(const Task& task, const Side& side, DirectWorkspace& workspace, Array<double>& tile) const;
  void same_spin(const Task& task, const Side& side, const double* x, double* y) const;
  void opposite_spin(const Task& task, const Side& side, const double* x, double* y,
                     Array<double>& tile) const;
  void walk_tiles(const Task& task, const Side& side, int source_class, const double* x, double* y,
                  Array<double>& tile) const;
  void multiply_densely(const Task& task, const Side& side, int source_class, const double* x, double* y,
                        Array<double>& tile) const;

  bool has_parity() const { return parity_ != SpinParity::none; }
  /// Layouts that are worked in: with a parity the second mirrors the first.
  int num_layouts() const { return has_parity() ? 1 : 2; }

  std::int64_t size_;
  SpinParity parity_;
  double shift_ = 0.0;
  const IntegralTables& integrals_;
  const direct::Kernels& kernels_;  ///< for the instructions of this processor
  DirectTables direct_;
  std::span<const double> diagonal_;
  std::vector<std::int64_t> pieces_of_;  ///< [alpha strings in use + 1], class after class
  std::vector<Piece> pieces_;
  std::vector<std::uint8_t>
      couples_[2];  ///< by layout [pairs rs of the minor spin] 1: some (pq|rs), p != q, is not 0
  // What only products on the host need, made for the first of them.
  mutable std::once_flag dense_is_chosen_, whole_is_planned_;
  mutable std::unique_ptr<DensePlan> dense_;
  mutable Share whole_;  ///< all strings; its tasks are made for a product without ranks
};

/// A dense block of H within a spin parity, as DirectProduct applies it: P H P + shift (1 - P) over some
/// rows.
template <int Words>
Matrix dense_block(const Integrals& integrals, const Space<Words>& space, std::span<const std::int64_t> rows,
                   SpinParity parity, double shift);

/// Dimension of the part of a space that has a spin parity; 0 where H cannot be restricted to one.
std::int64_t parity_dimension(const StringProduct& space, SpinParity parity);

}  // namespace cisolve

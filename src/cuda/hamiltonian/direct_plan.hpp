// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cisolve/hamiltonian/direct_product.hpp"
#include "cuda/hamiltonian/direct_product.hpp"
#include "cuda/hamiltonian/direct_types.hpp"
#include "cuda/hamiltonian/projection_plan.hpp"

namespace cisolve::cuda::direct {

/// One of the two layouts and the roles that the spins have in it.
struct Side {
  int number;
  const BlockLayout& layout;
  const StringClasses& major;
  const StringClasses& minor;
  const SpinLinks& major_links;
  const SpinLinks& minor_links;
  const CoulombTable& major_coulomb;

  Side(const DirectTables& tables, int number);
};

/// How opposite-spin intermediates are held.
struct Shape {
  int blocks = 1;           ///< of threads, per multiprocessor
  int warps = most_warps;   ///< of a block
  std::int32_t most_t = 0;  ///< elements of t
};

/// Which same-spin parts are dense or projected, and what the others read.
struct OwnPlan {
  /// Excitations of the strings of one spin: same-spin doubles, and the part of singles within the spin.
  struct Links {
    std::vector<std::int64_t> groups_of;  ///< [strings + 1]
    std::vector<OwnGroup> groups;
    std::vector<double> values;  ///< hartree, phase included
    std::vector<std::int32_t> sources;

    /// Adds those of a string that come from rows of a panel.
    void add_rows(std::size_t target, const BlockLayout& layout, int panel, std::vector<double>& to_values,
                  std::vector<std::int32_t>& to_rows) const;
  };
  /// The same-spin Hamiltonian between all rows of a panel, as a dense matrix.
  struct PanelMatrix {
    int layout, panel;  ///< a panel that has those rows
    std::int32_t rows, ld;
    std::int64_t first;                   ///< element
    std::vector<std::int64_t> first_row;  ///< of the panel, by class
    std::vector<DenseTile> tiles;         ///< of all panels of the same rows
  };
  Links links[2];  ///< by spin; one, if both have the same strings
  std::vector<OwnSegment> segments;
  std::int64_t num_warps = 0;
  std::vector<DenseClass> dense;
  std::vector<std::int32_t> dense_of[2];  ///< by class; -1: neither dense nor projected
  std::int64_t dense_buffer = 0;          ///< elements
  ProjectionPlan projections;
  std::vector<PanelMatrix> panel_matrices;  ///< one for all panels of the same rows
  std::int64_t panel_matrices_size = 0;     ///< elements
  std::vector<DenseTile> dense_tiles;
  std::vector<DenseGroup> dense_groups;
  std::int32_t num_dense_blocks = 0;  ///< of threads
  bool uses_layout_1 = false;
  bool fills_layout_1 = true;  ///< every element of y is written, as always in layout 0

  OwnPlan(const cisolve::DirectProduct& host, const DirectConfig& config);

  /// Of the major spin of a layout.
  const Links& links_of(int layout, bool symmetric) const { return links[symmetric ? 0 : layout]; }

  /// Whether a major class has a segment in a panel; takes it out.
  bool take_segment(int layout, int minor_class, int major_class);

  /// Numbers the warps of the segments.
  void count_warps();

private:
  /// Makes a panel dense if that costs less.
  bool make_dense(const Side& side, int panel, bool symmetric, std::int64_t most_panel_elements);
  void group_tiles();
};

/// What the opposite-spin part reads of either spin.
struct Excitations {
  std::vector<Pair> pairs;
  std::vector<Range> ranges;  ///< of the links of an item, by string
  std::vector<Link> links;    ///< of a string ascending by pair
};

/// The opposite-spin part of rows whose t fits into shared memory, for some pairs at a time: everything of a direct
/// product that joins both spins, the diagonal aside; and their same-spin part.
struct OppositePlan {
  Shape shape;
  std::vector<Block> blocks;
  std::vector<Phase> phases;
  std::vector<Item> items;
  std::vector<std::int32_t> step_items;     ///< item of every link_step excitations of a phase
  std::vector<std::int32_t> slice_offsets;  ///< [slices + 1] of each phase, groups
  std::vector<std::uint16_t> entries;       ///< 2 * place in t + sign
  std::vector<std::int64_t> own_offsets;    ///< [strings + 1] of each block that sums same-spin excitations
  std::vector<double> own_values;           ///< hartree, phase included
  std::vector<std::int32_t> own_rows;       ///< of the sources in the panel
  std::vector<RowTask> tasks;               ///< the costly ones first
  std::int32_t most_factors = 0;            ///< of a phase
  std::int32_t most_links = 0;              ///< of a phase
  std::int32_t most_items = 0;              ///< of a phase
  std::int32_t most_columns = 0;            ///< of a block
  std::int64_t packs_size = 0;              ///< elements of the packs of all rows
  bool packed = false;                      ///< packs are made once and kept, else in every product

  /// Elements of the largest pack.
  std::int64_t most_pack() const;

  /// Of a block of threads.
  std::size_t shared_bytes() const;
};

/// The opposite-spin part of rows that are too long for that: t for all columns of a tile and many pairs at a time.
struct TiledPlan {
  bool shared = true;                ///< a row of y in shared memory, else it is added to where it is
  std::int32_t pairs_at_a_time = 8;  ///< of an item at most, whole eights
  std::int32_t most_links = 0;       ///< of an item
  std::int32_t most_columns = 0;
  std::vector<TiledBlock> blocks;
  std::vector<TiledItem> items;
  std::vector<Walk> walks;
  std::vector<std::uint32_t> words;
  std::vector<RowTask> tasks;  ///< the costly ones first

  /// Elements of t, one that is zero included, in whole 16 bytes; of the factors of an item.
  std::int64_t t_size() const { return pairs_at_a_time * tiled_ld + 2; }
  std::int64_t factors_size() const;

  /// Of a block of threads.
  std::size_t shared_bytes() const;
};

/// What moves vectors between the order of the space and the layouts.
struct LayoutPlan {
  std::vector<LayoutTile> tiles;
  std::vector<std::int32_t> square_tiles;  ///< tile of each square
  std::vector<PieceRows> piece_rows;

  explicit LayoutPlan(const cisolve::DirectProduct& host);
};

/// Everything that a direct product on a device needs, in host memory.
struct DirectPlan {
  OwnPlan own;
  Excitations excitations;
  OppositePlan opposite;
  TiledPlan tiled;
  LayoutPlan layout;
  bool uses_layout_1;  ///< else everything is done in layout 0

  /// @throws ResourceError if a string has more excitations than shared memory has room for
  DirectPlan(const cisolve::DirectProduct& host, const DirectConfig& config)
      : own(host, config), layout(host), uses_layout_1(own.uses_layout_1) {
    plan_opposite(host, config);
    own.count_warps();
  }

private:
  void plan_opposite(const cisolve::DirectProduct& host, const DirectConfig& config);
};

}  // namespace cisolve::cuda::direct

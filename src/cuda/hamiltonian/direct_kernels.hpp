// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/core/stream.hpp"
#include "cuda/hamiltonian/direct_types.hpp"

// Kernels behind a direct product. All pointers are device memory; everything is enqueued on the stream and returns.
// All throw CudaError if a kernel cannot be launched.
namespace cisolve::cuda::direct {

/// What the opposite-spin part reads of either spin; see Excitations.
struct ExcitationTables {
  const Pair* pairs;
  const Range* ranges;
  const Link* links;
  std::int32_t num_all_pairs;
  const double* integrals;   ///< [pairs][pairs]
  const double* coulomb[2];  ///< CoulombTable of the major spin, by layout
  std::int64_t coulomb_width[2];
};

/// The tables of the opposite-spin part; see OppositePlan.
struct OppositeTables {
  ExcitationTables excitations;
  const Block* blocks;
  const Phase* phases;
  const Item* items;
  const std::int32_t* step_items;
  const std::int32_t* slice_offsets;
  const std::uint16_t* entries;
  const std::int64_t* own_offsets;
  const double* own_values;
  const std::int32_t* own_rows;
  const RowTask* tasks;
  std::int32_t num_tasks;
  std::int32_t most_columns;
  const double* packs;  ///< of all rows; null: made as they are needed
};

/// The tables of the opposite-spin part of long rows; see TiledPlan.
struct TiledTables {
  ExcitationTables excitations;
  const TiledBlock* blocks;
  const TiledItem* items;
  const Walk* walks;
  const std::uint32_t* words;
  const RowTask* tasks;
  std::int32_t num_tasks;
  std::int32_t pairs_at_a_time, most_links;
  std::int64_t t_size, factors_size;
};

/// The tables of same-spin excitations; see OwnPlan.
struct OwnTables {
  const OwnSegment* segments;
  std::int32_t num_segments;
  std::int64_t num_warps;
  const std::int64_t* groups_of[2];  ///< by layout
  const OwnGroup* groups[2];
  const double* values[2];
  const std::int32_t* sources[2];
  const std::int64_t* first_row[2];  ///< of BlockLayout
  std::int32_t num_major[2];
  const DenseTile* dense_tiles;
  const DenseGroup* dense_groups;
  std::int32_t num_dense_groups;
  std::int32_t num_dense_blocks;
  const double* panel_matrices;
};

/// Vectors in both layouts.
struct Panels {
  const double* x[2];
  double* y[2];
};

struct SumsLaunch {
  int blocks;  ///< per multiprocessor
  std::size_t shared_bytes;
};

struct TiledLaunch {
  bool shared;  ///< as TiledPlan has it
  std::size_t shared_bytes;
};

/// Makes the packs of all rows.
/// @param packs  [OppositePlan::packs_size]
void launch_packs(const Stream& stream, const OppositeTables& tables, double* packs);

/// The rows of blocks: opposite-spin excitations, what those of one spin feel of the other, and same-spin excitations
/// where Block::first_own says so.
void launch_sums(const Stream& stream, const OppositeTables& tables, const SumsLaunch& launch,
                 const Panels& panels);

/// Adds the opposite-spin part to long rows, and what excitations of one spin feel of the other.
void launch_tiled(const Stream& stream, const TiledTables& tables, const TiledLaunch& launch,
                  const Panels& panels);

/// y = same-spin excitations of x, in the segments.
void launch_segments(const Stream& stream, const OwnTables& tables, const Panels& panels);

/// The same in the panels that have dense matrices.
void launch_dense_panels(const Stream& stream, const OwnTables& tables, const Panels& panels);

/// Columns of a dense same-spin matrix.
struct DenseColumns {
  int layout;                 ///< whose major spin it is of
  std::int32_t first, count;  ///< strings that they belong to, ordinals
  std::int32_t ld;
  const std::int64_t*
      first_row;  ///< by class of source strings, -1: not in the matrix; null: there is one class
};

/// @param dense  the first of the columns
void launch_densify(const Stream& stream, const OwnTables& tables, const DenseColumns& columns,
                    double* dense);

/// The tables of a ProjectionPlan.
struct ProjectionTables {
  const ProjectionItem* items;
  const ProjectionEntry* entries;
  const std::int32_t* slots;
  const double* integrals;
};

/// A same-spin product in a panel: of its rows, and writes y, or of its columns, and adds to y.
struct ProjectedPart {
  Projection projection;
  const double* x;
  double* y;
  std::int32_t rows, columns;
  std::int64_t stride;
  bool left;
};

/// @param scratch  [num_entries][width] of intermediates, and behind them, if not left, [columns][width]
void launch_projection(const Stream& stream, const ProjectionTables& tables, const ProjectedPart& part,
                       double* scratch);

struct LayoutTables {
  const LayoutTile* tiles;
  const PieceRows* piece_rows;
  const std::int32_t* places;
  const std::int32_t* square_tiles;
  std::int32_t num_squares;
};

/// x in the layouts; by_beta may be null.
void launch_distribute(const Stream& stream, const LayoutTables& tables, const double* x, double* by_alpha,
                       double* by_beta);

/// a = 1/2 (a + sign b), `size` elements.
void launch_symmetrize(const Stream& stream, std::int64_t size, double sign, const double* b, double* a);

/// What collect makes of a product.
struct Collected {
  const double* x;
  const double* diagonal;
  const double* by_alpha;
  const double* by_beta;  ///< null: nothing
  double sign;            ///< of by_beta
  const double* within;   ///< null, or x by alpha with the parity
  double shift;
};

/// y = diagonal x + by_alpha + sign by_beta, with a parity y = diagonal within + ... + shift (x - within).
void launch_collect(const Stream& stream, const LayoutTables& tables, const Collected& collected, double* y);

/// y = by_alpha, in the order of the space.
void launch_restore(const Stream& stream, const LayoutTables& tables, const double* by_alpha, double* y);

}  // namespace cisolve::cuda::direct

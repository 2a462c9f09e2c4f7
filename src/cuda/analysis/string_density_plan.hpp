// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "cisolve/hamiltonian/string_shares.hpp"
#include "cuda/hamiltonian/direct/layout/layout_plan.hpp"

namespace cisolve {
class StringProduct;
}

// What the sums of one-particle density matrices over a product space read on a device. A *piece* is a list of beta
// strings that a run of the space has as a whole; the *row* of an alpha string is all of its coefficients, piece after
// piece, cut into *tiles* that fit into shared memory.
namespace cisolve::cuda {

/// How the sums are cut for a device. As told, for an H100.
struct StringDensityConfig {
  std::int64_t shared_memory = std::int64_t{227} << 10;  ///< that a block of threads may have, bytes
  std::int32_t most_tile_strings = 9216;                 ///< so that three tiles fit into a multiprocessor
  std::int64_t least_alpha_work = 1 << 16;  ///< multiplications of a task, where there are so many,
  std::int64_t least_beta_work = 1 << 17;
  std::int64_t most_alpha_tasks = 1 << 16;  ///< about so many, where there are many multiplications
  std::int64_t most_beta_tasks = 1 << 14;
  /// Links, or parts of the vectors, that a plan may list: listing more takes longer than the sums do on the host.
  std::int64_t most_entries = 1 << 24;

  /// For the current device.
  /// @throws CudaError if there is none
  static StringDensityConfig for_device();
};

/// Excitations of alpha strings of one class to those of one, by the same orbitals, over a piece that both have: the
/// sum of a block of threads.
struct AlphaTask {
  std::int64_t to_rows, from_rows;  ///< piece_rows of the first string of each class
  std::int64_t first, last;         ///< alpha_links
  std::int32_t size;                ///< of the piece
  std::int32_t lanes;               ///< threads to a row, a power of two
};

struct AlphaLink {
  std::int32_t source;        ///< position in its class, as the target is
  std::uint32_t target_code;  ///< 2 * target + (1 if the sign is negative)
};

/// A part of a tile that is part of a piece.
struct TilePart {
  std::int64_t rows;            ///< piece_rows of the first string of the class
  std::int32_t first;           ///< beta string in the piece
  std::int32_t position, size;  ///< in the tile
};

/// Excitations of beta strings from one tile of the rows of an alpha class to another, or within one.
struct TilePair {
  std::int64_t first_group, last_group;                   ///< beta_groups
  std::int32_t to_first, to_last, from_first, from_last;  ///< tile_parts
  std::int32_t to_size, from_size;                        ///< beta strings
};

/// Those by the same orbitals.
struct BetaGroup {
  std::int64_t first, last;  ///< beta_links
  std::int64_t partial;      ///< sum of the first task of the tile pair
};

/// Some alpha strings with a tile pair: a block of threads, which makes a sum for each group.
struct BetaTask {
  std::int32_t pair;
  std::int32_t first, last;  ///< alpha strings in their class
  std::int32_t number;       ///< tasks of the pair before
};

/// Partial sums that make an element of a density matrix.
struct PartialSums {
  std::int64_t first, last;
};

template <template <class> class Array>
struct StringDensityArrays {
  Array<direct::PieceRows> piece_rows;  ///< of each class and piece, string after string
  Array<std::int32_t> places;           ///< of the host's BlockStructure
  Array<AlphaLink> alpha_links;
  Array<AlphaTask> alpha_tasks;  ///< their sums are the first of all
  Array<TilePart> tile_parts;
  Array<TilePair> tile_pairs;
  Array<BetaGroup> beta_groups;
  /// 65536 * source + 2 * target + (1 if the sign is negative), in their tiles.
  Array<std::uint32_t> beta_links;
  Array<BetaTask> beta_tasks;
  Array<PartialSums> sums;  ///< of each element

  static auto members(auto& of) {
    return std::tie(of.piece_rows, of.places, of.alpha_links, of.alpha_tasks, of.tile_parts, of.tile_pairs,
                    of.beta_groups, of.beta_links, of.beta_tasks, of.sums);
  }
};

/// The strings of a tile at most: what beta_links have room for.
inline constexpr std::int32_t most_tile_strings = 1 << 15;

/// Threads of a block that does an AlphaTask.
inline constexpr int alpha_threads = 256;

/// The sums of <k|a+_p a_q|l>, p >= q, of both spins, for vectors k and l over one space; p < q follows from <l|..|k>.
struct StringDensityPlan {
  struct Element {
    bool is_beta;
    std::uint8_t p, q;
  };

  StringDensityArrays<direct::HostArray> arrays;
  std::vector<Element> elements;  ///< that may differ from zero, as arrays.sums has them
  std::int64_t num_rows = 0;      ///< of the space
  int num_orbitals = 0;
  std::int64_t num_partials = 0;
  /// Of shared memory, that a block of threads needs for tiles of two vectors, and where both are the same one.
  std::int64_t doubles_of_two = 0, doubles_of_one = 0;

  /// @param space  is not kept
  /// @throws ResourceError  it would list more than config.most_entries
  explicit StringDensityPlan(const StringProduct& space, const StringDensityConfig& config = {});

  /// The part of a rank: what its own alpha strings bring as bras. Its vectors are whole, but in layout 0 of the space's
  /// blocks; sums of all ranks make the sums.
  /// @throws as above
  StringDensityPlan(const StringProduct& space, const StringDensityConfig& config,
                    const StringShares& shares);
};

}  // namespace cisolve::cuda

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "cuda/hamiltonian/device_profile.hpp"
#include "cuda/hamiltonian/direct/excitations/excitation_lists.hpp"
#include "cuda/hamiltonian/direct/layout/strip_plan.hpp"
#include "cuda/hamiltonian/direct/long_rows/long_row_arrays.hpp"
#include "cuda/hamiltonian/direct/task_list.hpp"

namespace cisolve::cuda::direct {

/// The opposite-spin part of rows that are too long for their t to be in shared memory: t for all columns of a tile and
/// many pairs at a time.
struct LongRowsPlan {
  bool shared = true;                 ///< a row of y in shared memory, else it is added to where it is
  std::int32_t pairs_at_a_time = 8;   ///< of an item at most, whole eights
  std::int32_t most_excitations = 0;  ///< of an item
  std::int32_t most_columns = 0;
  std::int64_t tasks_in_layout_1 = 0;  ///< of a rank they come first
  std::vector<RowCost> costs;          ///< of the blocks
  std::vector<TaskSpan> of_strips;     ///< tasks that read a strip of x; none where x is whole
  LongRowArrays<HostArray> arrays;

  /// Elements of t, one that is zero included, in whole 16 bytes; of the factors of an item.
  std::int64_t t_size() const { return pairs_at_a_time * long_ld + 2; }
  std::int64_t factors_size() const { return most_excitations * factor_width(pairs_at_a_time); }

  /// Bytes of shared memory that a block of threads takes.
  std::size_t shared_bytes() const {
    const std::int64_t row = shared ? most_columns : 0;
    return static_cast<std::size_t>(8 * (t_size() + factors_size() + most_excitations + row) + walk_bytes);
  }
};

/// Makes a LongRowsPlan, block by block of y.
class LongRowsPlanner {
public:
  /// Chooses what a block of threads holds at a time, for all blocks of y with long rows.
  /// @param strips  of x, which a block of threads reads one at a time; none: x is whole
  /// @throws ResourceError if a string has more excitations than shared memory has room for
  LongRowsPlanner(const DeviceProfile& device, const Sources& sources, ExcitationLists& lists,
                  std::span<const SourceStrip> strips, LongRowsPlan& plan);

  void add_block(const Side& side, int c, int d, const std::vector<Pattern>& patterns);

  /// @param by_layout  tasks of layout 1 come first
  void finish(bool by_layout);

private:
  struct Run;
  struct Slice;
  struct Tile;
  /// An item, and what it costs for a column of x.
  struct CostedItem {
    LongItem item;
    int source_class;
    double cost;
  };
  std::vector<CostedItem> items_of(const Side& side, int c, int d, const std::vector<Pattern>& patterns,
                                   bool half);
  void add(LongBlock block, std::span<const CostedItem> items, const Side& side, int c, TaskList& tasks);
  void choose(const DeviceProfile& device, std::int32_t wanted_pairs);
  std::int32_t walks_of(const Side& side, int d, std::size_t number, const Part& part);
  Tile make_tile(std::span<Entry> entries, const Part& part, std::int32_t first_column) const;
  void add_words(const Slice& slice, std::span<const Entry> entries, const Part& part,
                 std::int32_t first_column, std::vector<std::uint32_t>& words) const;

  const Sources& sources_;
  ExcitationLists& lists_;
  std::span<const SourceStrip> strips_;
  LongRowsPlan& plan_;
  std::vector<TaskList> tasks_;  ///< of each strip, or of x
  std::map<std::tuple<int, int, std::size_t, std::int32_t>, std::int32_t> walks_;
};

}  // namespace cisolve::cuda::direct

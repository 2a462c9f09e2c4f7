// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"

namespace cisolve {

/// Rows first_row, first_row + 1, ... of a vector that is shared out among ranks, brought to one of them in the order of
/// files. All ranks call it with the same rows and root.
/// @param map  rows of this rank
/// @param own  [own rows among these] their elements, ascending
/// @param out  [count] on root, else not looked at
void collect_rows(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                  std::span<const double> own, std::span<double> out, int root = 0);

/// The reverse: every rank gets those of its rows that are among the rows first_row, first_row + 1, ... that one of them has.
/// @param rows  [count] on root, else not looked at
/// @param own   [own rows among these]
void hand_out_rows(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                   std::span<const double> rows, std::span<double> own, int root = 0);

/// A whole vector on every rank, put together from the rows that each has.
/// @param map    rows of this rank
/// @param own    [map.local_rows()]
/// @param whole  [map.rows()]
void gather_rows(const Communicator& ranks, const RowMap& map, std::span<const double> own,
                 std::span<double> whole);

/// Writes a rank's rows among those from first_row on to their places.
/// @param own  [own rows among these] their elements, ascending
/// @param out  element 0 is that of first_row
void put_rows(const RowMap& map, std::int64_t first_row, std::span<const double> own, std::span<double> out);

/// A rank's rows of a whole vector.
/// @param whole  [map.rows()]
/// @param own    [map.local_rows()]
void take_rows(const RowMap& map, std::span<const double> whole, std::span<double> own);

}  // namespace cisolve

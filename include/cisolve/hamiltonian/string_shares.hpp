// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "cisolve/hamiltonian/string_classes.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/space/string_product.hpp"

namespace cisolve {

/// Which strings each rank owns where H is applied string by string: of every class of either spin an equal, contiguous
/// part, as far as that goes. Rows of a vector belong to the owner of their alpha string. Rows of a class cost the same, so
/// that every rank has as much to do; and strings of a class ascend, so that those of a part lie close to each other.
struct StringShares {
  int ranks = 1;
  int rank = 0;

  /// Places first .. last - 1 in a class.
  struct Range {
    std::int32_t first = 0, last = 0;
    std::int32_t size() const { return last - first; }
  };

  /// Strings of a class of so many that a rank has; the last ranks fewer or none.
  std::int32_t each(std::int32_t size) const { return (size + ranks - 1) / ranks; }

  /// Of a class of so many strings, those of a rank.
  Range of(int owner, std::int32_t size) const {
    const std::int64_t most = each(size);
    const std::int64_t first = std::min<std::int64_t>(size, most * owner);
    return {static_cast<std::int32_t>(first),
            static_cast<std::int32_t>(std::min<std::int64_t>(size, first + most))};
  }
  /// Those of this rank.
  Range own(std::int32_t size) const { return of(rank, size); }

  /// The rank that has a place in a class of so many strings.
  int owner(std::int32_t place, std::int32_t size) const { return place / each(size); }
};

/// Rows of the space that a rank has.
RowMap rows_of(const StringProduct& space, const BlockStructure& blocks, const StringShares& shares);

}  // namespace cisolve

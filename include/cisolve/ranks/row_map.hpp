// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cisolve {

/// Which rows of a vector a rank has. Its own rows keep the order that they have in files: local numbers ascend with
/// global ones.
class RowMap {
public:
  /// Consecutive rows that the rank has.
  struct Slab {
    std::int64_t first_row;    ///< global
    std::int64_t first_local;  ///< rows of the slabs before
    std::int64_t count;
  };

  RowMap() = default;

  /// @param rows   of a whole vector
  /// @param slabs  {first row, rows} of pieces that do not overlap, in any order; those that touch are joined
  /// @throws DimensionError  they overlap, or reach beyond the vector
  RowMap(std::int64_t rows, std::vector<std::pair<std::int64_t, std::int64_t>> slabs);

  /// All rows on the only rank.
  static RowMap whole(std::int64_t rows) { return RowMap(rows, {{0, rows}}); }

  /// The rank's part of rows that are cut into equal consecutive parts, as far as that goes: rows / ranks of them rounded
  /// up, the last ranks fewer or none.
  static RowMap even(std::int64_t rows, int ranks, int rank);

  std::int64_t rows() const { return rows_; }  ///< of a whole vector
  std::int64_t local_rows() const { return local_rows_; }
  std::span<const Slab> slabs() const { return slabs_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(slabs_.capacity() * sizeof(Slab)); }

  /// Global number of a local row.
  std::int64_t global(std::int64_t local) const;

  /// Local number of a row; none: another rank has it.
  std::optional<std::int64_t> local(std::int64_t row) const;

  /// Own rows before a row, which may be the end.
  std::int64_t local_below(std::int64_t row) const;

  /// body(first row, first local row, rows) for the own ones among `count` rows from `first_row` on, ascending.
  template <class Body>
  void for_each_within(std::int64_t first_row, std::int64_t count, const Body& body) const {
    const std::int64_t end = first_row + count;
    for (auto slab = slab_from(first_row); slab != slabs_.end() && slab->first_row < end; ++slab) {
      const std::int64_t from = std::max(first_row, slab->first_row);
      const std::int64_t to = std::min(end, slab->first_row + slab->count);
      if (from < to) body(from, slab->first_local + (from - slab->first_row), to - from);
    }
  }

  /// body(first row, first local row, rows) for `count` own rows from the local row `first_local` on, ascending.
  template <class Body>
  void for_each_local(std::int64_t first_local, std::int64_t count, const Body& body) const {
    const std::int64_t end = first_local + count;
    if (count <= 0) return;
    for (auto slab = slab_of(first_local); slab != slabs_.end() && slab->first_local < end; ++slab) {
      const std::int64_t from = std::max(first_local, slab->first_local);
      const std::int64_t to = std::min(end, slab->first_local + slab->count);
      body(slab->first_row + (from - slab->first_local), from, to - from);
    }
  }

private:
  /// The slab of a local row.
  std::vector<Slab>::const_iterator slab_of(std::int64_t local) const {
    return std::ranges::upper_bound(slabs_, local, {}, &Slab::first_local) - 1;
  }

  /// The first slab that ends behind a row.
  std::vector<Slab>::const_iterator slab_from(std::int64_t row) const;

  std::int64_t rows_ = 0;
  std::int64_t local_rows_ = 0;
  std::vector<Slab> slabs_;
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

/// Copies a rank's rows of a column to where they belong, piece by piece.
/// @param own  its rows of all columns
/// @param map  rows of the rank
/// @param put  takes consecutive rows: the number of the first, and the elements
void read_own(const VectorSource& own, int column, const RowMap& map, std::int64_t first_row,
              std::int64_t count,
              const std::function<void(std::int64_t row, std::span<const double> elements)>& put);

/// Rows of vectors that a process keeps on its host when the root finder that found them is gone. All processes of the
/// calculation have theirs and call members together; what comes out comes out on the first. Members do what those of
/// VectorSource do that are called alike.
class KeptRows {
public:
  /// @param values  [map.local_rows() x columns], column-major
  KeptRows(RowMap map, Array<double> values, int columns)
      : map_(std::move(map)), own_(std::move(values), map_.local_rows(), columns) {}

  std::int64_t rows() const { return map_.rows(); }
  int columns() const { return own_.columns(); }

  void read(const Communicator& processes, int column, std::int64_t first_row, std::int64_t count,
            std::span<double> out) const;
  void gather(const Communicator& processes, int column, std::span<const std::int64_t> rows,
              std::span<double> out) const;
  Matrix overlaps(const Communicator& processes) const;
  std::vector<VectorElement> heaviest(const Communicator& processes, int column, std::int64_t count) const;

private:
  RowMap map_;
  HeldVectors own_;
};

/// The vectors of all processes, as the first sees them; the others serve it.
/// @param processes  must outlive what is returned
/// @param number     that the others were told
std::unique_ptr<VectorSource> kept_vectors(const Communicator& processes, std::uint64_t number, KeptRows own);

}  // namespace cisolve

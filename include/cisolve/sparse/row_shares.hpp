// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/sparse/formats.hpp"

namespace cisolve {

/// Which consecutive rows of a matrix each rank stores, and of vectors has; some may have none.
struct RowShares {
  std::vector<std::int64_t> first_rows;  ///< [ranks + 1] of each rank, and the number of rows
  int rank = 0;

  int ranks() const { return static_cast<int>(std::ssize(first_rows)) - 1; }
  std::int64_t num_rows() const { return first_rows.back(); }
  RowRange of(int owner) const {
    const auto at = static_cast<std::size_t>(owner);
    return {first_rows[at], first_rows[at + 1]};
  }
  RowRange own() const { return of(rank); }
};

/// Cuts rows into shares that take about equal time: that of their nonzeros, and of their elements of a solver's vectors.
/// @param lengths  nonzeros of each row
/// @return RowShares::first_rows
std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> lengths, int ranks);

/// A matrix that is to be stored.
struct RowsToStore {
  const RowSource& rows;
  std::span<const std::int64_t>
      lengths;  ///< of all rows; empty: not known here, and counted where they are needed
  const StorageFormat& format;
  const FormatOptions& options;
};

/// What was stored of a matrix.
struct StoredSizes {
  std::int64_t bytes = 0;
  std::int64_t ell_width = 0, tail_nonzeros = 0;  ///< hybrid; of several parts the largest width

  void add(const StoredSizes& other);
};
StoredSizes stored_sizes(const StoredMatrix& matrix);

/// Makes what one rank stores of a matrix: its rows as a whole, or cut into two parts. Columns of own rows are the near
/// part, a square matrix, which is multiplied by own elements of x. All others are the far part, with columns as in the
/// whole.
class RowsOfRank {
public:
  /// @param matrix  what it refers to must outlive this object
  RowsOfRank(const RowsToStore& matrix, const RowShares& shares, BuildOptions building = {});

  /// @return null: the rank has no rows
  /// @throws what StorageFormat::build throws, of all three
  std::unique_ptr<StoredMatrix> whole();
  std::unique_ptr<StoredMatrix> near_part();
  /// @return null also where no other rank has rows
  std::unique_ptr<StoredMatrix> far_part();

  /// Of all that has been made.
  const StoredSizes& sizes() const { return sizes_; }

private:
  const std::vector<std::int64_t>& own_lengths();
  const std::vector<std::int64_t>& near_lengths();
  FormatOptions options() const;
  std::unique_ptr<StoredMatrix> build(const RowSource& rows, std::span<const std::int64_t> lengths,
                                      const FormatOptions& options, double from, double to);

  RowsToStore matrix_;
  RowRange own_;
  BuildOptions building_;
  std::vector<std::int64_t> own_lengths_, near_lengths_;  ///< once counted
  StoredSizes sizes_;
};

}  // namespace cisolve

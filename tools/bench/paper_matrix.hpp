// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cisolve/sparse/row_source.hpp"

namespace cisolve::bench {

/// One line of Table 3 of M. K. Mahmoud, M. Hoffmann, H. Reza, Computation 6 (2018) 45,
/// doi:10.3390/computation6030045.
struct PaperMatrixFigures {
  std::int64_t expansion_nonzeros;
  std::int64_t longest_row;        ///< its length
  std::int64_t longest_row_index;  ///< which one, from 0
};

inline constexpr std::int64_t paper_rows = 32768;
/// BOUNDARY of the paper's hybrid format: 21,463,040 reference nonzeros are 655 of each of the 32,768 rows.
inline constexpr std::int64_t paper_boundary = 655;
inline constexpr std::array<PaperMatrixFigures, 10> paper_matrices = {{{9678327, 1074, 5314},
                                                                       {9673031, 1069, 6144},
                                                                       {9666827, 1078, 22358},
                                                                       {9670529, 1068, 21549},
                                                                       {9669733, 1060, 4233},
                                                                       {9673530, 1069, 28394},
                                                                       {9666857, 1079, 21836},
                                                                       {9670234, 1077, 20148},
                                                                       {9661419, 1067, 12787},
                                                                       {9670316, 1064, 25678}}};

/// Columns of the reference region: the left tenth, in whole columns (the sparsities of the paper's Table 4
/// are shares of 0.1 x 32,768 = 3276.8 columns).
constexpr std::int64_t paper_reference_columns(std::int64_t rows) noexcept { return rows / 10; }

/// A matrix with the figures of one of the paper's ten: `paper_boundary` nonzeros of each row in the left
/// tenth of the columns, the rest to the right of it; as many nonzeros as printed, and the longest row as
/// long as printed and where it is printed. What is not printed is drawn at random: columns evenly within a
/// region, values evenly in (-1/2, 1/2), the other rows' lengths from a normal distribution whose largest
/// of 32,768 samples is the longest row. Not symmetric: no symmetric matrix has left columns twenty times
/// as dense as the rest and no row of more than 1,079 nonzeros.
///
/// Computed row by row and never stored (but for 4 bytes a row); the same everywhere.
class PaperMatrix final : public RowSource {
public:
  /// @param number    1 .. 10
  /// @param num_rows  another order than the paper's: rows keep their lengths, so density falls
  /// @throws InputError if one of them is out of range
  PaperMatrix(int number, std::uint64_t seed, std::int64_t num_rows = paper_rows);

  std::int64_t num_rows() const override { return num_rows_; }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;

private:
  std::int64_t num_rows_;
  std::uint64_t seed_;
  std::vector<std::int32_t> expansion_lengths_;
};

}  // namespace cisolve::bench

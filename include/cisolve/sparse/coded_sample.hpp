// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// What slices of 32 neighbouring rows, spread over a matrix, say of its coded form. Values that nothing is
/// known of are those of CI matrices with some hundred nonzeros a row.
struct CodedSample {
  /// A row of length L has remainder_per_row + remainder_share L elements of 12 bytes, uncoded ones aside.
  double remainder_per_row = 0.0;
  double remainder_share = 0.05;
  double uncoded_share = 0.0;  ///< of the nonzeros: in the remainder only because the dictionary is full
  double jump_share = 0.0;     ///< words that only move on, for each coded nonzero
  /// A slice has more than its longest row would have by these shares, because rows differ.
  struct Excess {
    double chunks = 1.0;
    double remainder = 1.1;  ///< slots
  };
  Excess of_neighbours = {};               ///< slices of 32 neighbouring rows
  Excess of_sorted = {};                   ///< slices of rows sorted by length
  std::int64_t num_values = largest_code;  ///< distinct magnitudes in the sample
};

/// Reads 16 slices of the matrix, or a 64th, but not more than 128.
/// @throws Interrupted if a stop was requested; whatever the source throws
CodedSample sample_coded(const RowSource& source, const std::stop_token& stop = {});

/// What build_coded is expected to allocate for rows of these lengths, bytes. Rows are ordered and cut as
/// the builder does it, with every row's parts in the proportions of the sample: within 2% for matrices of
/// product and list spaces from some thousand rows on, as the tests check.
std::int64_t estimate_coded_bytes(std::span<const std::int64_t> lengths, const CodedSample& sample = {},
                                  const CodedLayout& layout = {});

}  // namespace cisolve

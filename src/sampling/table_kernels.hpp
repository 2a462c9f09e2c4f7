// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// The inner loops of tables of ratios, compiled for each instruction set (table_kernels_of_set.hpp).

namespace cisolve::sampling {

/// Rows of matrices are aligned to cache lines: columns come in multiples of so many doubles.
inline constexpr int lanes = 8;

constexpr std::ptrdiff_t padded(std::ptrdiff_t count) { return (count + lanes - 1) / lanes * lanes; }

/// The table T of the ratios of all hops, and changes that were not applied yet: T_now = T - C R. Arrays are aligned to 64
/// bytes. Ranks beyond `pending` are zeros.
struct DelayedTable {
  double* t = nullptr;          ///< [rows][stride]
  double* c = nullptr;          ///< [rows][ranks]: look-ups and products read along ranks,
  double* c_columns = nullptr;  ///< [ranks][column_stride] and columns of T_now along rows
  double* r = nullptr;          ///< [ranks][stride]
  double* r_columns = nullptr;  ///< [stride][ranks]
  int rows = 0, columns = 0;
  int ranks = 0;  ///< most that are pending; a multiple of `lanes`
  int pending = 0;
  std::ptrdiff_t stride = 0;         ///< of rows of T: columns and padding
  std::ptrdiff_t column_stride = 0;  ///< rows and padding
};

/// A row and a column of the table.
struct Entry {
  int row = 0, column = 0;
};

/// One look-up in T_now.
using LookUp = double (*)(const DelayedTable& table, Entry at);

/// The determinant of T_now in rows and columns of a and b: of an exchange of electrons.
using LookUpPair = double (*)(const DelayedTable& table, Entry a, Entry b);

/// Appends the change of T by a hop:  T -= c r / T(a),  c = T(:, column) + sign e_row,  r = T(row, :) - sign e_column.
using AppendHop = void (*)(DelayedTable& table, Entry a, double sign);

/// Appends the change by an exchange, which is a hop of sign 1 at a and one of sign -1 at b in one step of rank 2:
/// T -= [c0 c1] B^-1 [r0; r1], B the entries of T in these rows and columns. None of them need be other than zero.
using AppendExchange = void (*)(DelayedTable& table, Entry a, Entry b);

/// T = T_now; nothing is pending.
using Flush = void (*)(DelayedTable& table);

/// t -= a b.
/// @param t        [rows][t_stride], aligned; so many columns, a multiple of `lanes`, are written
/// @param columns  a multiple of `lanes`
/// @param a        [rows][a_stride], `depth` columns
/// @param b        [depth][b_stride], aligned
struct Product {
  double* t = nullptr;
  std::ptrdiff_t t_stride = 0;
  const double* a = nullptr;
  std::ptrdiff_t a_stride = 0;
  const double* b = nullptr;
  std::ptrdiff_t b_stride = 0;
  int rows = 0;
  std::ptrdiff_t columns = 0;
  int depth = 0;
};
using SubtractProduct = void (*)(const Product& product);

/// Steps whose words are drawn together.
inline constexpr int step_group = 16;

/// Random words of the steps from `first` on: those of philox() for counters (n mod 2^32, n / 2^32, chain, 0).
struct StepStream {
  std::uint64_t seed = 0, first = 0;
  std::uint32_t chain = 0;
  int count = 0;
  std::array<std::uint32_t*, 4> words = {};  ///< each has room for whole groups
};
using DrawWords = void (*)(const StepStream& stream);

struct TableKernels {
  LookUp look_up;
  LookUpPair look_up_pair;
  AppendHop append_hop;
  AppendExchange append_exchange;
  Flush flush;
  SubtractProduct subtract_product;
  DrawWords draw_words;
};

/// Those for this processor.
const TableKernels& table_kernels();

}  // namespace cisolve::sampling

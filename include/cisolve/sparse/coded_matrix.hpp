// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/arrays.hpp"
#include "cisolve/sparse/build_options.hpp"
#include "cisolve/sparse/product_update.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/spmv_workspace.hpp"

namespace cisolve {

/// Sign (bit 31), code (15 bits), column delta (16 bits) of one entry of a CodedMatrix.
using CodedWord = std::uint32_t;

inline constexpr int coded_lanes = 32;       ///< rows of a slice: one per lane of a warp
inline constexpr int coded_chunk_words = 4;  ///< words that a lane loads at once (16 bytes)
inline constexpr int coded_parts = 4;        ///< pieces of a slice that may be begun at
inline constexpr std::int32_t largest_code = 32767;
/// Columns beyond which a jump takes one word; see CodedMatrix::has_wide_jumps.
inline constexpr std::int64_t most_columns_with_narrow_jumps = std::int64_t{1} << 22;

inline constexpr CodedWord sign_of(CodedWord word) { return word & 0x80000000U; }
inline constexpr CodedWord code_of(CodedWord word) { return (word >> 16) & 0x7fffU; }
inline constexpr CodedWord delta_of(CodedWord word) { return word & 0xffffU; }

/// The nonzeros of consecutive slices; see CodedMatrix.
struct CodedBlock {
  Array<CodedWord> words;
  Array<double> remainder_values;
  Array<ColumnIndex> remainder_columns;
};

/// What a CodedMatrix has beside its words and remainders; see there.
/// @tparam Array  where the arrays are, see core/arrays.hpp
template <template <class> class Array>
struct CodedTables {
  Array<std::int32_t> order;
  Array<double> dictionary;
  Array<std::int32_t> permutation;
  Array<ColumnIndex> bases;
  Array<std::int64_t> chunk_offsets;
  Array<std::int64_t> remainder_offsets;

  static auto members(auto& of) {
    return std::tie(of.order, of.dictionary, of.permutation, of.bases, of.chunk_offsets,
                    of.remainder_offsets);
  }
};

/// A real n x m matrix as sliced ELL with dictionary-coded values. Values in hartree.
///
/// Entries whose magnitude is one of few are *coded*: a 32-bit word of the sign, the number of the
/// magnitude in `dictionary`, and the distance to the previous coded column of the row. All others (the
/// diagonal and single excitations of a CI matrix, values that found no place in the dictionary) are the
/// *remainder*: 8-byte value and 4-byte column. Values are exact.
///
/// Rows are sorted by length inside windows of a block, then cut into slices of 32 rows, one a lane. A
/// lane's words come in chunks of four; all rows of a slice are padded to the longest with words 0, that
/// is 0.0 at the column before. Slices are cut into four parts of whole chunks, chunks
/// floor(c p / 4) .. floor(c (p + 1) / 4), each with its own starting column, so that one, two or four
/// warps may share a slice.
///
/// | array | shape | element |
/// |---|---|---|
/// | `order` | [n] or none | row (and column) of a square matrix at a place; none: places are rows |
/// | `dictionary` | [codes] | magnitude of a code; dictionary[0] is 0.0 |
/// | `permutation` | [slices][32] | row that a lane of a slice holds; -1: none |
/// | `bases` | [slices][4][32] | column before the first word of a part |
/// | `chunk_offsets` | [slices + 1] | first chunk of a slice, counted over all blocks |
/// | `remainder_offsets` | [slices + 1] | first remainder slot of a slice, counted over all blocks |
/// | `blocks[b].words` | [chunks][32][4] | of slices b * slices_per_block and following |
/// | `blocks[b].remainder_values`, `_columns` | [slots][32] | padding: 0.0 at a column of the row |
///
/// Rows and columns of a square matrix may be taken in an order of the format's own, in which rows that lie side by
/// side have columns that do so, too: words and bases then count places instead of columns, and a product begins by
/// taking x in that order. Other matrices are some rows of a larger one, whose columns stay as they are: all that
/// have rows of it see one x. `permutation` names rows of the matrix in any case.
///
/// A jump of more than 65,535 columns takes words of code 0 that only move on: by their delta, as many as
/// are needed, or by 65,536 times their delta, one, where `has_wide_jumps`. So x is read, times 0.0, at
/// columns where the matrix has nothing: an infinity there spoils the row.
struct CodedMatrix : CodedTables<Array> {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t num_coded = 0;           ///< nonzeros that are coded
  std::int64_t num_uncoded_values = 0;  ///< nonzeros of the remainder that a larger dictionary would code
  std::int64_t slices_per_block = 1;
  bool has_wide_jumps = false;
  std::vector<CodedBlock> blocks;

  std::int64_t num_nonzeros() const noexcept { return nonzeros; }
  std::int64_t num_slices() const noexcept { return (num_rows + coded_lanes - 1) / coded_lanes; }
  std::int64_t num_chunks() const noexcept {
    return num_rows == 0 ? 0 : chunk_offsets[chunk_offsets.size() - 1];
  }
  std::int64_t num_remainder_slots() const noexcept {
    return num_rows == 0 ? 0 : remainder_offsets[remainder_offsets.size() - 1];
  }

  /// First word of slice s, then [chunk][32][4].
  const CodedWord* words_of(std::int64_t slice) const;
  /// First remainder slot of slice s, then [slot][32].
  const double* remainder_values_of(std::int64_t slice) const;
  const ColumnIndex* remainder_columns_of(std::int64_t slice) const;
};

/// In which order a CodedMatrix has its rows and columns.
enum class RowOrder {
  automatic,  ///< local where the rows of the source are independent: it costs next to nothing then
  local,      ///< RowSource::local_order, where there is one: faster products, and a slower build
  given       ///< that of the source
};

/// How a CodedMatrix is laid out.
struct CodedLayout {
  RowOrder row_order = RowOrder::automatic;
  std::int32_t max_codes = largest_code;  ///< magnitudes in the dictionary, 1 .. 32,767
  /// Rows sorted together by length: 32 (none), 256, 2048 or any multiple of 32 between. 0: for every block
  /// the cheapest of 32, 256 and the whole block, by the padding and by how many cache lines of x the lanes
  /// of a step read, measured in a few of its slices.
  std::int32_t window = 0;
  std::int64_t narrow_jump_columns =
      most_columns_with_narrow_jumps;  ///< columns up to which jumps are narrow
};

/// Builds the matrix in parallel; the result does not depend on the number of threads. A source that numbers
/// its values (RowSource::numbered) is read once, and beforehand a sample of at most a 64th of its rows or
/// 128 slices; of others, a pass before finds the values. Beyond the matrix itself some 10 MB per thread are
/// held.
///
/// Elements that the source does not call general are coded. Should they have more than max_codes distinct
/// magnitudes, the most frequent ones of a sample of about 2^23 elements are coded and the others go to the
/// remainder, at 12 bytes instead of 4: num_uncoded_values says how many.
///
/// @throws DimensionError if the layout is not as described, the source has 2^31 rows or columns or more, a column
///         out of range or rows out of order
/// @throws Interrupted if a stop was requested
/// @throws std::bad_alloc if the system refuses the memory; whatever the source throws
CodedMatrix build_coded(const RowSource& source, const BuildOptions& options = {},
                        const CodedLayout& layout = {});

/// Builds a coded matrix from rows whose lengths are known: they are checked, not needed otherwise.
/// @param lengths  those of count_rows
/// @throws DimensionError if a row has another length
CodedMatrix build_coded(const RowSource& source, std::span<const std::int64_t> lengths,
                        const BuildOptions& options = {}, const CodedLayout& layout = {});

/// Bytes that the arrays of the matrix take.
std::int64_t array_bytes(const CodedMatrix& a);

/// y = A x on the host, one row after the other, decoded word by word: the definition that every other
/// product is tested against.
///
/// @param a  n x m
/// @param x  m x k, finite
/// @param y  n x k, in hartree times the unit of x; must not overlap x
/// @throws DimensionError if shapes disagree
void spmv(const CodedMatrix& a, ConstHostView x, HostView y);

/// y = A x or y += A x with all threads, a slice at a time, its 32 rows side by side in vector registers.
/// Columns of x are taken four at a time, packed [row][4]. The sum of a row has an order of its own that
/// does not depend on the number of threads.
void spmv(const CodedMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
          ProductUpdate update = ProductUpdate::assign);

}  // namespace cisolve

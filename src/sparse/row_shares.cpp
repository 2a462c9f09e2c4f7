// SPDX-License-Identifier: MIT
#include "cisolve/sparse/row_shares.hpp"

#include <algorithm>
#include <utility>

#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/ranged_rows.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/row_chunks.hpp"

namespace cisolve {

std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> lengths, int ranks) {
  // A solver reads and writes some tens of vectors for each product: about as many bytes of a row as so many nonzeros have.
  constexpr std::int64_t vectors_of_row = 32;
  std::int64_t all = 0;
  for (const std::int64_t length : lengths) all += length + vectors_of_row;
  std::vector<std::int64_t> first_rows(static_cast<std::size_t>(ranks) + 1, std::ssize(lengths));
  first_rows[0] = 0;
  std::int64_t before = 0, row = 0;
  for (int rank = 1; rank < ranks; ++rank) {
    const auto end = static_cast<std::int64_t>(static_cast<double>(all) * rank / ranks);
    while (row < std::ssize(lengths) && before < end)
      before += lengths[static_cast<std::size_t>(row++)] + vectors_of_row;
    first_rows[static_cast<std::size_t>(rank)] = row;
  }
  return first_rows;
}

void StoredSizes::add(const StoredSizes& other) {
  bytes += other.bytes;
  ell_width = std::max(ell_width, other.ell_width);
  tail_nonzeros += other.tail_nonzeros;
}

StoredSizes stored_sizes(const StoredMatrix& matrix) {
  StoredSizes sizes{.bytes = matrix.bytes()};
  if (const auto* hybrid = dynamic_cast<const StoredAs<HybridMatrix>*>(&matrix)) {
    sizes.ell_width = hybrid->matrix().ell_width;
    sizes.tail_nonzeros = hybrid->matrix().num_tail_nonzeros();
  }
  return sizes;
}

RowsOfRank::RowsOfRank(const RowsToStore& matrix, const RowShares& shares, BuildOptions building)
    : matrix_(matrix), own_(shares.own()), building_(std::move(building)) {
  if (matrix.rows.num_rows() != shares.num_rows() || matrix.rows.num_columns() != shares.num_rows())
    throw DimensionError("RowsOfRank: the shares are those of another matrix");
}

const std::vector<std::int64_t>& RowsOfRank::own_lengths() {
  if (!matrix_.format.needs_lengths || !own_lengths_.empty()) return own_lengths_;
  if (matrix_.lengths.empty()) {
    own_lengths_ = count_rows(RangedRows(matrix_.rows, own_), {.stop = building_.stop});
  } else {
    const auto own =
        matrix_.lengths.subspan(static_cast<std::size_t>(own_.first), static_cast<std::size_t>(own_.size()));
    own_lengths_.assign(own.begin(), own.end());
  }
  return own_lengths_;
}

const std::vector<std::int64_t>& RowsOfRank::near_lengths() {
  if (!matrix_.format.needs_lengths || !near_lengths_.empty()) return near_lengths_;
  near_lengths_ = count_rows(RangedRows(matrix_.rows, own_, ColumnPart{own_}), {.stop = building_.stop});
  return near_lengths_;
}

FormatOptions RowsOfRank::options() const {
  FormatOptions options = matrix_.options;
  options.num_columns = matrix_.rows.num_columns();
  return options;
}

std::unique_ptr<StoredMatrix> RowsOfRank::build(const RowSource& rows, std::span<const std::int64_t> lengths,
                                                const FormatOptions& options, double from, double to) {
  auto matrix = matrix_.format.build(rows, lengths, options, options_of_pass(building_, from, to));
  sizes_.add(stored_sizes(*matrix));
  return matrix;
}

std::unique_ptr<StoredMatrix> RowsOfRank::whole() {
  if (own_.size() == 0) return nullptr;
  return build(RangedRows(matrix_.rows, own_), own_lengths(), options(), 0.0, 1.0);
}

std::unique_ptr<StoredMatrix> RowsOfRank::near_part() {
  if (own_.size() == 0) return nullptr;
  FormatOptions near_options = options();
  near_options.num_columns = own_.size();
  if (near_options.reference_columns)
    near_options.reference_columns =
        std::clamp<std::int64_t>(*near_options.reference_columns - own_.first, 0, own_.size());
  const ColumnPart columns{.interval = own_, .is_inside = true, .from_zero = true};
  return build(RangedRows(matrix_.rows, own_, columns), near_lengths(), near_options, 0.0, 0.5);
}

std::unique_ptr<StoredMatrix> RowsOfRank::far_part() {
  if (own_.size() == 0 || own_.size() == matrix_.rows.num_rows()) return nullptr;
  const std::vector<std::int64_t>& near = near_lengths();
  std::vector<std::int64_t> lengths = own_lengths();
  for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] -= near[row];
  const ColumnPart columns{.interval = own_, .is_inside = false};
  return build(RangedRows(matrix_.rows, own_, columns), lengths, options(), 0.5, 1.0);
}

}  // namespace cisolve

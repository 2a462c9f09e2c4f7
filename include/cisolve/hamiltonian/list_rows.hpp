// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Rows of H over any list of determinants, in any order. String excitations are tabulated among
/// the strings that occur; what an alpha excitation leads to is intersected with the sorted beta
/// strings that stand beside it, so no determinant is searched in the whole list and no pair is
/// tested. The elements of a row are sorted by column at the end.
template <int Words>
class ListRowSource final : public RowSource {
public:
  /// @param space, tables  must outlive this object
  ListRowSource(const Space<Words>& space, const IntegralTables& tables);

  std::int64_t num_rows() const override { return static_cast<std::int64_t>(alpha_of_row_.size()); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;
  std::unique_ptr<const NumberedRowSource> numbered() const override;
  Array<std::int32_t> local_order() const override;
  bool rows_are_independent() const override { return true; }

private:
  /// A determinant beside one alpha string.
  struct Entry {
    std::int32_t beta;
    ColumnIndex row;
  };
  class Numbered;

  ListRowSource(const Space<Words>& space, const std::vector<Determinant<Words>>& determinants,
                const IntegralTables& tables);

  std::span<const Entry> entries(std::int32_t alpha) const {
    const auto at = static_cast<std::size_t>(alpha);
    return {entries_.data() + entry_offsets_[at], entries_.data() + entry_offsets_[at + 1]};
  }
  void group_beta_singles();
  std::span<const StringLinks::Link> beta_singles(std::int32_t beta, int pair_irrep) const {
    const auto at = static_cast<std::size_t>(beta) * 8 + static_cast<std::size_t>(pair_irrep);
    return {beta_singles_.data() + single_offsets_[at], beta_singles_.data() + single_offsets_[at + 1]};
  }
  template <class Take>
  void collect(std::int64_t row, Take& take) const;

  const Space<Words>& space_;
  const IntegralTables& tables_;
  StringList<Words> alpha_;
  StringList<Words> beta_;
  StringLinks alpha_links_;
  StringLinks beta_links_;
  std::vector<StringLinks::Link> beta_singles_;  ///< by string, then irrep of the pair, then target
  std::vector<std::int64_t> single_offsets_;     ///< [beta strings * 8 + 1]
  std::vector<std::int32_t> alpha_of_row_;
  std::vector<std::int32_t> beta_of_row_;
  std::vector<std::int64_t> entry_offsets_;      ///< [alpha strings + 1]
  std::vector<Entry> entries_;                   ///< by alpha, then beta
};

}  // namespace cisolve

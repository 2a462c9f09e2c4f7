// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
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
class ListRowSource final : public RowSource {
public:
  /// @param space, tables  must outlive this object
  template <int Words>
  ListRowSource(const Space<Words>& space, const IntegralTables& tables);

  std::int64_t num_rows() const override { return static_cast<std::int64_t>(list_.alpha_of_row.size()); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;
  std::unique_ptr<const NumberedRowSource> numbered() const override;
  Array<std::int32_t> local_order() const override { return local_order_(); }
  bool rows_are_independent() const override { return true; }

private:
  /// A determinant beside one alpha string.
  struct Entry {
    std::int32_t beta;
    ColumnIndex row;
  };
  /// Determinants as pairs of numbers of strings.
  struct StringPairs {
    std::unique_ptr<const Strings> alpha, beta;
    std::vector<std::int32_t> alpha_of_row, beta_of_row;
  };
  class Numbered;

  ListRowSource(StringPairs list, const IntegralTables& tables,
                std::function<Array<std::int32_t>()> local_order);

  template <int Words>
  static StringPairs number_strings(const Space<Words>& space, std::span<const int> irreps);

  std::span<const Entry> entries(std::int32_t alpha) const {
    const std::size_t at = alpha;
    return {entries_.data() + entry_offsets_[at], entries_.data() + entry_offsets_[at + 1]};
  }
  template <class Take>
  void collect(std::int64_t row, Take& take) const;

  StringPairs list_;
  const Strings& alpha_;
  const Strings& beta_;
  const IntegralTables& tables_;
  std::function<Array<std::int32_t>()> local_order_;
  OwnLinks alpha_links_;
  OwnLinks beta_links_;
  SingleLinks beta_singles_;
  std::vector<std::int64_t> entry_offsets_;  ///< [alpha strings + 1]
  std::vector<Entry> entries_;               ///< by alpha, then beta
};

}  // namespace cisolve

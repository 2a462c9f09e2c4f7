// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/space/space.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Rows of H over any list of determinants, in any order. String excitations are tabulated among
/// the strings that occur; the beta strings that stand beside what an alpha excitation leads to are
/// marked, for all rows of an alpha string at once, so no determinant is searched in the whole list and
/// no pair is tested. The elements of a row are sorted by column at the end.
class ListRowSource final : public RowSource {
public:
  /// @param space, tables  must outlive this object
  template <int Words>
  ListRowSource(const Space<Words>& space, const IntegralTables& tables);

  std::int64_t num_rows() const override { return static_cast<std::int64_t>(list_.alpha_of_row.size()); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override { fill_up_to(range, sink, false); }
  void fill_lower(RowRange range, RowSink& sink) const override { fill_up_to(range, sink, true); }
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
  /// Where a row's elements go.
  template <class Take>
  struct RowTaker {
    std::int32_t beta;
    ColumnIndex last;  ///< column that is taken
    Take* take;
  };
  class Marks;

  void fill_up_to(RowRange range, RowSink& sink, bool is_lower) const;
  template <class Take>
  void collect(std::span<const std::int32_t> rows, std::span<Take> takes, bool is_lower = false) const;
  template <class Take>
  void collect_run(std::int32_t alpha, std::span<const RowTaker<Take>> run, Marks& marks) const;
  template <class Take>
  void collect_beside(std::int32_t alpha, const RowTaker<Take>& row, const Marks& marks) const;
  template <class Take>
  void add_single(Take& take, ColumnIndex column, const OwnLink& link, const IntegralTables& of_spin,
                  std::span<const std::uint8_t> others) const;
  static ColumnIndex row_of(std::span<const Entry> entries, std::int32_t beta);

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
  mutable std::mutex marks_mutex_;
  mutable std::size_t num_marks_ = 0;                         ///< that there are
  mutable std::vector<std::vector<ColumnIndex>> free_marks_;  ///< all cleared
};

}  // namespace cisolve

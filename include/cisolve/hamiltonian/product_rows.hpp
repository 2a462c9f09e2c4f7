// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/space/string_product.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Rows of H over a ProductSpace, from lists of string excitations: no determinant is searched for
/// and no pair is tested. A run of rows (one level, one alpha string) shares the list of alpha
/// strings it connects to, and so of column blocks; within a block the beta lists give columns
/// ascending, so a nonzero costs one look-up in the row (pq|..) of integrals and one write.
/// docs/theory.md derives it.
class ProductRowSource final : public RowSource {
public:
  /// @param space, tables  must outlive this object
  ProductRowSource(const StringProduct& space, const IntegralTables& tables);

  std::int64_t num_rows() const override { return space_.size(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;
  std::unique_ptr<const NumberedRowSource> numbered() const override;
  Array<std::int32_t> local_order() const override;

private:
  using BetaList = StringProduct::BetaList;
  struct Run;
  class Numbered;

  template <class Visit>
  void for_each_run(RowRange range, Visit&& visit) const;
  void prepare(Run& run, int level, std::int32_t alpha) const;
  void add_link(Run& run, const OwnLink& link, int target_level) const;
  std::int64_t count_row(Run& run, std::int32_t beta) const;
  template <class Writer>
  void write_rows(std::span<const std::int32_t> rows, const ValueNumber* alpha_numbers, Writer& writer) const;
  template <class Writer>
  void write(RowRange range, const ValueNumber* alpha_numbers, Writer& writer) const;
  template <class Emit>
  void emit_doubles(Run& run, std::int32_t first, std::int32_t last, std::int32_t position, Emit& emit) const;
  template <class Emit>
  void emit_row(Run& run, std::int32_t beta, Emit& emit) const;

  double coulomb(Run& run, std::uint32_t rs) const;
  double diagonal(Run& run, std::int32_t beta) const;

  const StringProduct& space_;
  const Strings& alpha_;
  const Strings& beta_;
  const IntegralTables& tables_;
  OwnLinks alpha_links_;
  SingleLinks beta_singles_;
  OwnLinks beta_links_;
  bool has_parts_;                    ///< some run's beta strings are not a whole class
  std::vector<double> alpha_energy_;  ///< string_energy, hartree
  std::vector<double> beta_energy_;
};

}  // namespace cisolve

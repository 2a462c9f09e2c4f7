// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/single_occupancy.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// Whether integrals are those of a lattice model with hopping, interaction of charges and exchange: besides h_pq only
/// W_pq = (pp|qq) and K_pq = (pq|pq), every other (pq|rs) exactly zero, and both spins have the same orbitals.
bool are_lattice_integrals(const IntegralTables& tables);

/// Rows of H of a lattice model over all determinants without double occupation: of the t-J model. From a determinant of
/// alpha electrons at the sites A and beta electrons at B lead
///
/// | to | element |
/// |---|---|
/// | itself | core energy + sum_p h_pp + sum_p<q [W_pq - K_pq if their spins are parallel], p and q in A or B |
/// | an electron hops from p to an empty site q | h_pq (-1)^(electrons of its spin between p and q) |
/// | unlike spins at p and q change places | K_pq (-1)^(electrons between p and q that were of its spin, for either) |
///
/// What depends on A alone is worked out once for the rows of an alpha string, which are consecutive, and beta strings
/// are those over its free sites: an element then takes a few operations on bits and the look-up of a number. No column
/// is sorted: moves of one spin, by their higher site and lower site, ascend in what they lead to.
///
/// The elements off the diagonal are of few values, all of those in the table of numbered(); the diagonal is general.
class SingleOccupancyRows final : public RowSource {
public:
  /// @param space, tables  must outlive this object
  /// @throws DimensionError unless both have the same orbitals, rows can be numbered by ColumnIndex, and the integrals
  ///                        are_lattice_integrals
  SingleOccupancyRows(const SingleOccupancyOrder& space, const IntegralTables& tables);

  std::int64_t num_rows() const override { return space_.rows(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override { fill_up_to(range, sink, false); }
  void fill_lower(RowRange range, RowSink& sink) const override { fill_up_to(range, sink, true); }
  std::unique_ptr<const NumberedRowSource> numbered() const override;

private:
  /// Sign and value of an element: twice the place of its magnitude, counted from 1, and 1 more if it is negative.
  /// 0 and 1 are no element.
  using Code = std::uint32_t;

  /// Two sites that an electron hops or electrons change places between.
  struct Bond {
    std::uint64_t high, low;  ///< bits of the sites
    std::uint64_t between;    ///< those strictly between them
    Code hop, exchange;
  };
  class Walk;
  class Numbered;

  void list_bonds();
  void list_energies();
  void fill_up_to(RowRange range, RowSink& sink, bool is_lower) const;

  const SingleOccupancyOrder& space_;
  const IntegralTables& tables_;
  std::vector<double> magnitudes_;  ///< above the threshold, ascending
  std::vector<double> values_;      ///< by code
  std::vector<Bond> bonds_;         ///< by higher site descending, then lower site ascending

  // All [sites] or [sites * sites].
  std::vector<double> parallel_;               ///< W - K
  std::vector<std::uint64_t> parallel_below_;  ///< lower sites with which that is not zero
  std::vector<std::uint64_t> unlike_;          ///< sites with which W is not zero
  bool has_string_energy_ = false;             ///< h_pp or W - K are not all zero
};

}  // namespace cisolve

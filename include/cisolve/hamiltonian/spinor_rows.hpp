// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/strings.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// <bra|H|ket> in hartree between two determinants of spinors by the Slater-Condon rules, core energy on the diagonal:
/// the definition that SpinorRows is tested against. A determinant is one string of occupied spinors, whose creators
/// stand in ascending order. 0 where the numbers of electrons differ.
/// @throws DimensionError if the integrals are not over spinors; see as_spinors
/// @see A. Szabo, N. S. Ostlund, Modern Quantum Chemistry, tables 2.3 and 2.4
template <int Words>
Complex spinor_matrix_element(const ComplexIntegrals& integrals, const BitString<Words>& bra,
                              const BitString<Words>& ket);

/// Rows of the Hermitian H over determinants of spinors, row and column i being string i of a table. Values in hartree,
/// core energy on the diagonal.
///
/// Determinants of spatial orbitals that both spins share are such strings, too, of as_spinors: alpha string | beta string
/// << orbitals, whose phase is the same, since all alpha creators stand before all beta creators in either.
///
/// With holes h1 < h2 and particles p1 < p2, ordered pairs in chemists' notation and the phase of the excitation,
///
///     double   [(p1 h1|p2 h2) - (p1 h2|p2 h1)]
///     single   h_ph + sum over occupied r of [(ph|rr) - (pr|rh)]
///     diagonal E_core + sum h_rr + sum over r > s of [(rr|ss) - (rs|sr)], whose imaginary part is left out
///
/// The matrix is Hermitian to the last bit if the integrals are.
class SpinorRows final : public ComplexRowSource {
public:
  /// @param strings    their irreps all 0, as of a StringTable whose orbitals have none; must outlive this object
  /// @param integrals  over as many spinors; must outlive this object
  /// @param threshold  hartree; elements whose magnitude is at most this are left out. Integrals that were rounded,
  ///                   or came from an iteration, leave elements of their error's size where there should be zeros
  /// @throws DimensionError if the integrals are not over spinors, their number is another, a string has an irrep, or
  ///         the threshold is negative
  SpinorRows(const Strings& strings, const ComplexIntegrals& integrals, double threshold = 0.0);

  std::int64_t num_rows() const override { return strings_.size(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, ComplexRowSink& sink) const override;

  /// One element of the diagonal, hartree.
  double diagonal(std::int64_t row) const;

private:
  struct Elements;
  template <class Visit>
  void for_each_row(RowRange range, const Visit& visit) const;
  void collect(std::int64_t row, std::span<const StringExcitations::Link> doubles, Elements& elements) const;
  Complex double_element(std::uint32_t code) const;
  Complex single_element(std::int32_t row, std::uint32_t code) const;

  struct Pair {
    std::uint8_t lower, upper;
  };
  const Strings& strings_;
  const ComplexIntegrals& integrals_;
  double threshold_;
  std::vector<Pair> pairs_;  ///< of spinors, by ExcitationCode::strict_pair
};

/// Diagonal of H over determinants of spinors, shape [strings.size()], in parallel.
/// @param rows  of H
std::vector<double> diagonal(const SpinorRows& rows);

/// The dense block of a Hermitian matrix over some of its rows, shape indices.size() x indices.size(), as start vectors and
/// preconditioners want it.
/// @param rows     of the matrix, any source
/// @param indices  distinct
/// @throws DimensionError if one is not a row
BasicMatrix<Complex> dense_block(const ComplexRowSource& rows, std::span<const std::int64_t> indices);

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/integrals/complex_integrals.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/string_table.hpp"
#include "cisolve/sparse/row_source.hpp"

// H over spinors that are Kramers pairs. Without a magnetic field H commutes with time reversal T, which is antilinear.
// Spinors 2k and 2k + 1, counted from 0, are a pair:
//
//     T |2k> = |2k + 1>      T |2k + 1> = -|2k>
//
// so that T of a determinant is a determinant, with a sign. With an odd number of electrons T T = -1, determinants come in
// pairs d, Td, and H between two pairs is the block of a quaternion; with an even number T T = 1, and H is real over
// (d + Td) / sqrt(2) and i (d - Td) / sqrt(2). docs/theory.md has the derivation.
namespace cisolve {

/// Refuses integrals that are not of Kramers pairs.
/// @param limit  hartree; the largest violation that passes: above the error of the integrals, below their differences
/// @throws InputError      with the violation if it is larger, or if the number of spinors is odd
/// @throws DimensionError  if the integrals are not over spinors
/// @see kramers_violation
void require_kramers_pairs(const ComplexIntegrals& integrals, double limit);

/// The nearest integrals that are Hermitian and of Kramers pairs to the last bit: each is averaged with its conjugate and
/// with what T makes of both.
/// @throws DimensionError, InputError  as require_kramers_pairs, whatever the violation
ComplexIntegrals with_kramers_symmetry(const ComplexIntegrals& integrals);

/// T of a determinant.
template <int Words>
struct TimeReversed {
  BitString<Words> string;
  bool negative;  ///< T |d> = -|string>
};

/// T |d>: electrons change to the partners of their spinors. Creators stay in order but within filled pairs, where two
/// signs cancel; what is left is one for each odd spinor whose partner is empty.
template <int Words>
TimeReversed<Words> time_reversed(const BitString<Words>& d);

/// Determinants paired by time reversal. Pairs are numbered by their first determinants, ascending; in each that is the
/// smaller string.
class KramersPairs {
public:
  struct Pair {
    std::int32_t first;
    std::int32_t second;  ///< number of the string of T |first>; first itself where T changes nothing
  };
  /// Where a determinant is.
  struct Place {
    std::int32_t pair;
    bool is_second;  ///< the determinant is sign T |first>
    bool negative;   ///< with this sign
  };

  /// @throws DimensionError if T of a string of the table is not in the table
  template <int Words>
  explicit KramersPairs(const StringTable<Words>& strings);

  std::span<const Pair> pairs() const { return pairs_; }
  const Place& place(std::int32_t string) const { return places_[static_cast<std::size_t>(string)]; }
  bool has_odd_electrons() const { return has_odd_electrons_; }

private:
  bool has_odd_electrons_ = false;
  std::vector<Pair> pairs_;
  std::vector<Place> places_;
};

/// Rows of H over Kramers pairs of determinants with an odd number of electrons, as quaternions a + b j:
/// a = <d|H|d'>, b = <d|H|Td'>. The block of a quaternion is H over d, Td and d', Td', so that vectors are those of the
/// complex problem in the order d_0, Td_0, d_1, Td_1, ... Half of the complex rows are read, once.
class QuaternionRows final : public QuaternionRowSource {
public:
  /// @param rows   of H over the determinants, integrals of Kramers pairs; must outlive this object
  /// @param pairs  of the same determinants; must outlive this object
  /// @throws DimensionError if the number of electrons is even, or `rows` has another order
  QuaternionRows(const ComplexRowSource& rows, const KramersPairs& pairs);

  std::int64_t num_rows() const override { return std::ssize(pairs_.pairs()); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, QuaternionRowSink& sink) const override;

private:
  const ComplexRowSource& rows_;
  const KramersPairs& pairs_;
};

/// Rows of H over determinants with an even number of electrons, adapted to time reversal: real and symmetric, so that
/// every storage format takes them. Functions are (d + Td) / sqrt(2) and i (d - Td) / sqrt(2), one after the other, or d
/// where Td = d; in the order of the pairs.
class KramersRealRows final : public RowSource {
public:
  /// @param rows       of H over the determinants, integrals of Kramers pairs; must outlive this object
  /// @param pairs      of the same determinants; must outlive this object
  /// @param threshold  hartree; elements of at most this are left out
  /// @throws DimensionError if the number of electrons is odd, or `rows` has another order
  KramersRealRows(const ComplexRowSource& rows, const KramersPairs& pairs, double threshold = 0.0);

  std::int64_t num_rows() const override { return rows_.num_rows(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;

private:
  template <class Visit>
  void visit_rows(RowRange range, const Visit& visit) const;
  std::int32_t pair_of(std::int64_t row) const;

  const ComplexRowSource& rows_;
  const KramersPairs& pairs_;
  double threshold_;
  std::vector<std::int32_t> first_rows_;  ///< [pairs + 1]
};

}  // namespace cisolve

// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/sparse/numbered_rows.hpp"

namespace cisolve {

/// The elements of double excitations, numbered: they are integrals (pq|rs) with p != q, r != s, or
/// antisymmetrised pairs of them, up to sign. Tables of numbers stand beside the integrals; where both spins have the
/// same orbitals they share those of excitations within a spin.
class IntegralNumbers {
public:
  /// Number of an element that is left out.
  static constexpr ValueNumber vanishing = ~negative_number;

  explicit IntegralNumbers(const IntegralTables& tables);

  /// Ascending, hartree.
  std::span<const double> magnitudes() const { return magnitudes_; }

  /// (pq|rs) for all pairs rs of beta orbitals of a pair pq of alpha ones, shape [num_pairs], as IntegralTables::row.
  const ValueNumber* row(std::uint32_t pq) const { return &two_[std::size_t{pq} * num_pairs_]; }

  /// Number of the element of a double excitation within a spin.
  /// @param code   an ExcitationCode
  /// @param value  its element, with the phase
  ValueNumber of_double(Spin spin, std::uint32_t code, double value) const {
    const Array<ValueNumber>& of_spin =
        antisymmetrised_[spin == Spin::beta && antisymmetrised_[1].size() > 0 ? 1 : 0];
    const ValueNumber number =
        of_spin[ExcitationCode::holes(code) * num_strict_ + ExcitationCode::particles(code)];
    return number | (std::signbit(value) ? negative_number : 0U);
  }

  /// Numbers of the double excitations among the links of a spin; 0 for the others.
  Array<ValueNumber> of_links(Spin spin, const OwnLinks& links) const;

private:
  std::size_t num_pairs_;
  std::size_t num_strict_;
  std::vector<double> magnitudes_;
  Array<ValueNumber> two_;
  Array<ValueNumber>
      antisymmetrised_[2];  ///< [pairs of holes][pairs of particles] by spin; beta: empty where as alpha
};

}  // namespace cisolve

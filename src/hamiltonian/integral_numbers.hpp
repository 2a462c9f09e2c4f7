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
/// antisymmetrised pairs of them, up to sign. Two tables of numbers stand beside the integrals.
class IntegralNumbers {
public:
  /// Number of an element that is left out.
  static constexpr ValueNumber vanishing = ~negative_number;

  explicit IntegralNumbers(const IntegralTables& tables);

  /// Ascending, hartree.
  std::span<const double> magnitudes() const { return magnitudes_; }

  /// (pq|rs) for all rs of a pair pq, shape [num_pairs], as IntegralTables::row.
  const ValueNumber* row(std::uint32_t pq) const { return &two_[std::size_t{pq} * num_pairs_]; }

  /// Number of the element of a double excitation within a spin.
  /// @param code   an ExcitationCode
  /// @param value  its element, with the phase
  ValueNumber of_double(std::uint32_t code, double value) const {
    const ValueNumber number =
        antisymmetrised_[ExcitationCode::holes(code) * num_strict_ + ExcitationCode::particles(code)];
    return number | (std::signbit(value) ? negative_number : 0U);
  }

private:
  std::size_t num_pairs_;
  std::size_t num_strict_;
  std::vector<double> magnitudes_;
  Array<ValueNumber> two_;
  Array<ValueNumber> antisymmetrised_;  ///< [pairs of holes][pairs of particles]
};

/// Numbers of the double excitations among the links; 0 for the others.
Array<ValueNumber> numbers_of(const OwnLinks& links, const IntegralNumbers& numbers);

}  // namespace cisolve

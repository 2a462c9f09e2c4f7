// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/problem/functions.hpp"

namespace cisolve {

/// Rows of H and S^2 by their definition alone: the Slater-Condon rules for each pair of determinants, creators and
/// annihilators for S^2, and CSFs as the sums of determinants that they are. Functions are looked up in a list of them.
/// What makes rows fast elsewhere, tables of excitations and coupling coefficients, is not used, so that a certificate
/// does not share its mistakes.
///
/// Rows are those of the functions or, of CSFs, of the determinants that these are sums of: what H and S^2 make of a
/// state has, over all rows, the same norm, and the row of a determinant takes a small part of what that of a CSF does.
class DefinitionRows {
public:
  virtual ~DefinitionRows() = default;

  /// An element of a row.
  struct Element {
    std::int64_t column = 0;  ///< a function
    double value = 0.0;
    bool is_near_threshold = false;  ///< rounding decides whether it is left out
  };

  /// Functions, which states are expanded in.
  virtual std::int64_t size() const = 0;

  virtual std::int64_t num_rows() const = 0;

  /// A row of H, hartree, in a fixed order of its elements; those that the threshold leaves out are not there.
  /// @return what it took, in nanoseconds of a processor of 2020: the same for the same row on every machine
  virtual double hamiltonian_row(std::int64_t row, std::vector<Element>& elements) const = 0;

  /// Whether the functions have rows of S^2 of their own: not where the spins have orbitals that differ.
  virtual bool has_spin_rows() const { return true; }

  /// A row of S^2, hbar^2. @return as hamiltonian_row
  virtual double spin_row(std::int64_t row, std::vector<Element>& elements) const = 0;

  /// A row of the identity: the functions that it has a part in.
  virtual void unit_row(std::int64_t row, std::vector<Element>& elements) const = 0;

  /// The row that has the largest part in a function.
  virtual std::int64_t row_of(std::int64_t function) const = 0;

  /// Zero-based irreps of functions first .. first + irreps.size() - 1, from the orbitals that are occupied.
  virtual void irreps(std::int64_t first, std::span<std::int8_t> irreps) const = 0;
};

/// Takes functions as files list them: determinants one by one or in blocks, or CSFs.
/// @param integrals  over the orbitals of the functions; must outlive the rows, as must `functions`
/// @param summary    basis, dimension and words
/// @param functions  all of them
/// @param threshold  hartree; elements of at most this magnitude are left out
/// @throws InputError  they are not so many different functions over these orbitals with the same electrons, or a
///                     configuration lacks some of its CSFs: a file is damaged
std::unique_ptr<DefinitionRows> make_definition_rows(const Integrals& integrals, const BasisSummary& summary,
                                                     const FunctionList& functions, double threshold = 0.0);

}  // namespace cisolve

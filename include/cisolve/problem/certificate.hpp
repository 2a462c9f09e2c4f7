// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cisolve/problem/definition_rows.hpp"
#include "cisolve/vectors/vector_source.hpp"

namespace cisolve {

/// What was checked of a root, by another way than it was found, and whether it holds.
struct Certificate {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  bool passed = false;
  std::string failure = {};        ///< in words; empty: none
  double residual_norm = none;     ///< hartree, of H c - E c; an estimate where not all rows were checked
  double residual_in_rows = none;  ///< hartree, the part of it in the rows checked: no estimate
  std::int64_t rows_checked = 0;
  double energy = none;               ///< <c|H|c>/<c|c>, hartree; NaN unless all rows were checked
  double norm_error = none;           ///< | ||c|| - 1 |
  double orthogonality_error = none;  ///< largest |<c|c'>| with another root of the sector
  double s_squared = none;            ///< hbar^2, in clusters of near-degenerate roots
  double expectation_of_s_squared =
      none;  ///< <c|S^2|c>, hbar^2, of that vector; NaN unless all rows of S^2 were
             ///< looked at
  double spin_deviation =
      none;              ///< norm of (S^2 - S(S+1)) c for the spin asked for; NaN: none is, or the space
                         ///< is not spin-complete
  int probe_starts = 0;  ///< of a look for missed roots; 0: nobody looked
  std::int64_t probe_products = 0;  ///< of H with a vector that it took
  double probe_energy = none;       ///< hartree, the lowest that it reached orthogonal to all roots found
  double symmetry_purity =
      none;  ///< weight in functions of the root's irrep; of a mixed root: in those of one
  double density_energy =
      none;  ///< hartree, of the root's density matrices; NaN: there are no two-particle ones
  double density_error = none;  ///< largest error of a trace or partial trace of them; NaN: there are none

  /// Whether all rows of H were checked: what is an estimate otherwise is none.
  bool has_all_rows() const { return !std::isnan(energy); }
};

/// What a certificate demands. Residual norms are compared with what the solver says, the claim: the tolerance of a
/// converged root, or what turning it among roots within 1e-7 hartree makes of that; else its residual norm.
struct CertificateConfig {
  /// Relative error of a sum of products of elements of H and coefficients: each element is a sum of some tens of
  /// integrals, and some thousands are added.
  double rounding = 1e-13;
  /// Times its claim that the residual norm in the rows checked, which is no estimate, may be: the solver's norm is of
  /// sums in another order, nothing else sets them apart.
  double agreement = 1.5;
  /// Probability, at most, that the estimate of a residual norm makes a right result fail. Its square has the right mean
  /// whatever the residual is like, so that it is larger than 1/p times its mean in a share p of all draws (Markov): the
  /// estimate may be 1/sqrt(p) times the claim.
  double false_alarm = 1e-4;
  /// Norms and overlaps: the solver's vectors are orthonormal to some 1e-13; what is 1e-9 off changes no digit of an
  /// energy that is printed.
  double orthonormality = 1e-9;
  /// Norm of (S^2 - S(S+1)) c over its least eigenvalue on other spins that a projected root may have anyhow ...
  double spin_mixing = 1e-4;
  /// ... and hartree from another spin: a root with the residual norm r has at most r / gap of states a gap away. Also
  /// the width of clusters in which S^2 is diagonalised.
  double near_degeneracy = 1e-4;
  /// ... but no more than this, however large the tolerance is.
  double most_spin_mixing = 0.1;
  /// Weight in functions of other irreps: roots are given an irrep up to 1e-6 (ClusterConfig).
  double symmetry_mixing = 2e-6;

  bool all_rows = false;  ///< whatever it costs
  double budget = 5e6;    ///< nanoseconds of one processor for rows of H, as DefinitionRows counts them; but
  std::int64_t fewest_rows = 32;  ///< ... so many where that is no more than
  double patience = 4.0;          ///< ... times the budget, and
  std::int64_t least_rows = 4;    ///< ... so many in any case
  std::int64_t most_rows = 1024;  ///< unless all: more would make the estimate little better
  double spin_budget = 5e6;       ///< nanoseconds for all rows of S^2; else those that are checked of H
  double heaviest_share = 0.5;    ///< of the rows checked that are those of the largest coefficients
  std::uint64_t seed = 0;         ///< of the rows drawn at random
};

/// What is said of states: energies and vectors.
struct StateClaims {
  std::span<const double> energies, residual_norms;  ///< hartree
  const VectorSource* vectors = nullptr;             ///< [rows x states], wherever they are; never null
  std::vector<bool> converged;
  std::vector<int> irreps;             ///< zero-based; mixed_irrep
  double tolerance = 0.0;              ///< residual norm of a converged state, hartree
  std::optional<int> twice_spin = {};  ///< 2 S that was asked for, where functions can be combined to that
};

/// Checks states against the definition of H and S^2: residual norms in all rows or in some (those of the largest
/// coefficients, where a mistake matters most, and others at random), norms, orthogonality, spin and symmetry.
/// @param rows    of H, by definition
/// @param claims  of the states
/// @return one per state
/// @throws DimensionError if shapes disagree
std::vector<Certificate> certify(const DefinitionRows& rows, const StateClaims& claims,
                                 const CertificateConfig& config = {});

}  // namespace cisolve

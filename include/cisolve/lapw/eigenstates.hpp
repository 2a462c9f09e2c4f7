// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/lapw/engine.hpp"

namespace cisolve::lapw {

/// What is wanted of H c = lambda S c.
struct EigenOptions {
  std::int64_t roots = 0;  ///< how many lowest, 0 .. N
  double overlap_threshold =
      1e-10;  ///< eigenvalues of S below this fraction of the largest are dropped where S is
              ///< nearly singular
  // Of Davidson's method.
  double tolerance = 1e-8;  ///< of residual norms, hartree
  int max_iterations = 100;
  std::function<bool()> stop = {};  ///< asked after each iteration; may be empty
};

/// Ends of the spectrum of S.
struct OverlapSpectrum {
  double lowest = 0.0, highest = 0.0;
  std::int64_t dropped = 0;    ///< directions that were left out
  double smallest_kept = 0.0;  ///< of the eigenvalues; where none is dropped, the lowest
};

/// Lowest states of H c = lambda S c.
struct Eigenstates {
  std::vector<double> energies;          ///< hartree, ascending
  std::vector<double> residual_norms;    ///< |H c - lambda S c|, with c^H S c = 1, hartree
  std::vector<double> scaled_residuals;  ///< |r| / ((|H|_F + |lambda| |S|_F) |c|)
  std::vector<bool> converged;
  Array<Complex> vectors;  ///< N x energies.size(), column-major
  std::string solver;      ///< "direct", "davidson"
  int iterations = 0;      ///< of Davidson's method
  bool interrupted = false;
  bool stagnated = false;  ///< residuals no longer fell
  OverlapSpectrum overlap;
  std::vector<std::string> notes;  ///< for the log: shifts that were tried, and why
  std::vector<LineRecord> lines;   ///< what its steps took, names from "solver: " on

  std::int64_t count() const { return static_cast<std::int64_t>(energies.size()); }
  bool all_converged() const;
};

/// Lowest states by a direct solver: Cholesky factor of S, standard problem, back substitution; where S is not positive
/// definite or its condition number is above 1e13, canonical orthogonalisation without the directions below the threshold
/// (P.-O. Lowdin, Adv. Quantum Chem. 5 (1970) 185, doi:10.1016/S0065-3276(08)60339-1).
/// @throws Error  H or S is not finite, S has no positive eigenvalue, or LAPACK failed
Eigenstates solve_directly(Engine& engine, const EigenOptions& options);

/// Lowest states by block Davidson with the metric S, preconditioned by (H - sigma S)^-1 from one Cholesky factor with sigma
/// below the spectrum; made anew nearer to it after ten iterations. Where no such factor is found, or S is nearly singular, as solve_directly.
/// @see P. Blaha et al., J. Comput. Phys. 229 (2010) 453, doi:10.1016/j.jcp.2009.09.036
/// @throws as solve_directly
Eigenstates solve_by_davidson(Engine& engine, const EigenOptions& options);

/// Whether Davidson's method is expected to be faster: N > 2000 and roots < N / 30.
bool davidson_pays(std::int64_t n, std::int64_t roots);

}  // namespace cisolve::lapw
